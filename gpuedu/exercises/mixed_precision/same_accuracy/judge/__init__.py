"""same-accuracy: training in 16 bits that ends where float32 ends, on a task made hard for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from statistics import median
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.mixed_precision.same_accuracy.half_runs import move_of
from gpuedu.exercises.training.bands import Band
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.experiments import read_results
from gpuedu.experiments.hard_digits import (
    CLASSES,
    HARD,
    HIDDEN,
    LARGE_INPUTS,
    PIXELS,
    SMALL_GRADIENTS,
    SMALL_UPDATES,
    DigitsTask,
    batches,
    start_weights,
)
from gpuedu.experiments.same_accuracy import FLOAT32, gradients_of, reference

_ONE = (
    ("norm", "only the inputs are large", replace(LARGE_INPUTS, dimmest=1 / 8)),
    ("gradients", "only the gradients are small", SMALL_GRADIENTS),
    ("updates", "only the updates are small", SMALL_UPDATES),
)
TOGETHER = replace(HARD, divisor=2.0**30)
"""Divided by so much that a gradient that goes back to fp16 without its scale is lost here, too."""

_FIRST = 3
"""Steps whose dtypes are looked at by themselves."""

_SMALL_STEPS = ("updates", "accuracy")
"""Properties in whose cases fp16 weights rightly stay as they are in the first steps."""

_RUNS = 2
_CALLS = ((64, 10), (40, 26), (64, 10), (16, 26), (40, 26), (40, 10), (16, 10), (64, 26))
"""Of each call in turn, how many images it brings, and of which power of 2 n is."""
_STRAY = 0.04
"""The share by which fp16 may lengthen or shorten a step, in float32's direction."""

_UNSEEN, _BATCH = 2.0**-13, 16
"""The share by which a weight of few digits may be larger that is still the same in fp16."""
_ALIKE = (2048, 2047, 42)
"""Pixels of which the first two are the same in fp16 behind the norm."""

_FAR = 4
_SEEDS = 3
_WIDE = 4.0
"""A bound is so many times what any of 60 reference runs was off: for other ways to round."""


@cache
def loss_gaps() -> Band:
    """Shares by which the losses of 60 reference runs in fp16 are above float32's."""
    losses = read_results("same-accuracy").values["losses"]
    return Band.of([a / b - 1 for a, b in zip(losses["mixed"], losses["float32"], strict=True)])


@cache
def accuracy_gaps() -> Band:
    """Differences between their accuracies on held-out images and float32's."""
    right = read_results("same-accuracy").values["accuracies"]
    return Band.of([a - b for a, b in zip(right["mixed"], right["float32"], strict=True)])


def most_off() -> float:
    """The share of float32's loss by which the median of several seeds may differ."""
    band = loss_gaps()
    return _WIDE * max(abs(band.lowest), abs(band.highest))


def cases(rng: np.random.Generator) -> list[Case]:
    """A few steps to look at; each difficulty alone; all three, with several seeds."""
    drawn = [
        _case("half", "the first steps", replace(HARD, steps=_FIRST), rng, 1),
        _cancelling(rng),
    ]
    drawn += [_case(prop, label, task, rng, 1) for prop, label, task in _ONE]
    drawn.append(_turns(rng))
    drawn.append(_case("accuracy", f"all three, {_SEEDS} seeds", TOGETHER, rng, _SEEDS))
    inputs = {**_turns(rng).inputs, "zeros": True}
    return [*drawn, Case("steps whose products are all 0", inputs, ("half",))]


def _case(prop: str, label: str, task: DigitsTask, rng: np.random.Generator, seeds: int) -> Case:
    # Those below 100 are the reference runs'.
    drawn = [int(seed) for seed in rng.integers(100, 2**31, seeds)]
    label = f"{label}, n = {_power(task.divisor)}, {task.steps} steps"
    return Case(label, {"task": asdict(task), "seeds": drawn}, (prop,))


def _turns(rng: np.random.Generator) -> Case:
    """Two runs in turn, in which the size of a batch, n and the rate change from call to call."""
    shapes = ((PIXELS, HIDDEN), (HIDDEN, CLASSES))
    starts = [
        [rng.choice([-0.125, 0.125], shape).astype(np.float32) for shape in shapes]
        for _ in range(_RUNS)
    ]
    turns = []
    for call, (size, power) in enumerate(_CALLS):
        turns.append(
            {
                "run": call % _RUNS,
                "images": rng.integers(0, 17, (size, PIXELS)).astype(np.float16),
                "labels": rng.integers(0, CLASSES, size),
                "rate": float(rng.uniform(0.02, 0.1)) / size * 2.0**power,
                "n": 2.0**power,
            }
        )
    inputs = {"starts": starts, "turns": turns, "zeros": False}
    return Case("two runs that take turns", inputs, ("steps",))


