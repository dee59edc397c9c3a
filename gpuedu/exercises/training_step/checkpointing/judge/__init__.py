"""checkpointing: a step that keeps what goes into each segment, and computes the rest again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.training_step.checkpointing.block_stacks import (
    SHORT_SIZES,
    Stack,
    build_stack,
    count_flop,
    passing_peak,
    run_step,
    watch_stack,
)
from gpuedu.exercises.training_step.checkpointing.judge.left_behind import judge_left_behind
from gpuedu.exercises.training_step.checkpointing.judge.segments import (
    best,
    judge_best,
    judge_predicted,
    predicted,
)
from gpuedu.exercises.training_step.checkpointing.plain_step import plain_step

REL = 1e-9
"""Of the largest number of a gradient: float64, and the same products in the same order."""

MEASURED_REL = 1e-3
"""Of a gradient's largest number: float32, and sums in another order."""

PASSING = 8
"""What one block hands on, so many times: gradients on their way, and what a variable holds."""

COSTS = Stack(blocks=36, segments=6)

SHORT = Stack(**SHORT_SIZES)
HOLDS_ALL = 0.9
"""From this share of an ordinary step's peak on, a step is none that trades FLOP for memory."""

FAR = 3
"""So many segments from the root, a search around it misses the best k."""

LEFT_BEHIND = Stack(4, 2, wide=True, width=6, samples=5)


def cases(rng: np.random.Generator) -> list[Case]:
    """Stacks of one segment, of several and of one for each block; costs; sizes."""
    seed = int(rng.integers(2**31))
    drawn = [
        _step(Stack(6, k, wide=True, width=12, samples=9, seed=seed + k), "gradients")
        for k in (3, 1, 6, 4)
    ]
    drawn += [
        _step(
            Stack(6, k, wide=True, width=12, samples=9, dropout=0.4, seed=seed + k),
            "dropout",
            "chance",
        )
        for k in (3, 2)
    ]
    for ask, stack, decides in (
        ("costs", COSTS, ("memory", "flop")),
        ("else", LEFT_BEHIND, ("else",)),
    ):
        label = f"{stack.blocks} blocks in {stack.segments} segments"
        drawn.append(Case(label, {"ask": ask, "stack": asdict(stack), "other": True}, decides))
    for _ in range(3):
        blocks, kept, inside = _sizes(rng)
        k = int(rng.integers(2, blocks))
        drawn.append(_ask("predicted", blocks, k, kept, inside))
        drawn.append(_ask("best", blocks, kept, inside))
    drawn += [_ask("predicted", 12, 1, 8, 40), _ask("predicted", 13, 4, 8, 40)]
    # The best of these are in the middle, the last k there is, the first, and the second.
    ends = [_ask("best", 4, 4, 400), _ask("best", 12, 4000, 4), _ask("best", 8, 3000, 1000)]
    return [*drawn, _ask("best", *_sizes_off_the_root(rng)), *ends]


def _sizes(rng: np.random.Generator) -> tuple[int, int, int]:
    kept = 4 * int(rng.integers(10, 1000))
    return int(rng.integers(20, 90)), kept, kept * int(rng.integers(1, 6))


def _sizes_off_the_root(rng: np.random.Generator) -> tuple[int, int, int]:
    """Sizes whose best k is far from where the formula without rounding is lowest."""
    for _ in range(1000):
        blocks, (_, kept, inside) = int(rng.integers(100, 400)), _sizes(rng)
        if abs(best(blocks, kept, inside) - (blocks * inside / kept) ** 0.5) > FAR:
            return blocks, kept, inside
    raise AssertionError("every best k is near the root")


def _step(stack: Stack, *decides: str) -> Case:
    label = f"{stack.blocks} blocks in {stack.segments} segment{'s'[: stack.segments > 1]}"
    label += ", dropout" if stack.dropout else ""
    inputs = {"ask": "step", "stack": asdict(stack), "other": stack.segments == 3}
    return Case(label, inputs, decides)