def _cancelling(rng: np.random.Generator) -> Case:
    """Hidden numbers that are exactly 0 where both factors are fp16: then no weight moves.

    In the first run two rows of weights are opposite there, in the second two pixels are equal.
    """
    starts, turns = [], []
    for run in range(2):
        inner, outer = (np.zeros(shape) for shape in ((PIXELS, HIDDEN), (HIDDEN, CLASSES)))
        images = np.zeros((_BATCH, PIXELS), np.float16)
        one, other, third = rng.choice(PIXELS, 3, replace=False)
        inner[one] = rng.integers(4, 16, HIDDEN)
        inner[other] = -inner[one]
        if run == 0:
            inner[one] *= 1 + _UNSEEN
            images[:, [one, other]] = rng.integers(1, 17, (_BATCH, 1))
        else:  # divided by their size they are 5.6549 and 5.6576, and neighbors are 0.0039 apart
            images[:, [one, other, third]] = _ALIKE
        starts.append([weight.astype(np.float32) for weight in (inner, outer)])
        turn = {"run": run, "images": images, "labels": rng.integers(0, CLASSES, _BATCH)}
        turns.append({**turn, "rate": 100.0 * 2**10, "n": 2.0**10})
    label = "hidden numbers that are 0 where they are computed from fp16"
    return Case(label, {"starts": starts, "turns": turns, "zeros": False}, ("half",))


def _power(divisor: float) -> str:
    return f"2**{math.log2(divisor):.0f}"


@cache
def first_move(task: DigitsTask, seed: int) -> float:
    """The length of the first step in float32, as ``move_of`` tells it."""
    start, (images, labels) = start_weights(task, seed), next(batches(task, seed))
    with quiet_torch():
        gradients = gradients_of(task, [w.clone() for w in start], images, labels, FLOAT32)
    after = [w - task.scaled_rate * g for w, g in zip(start, gradients, strict=True)]
    return move_of(start, after)


def in_float32(
    starts: Sequence[Sequence[np.ndarray]], turns: Sequence[Mapping[str, Any]]
) -> list[list[np.ndarray]]:
    """The two weights after each call, computed in float32."""
    import torch

    weights = [[torch.from_numpy(weight) for weight in start] for start in starts]
    after = []
    with quiet_torch():
        for turn in turns:
            task, old = replace(SMALL_GRADIENTS, divisor=turn["n"]), weights[turn["run"]]
            images, labels = (torch.from_numpy(turn[name]) for name in ("images", "labels"))
            found = gradients_of(task, [w.clone() for w in old], images, labels, FLOAT32)
            new = [w - turn["rate"] * g for w, g in zip(old, found, strict=True)]
            weights[turn["run"]] = new
            after.append([weight.numpy() for weight in new])
    return after