def _ask(ask: str, *sizes: int) -> Case:
    names = ("blocks", *["k"][: ask == "predicted"], "kept", "inside")
    label = ", ".join(f"{name} {size}" for name, size in zip(names, sizes, strict=True))
    return Case(label, {"ask": ask, "sizes": sizes}, (ask,))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Against an ordinary step of the same stack, from the same seed."""
    judges = {
        "step": _steps,
        "else": judge_left_behind,
        "costs": _costs,
        "predicted": judge_predicted,
        "best": judge_best,
    }
    short = observed.get("short_peak", 0)
    if short >= HOLDS_ALL * plain_peak(SHORT):
        return [_holds_all(prop, SHORT, short) for prop in case.decides]
    if elsewhere := observed.get("elsewhere"):
        told = f"the same, done with another batch, is not right: {elsewhere}"
        return [Undecided(prop, told) for prop in case.decides]
    faults = list(judges[case.inputs["ask"]](case, observed))
    if not faults and not all(_is_first(one, case) for one in observed.get("measured", ())):
        told = "that is judged once the step whose memory is measured leaves the right gradients"
        return [Undecided(prop, told) for prop in case.decides]
    return faults


def _is_first(gradient: np.ndarray, case: Case) -> bool:
    """Whether a step that was measured left the first gradient of an ordinary one.

    Or that times some number: such a slip costs no other points than those for gradients.
    """
    stack = COSTS if case.inputs["ask"] == "costs" else SHORT
    wanted = ordinary(stack)["gradients"][0].astype(np.float64)
    if gradient.shape != wanted.shape or not gradient.any():
        return False
    wanted *= np.vdot(gradient, wanted) / np.vdot(wanted, wanted)
    room = MEASURED_REL * np.abs(wanted).max()
    return np.allclose(gradient, wanted, rtol=0, atol=room)


def _holds_all(prop: str, stack: Stack, peak: int) -> Undecided:
    mine, plain = (size / stack.kept_bytes for size in (peak, plain_peak(stack)))
    return Undecided(
        prop,
        f"that is judged once your step holds clearly less: at its peak {mine:.0f} times what a "
        f"block hands on, an ordinary step {plain:.0f} (16 blocks in 4 segments)",
    )


def _steps(case: Case, observed: Plain) -> Iterable[Fault]:
    stack = Stack(**case.inputs["stack"])
    true, prop = ordinary(stack), case.decides[0]
    gradients = _gradient_fault(stack, true, observed["gradients"])
    if gradients or not abs(observed["loss"] - float(true["loss"])) <= REL:
        told = f"the loss is {show(observed['loss'])}, not {show(float(true['loss']))}"
        yield Fault(prop, (gradients or told) + _also_dry(stack, observed))
    if "chance" in case.decides and not np.array_equal(observed["next"], true["next"]):
        yield Fault(
            "chance",
            f"after the step `torch.rand` gives {observed['next'][0]:.4f}, after an ordinary one "
            f"{true['next'][0]:.4f}",
        )


@lru_cache(maxsize=64)
def ordinary(stack: Stack) -> Mapping[str, Any]:
    """What an ordinary step gives."""
    return run_step(plain_step, stack)


def _weight(at: int, stack: Stack) -> str:
    return f"the {'bias' if at % 2 else 'weight'} of block {at // 2} (of {stack.blocks})"


def _gradient_fault(stack: Stack, true: Mapping[str, Any], found: Sequence[np.ndarray]) -> str:
    """The first gradient that is missing or wrong, as a sentence; nothing where all are right."""
    pairs = list(zip(found, true["gradients"], strict=True))
    for at, (mine, _) in enumerate(pairs):
        if not mine.size:
            return f"{_weight(at, stack)} has no gradient"
    for at, (mine, wanted) in enumerate(pairs):
        if not (np.abs(mine - wanted) <= REL * np.abs(wanted).max()).all():
            worst = np.unravel_index(np.argmax(np.abs(mine - wanted)), wanted.shape)
            index = ", ".join(map(str, worst))
            return (
                f"the gradient of {_weight(at, stack)} is {show(float(mine[worst]))} at [{index}], "
                f"of an ordinary step {show(float(wanted[worst]))}"
            )
    return ""


def _also_dry(stack: Stack, observed: Plain) -> str:
    dry = replace(stack, dropout=0.0)
    if stack.dropout and _gradient_fault(dry, ordinary(dry), observed["dry"]):
        return "; it's wrong without dropout, too: start there"
    return ""


@cache
def plain_peak(stack: Stack) -> int:
    """What an ordinary step needs at most, of what comes and goes."""
    return passing_peak(watch_stack(plain_step, stack))


def most_bytes(stack: Stack) -> int:
    """The peak that is allowed."""
    sizes = stack.blocks, stack.segments, stack.kept_bytes, stack.inside_bytes
    return predicted(*sizes) + PASSING * stack.kept_bytes


def most_flop(stack: Stack) -> int:
    """Two forwards and a backward, with the gradient of what goes into the first block, too."""
    segments, x, _ = build_stack(stack)
    weights = [w for segment in segments for w in segment.parameters() if w.ndim == 2]
    return 4 * sum(2 * len(x) * w.numel() for w in weights)


@cache
def least_flop(stack: Stack) -> int:
    """An ordinary step's: a forward and a backward."""
    return count_flop(plain_step, stack)


def _costs(case: Case, observed: Plain) -> Iterable[Fault]:
    stack = Stack(**case.inputs["stack"])
    least, flop = least_flop(stack), observed["flop"]
    if flop < least:
        seen = f"only {flop:,} FLOP are seen in your step, and an ordinary one has {least:,}"
        for prop in case.decides:
            yield Fault(prop, f"{seen}: what else computes is not measured")
        return
    block, most = stack.kept_bytes, most_bytes(stack)
    plain = plain_peak(stack)
    if observed["peak"] > most:
        yield Fault(
            "memory",
            f"at its peak {observed['peak'] / block:.2f} times what a block hands on, at most "
            f"{most / block:.0f}; an ordinary step has {plain / block:.0f}",
        )
    if observed["peak"] >= HOLDS_ALL * plain:
        most = f"{HOLDS_ALL * plain / block:.0f} times what a block hands on"
        yield Undecided("flop", f"that is judged once less than {most} is alive at the peak")
    elif observed["flop"] > most_flop(stack):
        forward = most_flop(stack) / 4
        yield Fault(
            "flop",
            f"{observed['flop'] / forward:.2f} times the FLOP of a forward pass, at most 4: one "
            "forward, one more, and 2 for the backward pass",
        )


JUDGE = Judge(
    title="How do you trade FLOP for memory?",
    properties=(
        Property(
            "gradients",
            "the same loss and gradients as an ordinary step",
            1,
            asks="Which gradient does each segment's output get, and where does it come from?",
        ),
        Property(
            "dropout",
            "with dropout, too: the second forward pass drops the same numbers",
            1,
            asks="Does each segment drop what it drops in an ordinary step, and the same when it "
            "is computed again? Both come from the generator's state.",
        ),
        Property(
            "chance",
            "after the step, random numbers go on as after an ordinary one",
            1,
            asks="From which state of the generator does the next step go on, and what has an "
            "ordinary step drawn by then?",
        ),
        Property(
            "else",
            "and nothing else: the batch unchanged, gradients added, the loss detached",
            1,
            asks="Compare with `ordinary_step`: what does it do to the batch and to gradients "
            "that were already there, and what does it return?",
        ),
        Property(
            "memory",
            "at the peak, only one segment's inside and the kept inputs are alive",
            1,
            asks="When memory is at its peak, how many segments' insides are alive? What recorded "
            "them, and which list, name or graph still holds them?",
            after=("gradients", "chance", "else"),
        ),
        Property(
            "flop",
            "no block runs forward more than twice",
            1,
            asks="Where do you start to compute again: at the input that you kept for this "
            "segment, or further back?",
            after=("gradients", "chance", "else"),
        ),
        Property(
            "predicted",
            "`predicted_bytes`: what is kept, and the largest segment",
            1,
            asks="Work it out for 3 blocks in 2 segments: whose inputs are kept, and how many "
            "blocks' insides are there at once?",
        ),
        Property(
            "best",
            "`best_k`: the number of segments that needs the least",
            1,
            asks="Write down what each k needs for a small stack. Which is the smallest, and which "
            "k is it?",
            after=("predicted", "gradients"),
        ),
    ),
    hints=(
        "Write two loops. The first goes forward and records nothing for autograd. What must it "
        "keep "
        "for each segment so that the segment can be run again exactly as before? The second goes "
        "through the segments from last to first.",
        "First loop, under `torch.no_grad()`: keep the segment's input and the generator's "
        "state. Second loop: set that state, make `start = kept.detach().requires_grad_()`, run "
        "the segment on it. The last segment gets `loss(out, y).backward()`, each other one "
        "`out.backward(gradient)`, where `gradient` is the `start.grad` of the segment after it.",
        "Put `end = torch.get_rng_state()` between the loops and `torch.set_rng_state(end)` at the "
        "end. Use `inputs.pop()`, so that nothing you have finished with stays alive. "
        "`predicted_bytes`: `(k - 1) * kept + math.ceil(blocks / k) * inside`; `best_k`: `min(range"
        "(1, blocks + 1), key=lambda k: predicted_bytes(blocks, k, kept, inside))`.",
    ),
    cases=cases,
    verdict=verdict,
    seeds=5,
    predictions={
        "checkpointing": Prediction(
            "every block runs forward twice: how many times the FLOP of an ordinary step?",
            truth=4 / 3,
            unit="times",
            because="The forward pass is one part of three, the backward pass two. One more "
            "forward "
            "pass makes it four.",
        ),
        "checkpointing-k": Prediction(
            "64 blocks each save as much as they pass on. With the best number of segments, how "
            "many blocks' worth of memory does a step need instead of 64?",
            truth=float(predicted(64, best(64, 1, 1), 1, 1)),
            unit="blocks' worth",
            because="With 8 segments of 8, that's the inside of one (8) and 7 inputs. Both are "
            "close "
            "to the square root of 64.",
        ),
    },
)