def _judge_turns(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    """How far each call took the weights of its run in the direction in which float32 goes."""
    before = [list(start) for start in inputs["starts"]]
    got_before = [list(start) for start in inputs["starts"]]
    expected = in_float32(inputs["starts"], inputs["turns"])
    for turn, got, wanted in zip(inputs["turns"], observed["weights"], expected, strict=True):
        run = turn["run"]
        way = np.concatenate([(b - a).ravel() for a, b in zip(before[run], wanted, strict=True)])
        gone = np.concatenate([(b - a).ravel() for a, b in zip(got_before[run], got, strict=True)])
        before[run], got_before[run] = wanted, got
        far = float(gone @ way / (way @ way))
        if not abs(far - 1) <= _STRAY:
            told = f"went {far:.3g} times as far as they do in float32"
            yield Fault(
                "steps",
                f"in a step of run {run + 1}, with {len(turn['labels'])} images and n = "
                f"{_power(turn['n'])}, the weights "
                f"{told if math.isfinite(far) else 'became infinite or NaN'}",
            )
            return


def _judge_cancelling(observed: Plain) -> Iterable[Fault]:
    """The outer weights, which begin at 0, are still there; in float32 some go farther than 1."""
    farthest = float(np.max([np.abs(outer).max() for _, outer in observed["weights"]]))
    if not farthest <= _STRAY:
        yield Fault(
            "half",
            "the hidden numbers are 0 where images and weights are rounded to float16 before they "
            f"are multiplied, so no weight should move; one went by {farthest:.3g}",
        )


def _judge_zeros(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    """No weight moves: every gradient is a product, or follows from one."""
    for turn, got in zip(inputs["turns"], observed["weights"], strict=True):
        pairs = zip(inputs["starts"][turn["run"]], got, strict=True)
        farthest = float(np.max([np.abs(after - start).max() for start, after in pairs]))
        if not farthest <= 0:
            yield Fault(
                "half",
                "where all products of matrices are set to 0, no gradient is left, so no weight "
                f"should move; one went by {farthest:.3g}",
            )
            return


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Dtypes of products and weights; losses and accuracies against float32's of the same seeds."""
    (prop,) = case.decides
    if "turns" in case.inputs and prop == "half":
        zeros = case.inputs["zeros"]
        yield from _judge_zeros(case.inputs, observed) if zeros else _judge_cancelling(observed)
        return
    if prop == "half":
        yield from _judge_dtypes(prop, case, observed)
        return
    if prop == "steps":
        yield from _judge_turns(case.inputs, observed)
        return
    if prop == "accuracy" and (faults := list(_judge_dtypes(prop, case, observed))):
        yield from faults
        return
    if _is_all_wide(observed["products"]):
        yield Undecided(prop, "no matrices were multiplied in 16 bits, so nothing could be lost")
        return
    task = DigitsTask(**case.inputs["task"])
    with quiet_torch():  # one thread: a second one costs such small products more than it brings
        wanted = [reference(task, seed) for seed in case.inputs["seeds"]]
    gaps = [a / b - 1 for a, (b, _) in zip(observed["losses"], wanted, strict=True)]
    gap = median(gaps) if all(map(math.isfinite, gaps)) else math.nan
    if not abs(gap) <= most_off():
        loss, (right, _) = observed["losses"][0], wanted[0]
        yield Fault(
            prop,
            f"after {task.steps} steps the loss is {show(loss)}, in float32 {show(right)}"
            f"{_first_step(prop, case.inputs, observed)}",
        )
        return
    ahead = [a - b for a, (_, b) in zip(observed["accuracies"], wanted, strict=True)]
    if prop == "accuracy" and not accuracy_gaps().reaches(ahead):
        yield Fault(
            prop,
            f"{observed['accuracies'][0]:.1%} of the held-out images are right, in float32 "
            f"{wanted[0][1]:.1%}",
        )


def _is_all_wide(products: Mapping[str, int]) -> bool:
    """Whether there are products of matrices, and none of them has a factor of 16 bits."""
    return bool(products) and not any("float16" in pair for pair in products)


def _judge_dtypes(prop: str, case: Case, observed: Plain) -> Iterable[Fault]:
    products: Mapping[str, int] = observed["products"]
    seen, steps = sum(products.values()), case.inputs["task"]["steps"] * len(case.inputs["seeds"])
    others = [pair for pair in products if set(pair.split(" and ")) != {"float16"}]
    if others:
        yield Fault(prop, f"matrices were multiplied in {others[0]}")
    elif seen < 2 * steps:
        told = f"{seen} products of matrices were seen in {steps} steps, expected at least 2 a step"
        yield Fault(prop, told)
    elif set(observed["dtypes"]) != {"float16"}:
        told = next(dtype for dtype in observed["dtypes"] if dtype != "float16")
        yield Fault(prop, f"`train_step` returned weights of {told}, expected float16")


def _first_step(prop: str, inputs: Mapping[str, Any], observed: Mapping[str, Any]) -> str:
    """The length of the first step beside float32's; "" where 16 bits need not show it."""
    ratio = observed["first_moves"][0] / first_move(
        DigitsTask(**inputs["task"]), inputs["seeds"][0]
    )
    if not math.isfinite(ratio):
        return "; its first step made weights infinite or NaN"
    if ratio == 0:
        return "" if prop in _SMALL_STEPS else "; its first step changed next to no weight"
    power = round(math.log2(ratio))
    told = f"{ratio:.2f}" if abs(power) < _FAR else f"about 2**{power}"
    return f"; its first step went {told} times as far"


_NUMBERS = (
    "Look at the first steps, number by number, beside the same steps in float32. Which is the "
    "first that is not nearly the same?"
)

JUDGE = Judge(
    title="Does it end where float32 ends?",
    properties=(
        Property(
            "half",
            "all matrix products, and the weights returned, are float16",
            1,
            "Which lines multiply matrices, in which dtype are both factors, and the new weights?",
            after=("norm", "gradients", "updates", "steps"),
        ),
        Property("norm", "large inputs: a norm that fp16 cannot hold", 1, _NUMBERS),
        Property("gradients", "gradients below 2**-24 arrive", 1, _NUMBERS),
        Property("updates", "updates of less than half a step add up", 1, _NUMBERS),
        Property(
            "steps",
            "each call takes a step of its own run, with its own batch, rate and n",
            0.5,
            "Which numbers come with this call, and what does the `state` of this run keep?",
        ),
        Property(
            "accuracy",
            "all three at once: loss and accuracy of float32",
            1.5,
            "Is a property above lost, too? If not, what changes where all three come together?",
        ),
    ),
    hints=(
        "Three things go wrong, and you have a remedy for each: which numbers must be float32, "
        "which number should be multiplied, and where do the weights live between two steps?",
        "`state` keeps float32 masters. A step makes fp16 copies of them that require gradients. "
        "Norm and loss are computed from `.float()`, products from `.half()`. A constant "
        "scale of 2**16 fits every n here, from 2**10 to 2**30.",
        "`copies = [w.half().requires_grad_() for w in state['masters']]`; `wide = "
        "images.float()` for the norm, and `.half()` after the division; `.float()` after the "
        "last product; `torch.autograd.grad(2.0**16 * loss, copies)`; then `g.float() / 2.0**16` "
        "is what the masters are updated with. Return the new masters, rounded to float16.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "same-accuracy": Prediction(
            "100 steps of `half_step`: how many of the 9,472 weights are changed?",
            truth=0,
            because=(
                "The squares are infinite, so all scores are 0. If you fixed that, all gradients "
                "would be 0. And if you fixed those, nearly every update would still be less "
                "than half a step."
            ),
        )
    },
    seeds=3,
)
