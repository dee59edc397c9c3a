"""hf-trainer: what options mean to Trainer, and a loop that is equal to it after each update."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.hugging_face.hf_trainer.judge.wanted_options import (
    batch_fault,
    draw_wanted,
    precision_fault,
    rest_fault,
    routine_fault,
    schedule_fault,
)
from gpuedu.exercises.hugging_face.reader import LENGTH, Reader, batches_of, weights_of
from gpuedu.exercises.hugging_face.trainer_alone import Updates, train_alone
from gpuedu.exercises.training.quiet import quiet_torch

REL = 1e-6
"""Of the largest weight: the model is in float64, and a share of float32 may be in a learner's."""
_MOST_OFF = 100
"""Other rates are one mistake where half of them are at most so many times Trainer's, or as few."""
_SEEN = 20
"""A weight has to move by so many times what it may be off."""
FULL = (LENGTH,) * 4
_TRIES, _BELOW, _ABOVE = 50, 0.8, 1.4
_NEVER_CLIPS = {"max_grad_norm": 1e6}


def cases(rng: np.random.Generator) -> list[Case]:
    """Wishes for options; then runs, each of which shows one thing that Trainer does."""
    loop = _drawing(rng)
    ragged = [tuple(int(n) for n in rng.integers(1, LENGTH + 1, 4)) for _ in range(5)]
    ragged[1] = (1, 1, 2, 1)
    many = {"gradient_accumulation_steps": 3, "learning_rate": 0.02, **_NEVER_CLIPS}
    once = {"num_train_epochs": 1}
    return [
        *draw_wanted(rng),
        loop("rates", "no options at all", [FULL] * 4, {}),
        loop("rates", "a warm-up", [FULL] * 6, {"warmup_steps": 3, "learning_rate": 0.01}),
        loop("rates", "groups of 2", [FULL] * 7, {"gradient_accumulation_steps": 2}),
        loop("loss", "batches that are full", [FULL] * 6, {**many, **once}),
        loop("loss", "padding, a batch for each update", ragged, {**once, **_NEVER_CLIPS}),
        loop(
            "items",
            "padding, 2 batches for each update",
            ragged[:4],
            {**many, **once} | {"gradient_accumulation_steps": 2},
        ),
        loop(
            "items",
            "padding, 4 batches",
            [*ragged, *ragged[:3]],
            {**many, **once} | {"gradient_accumulation_steps": 4},
        ),
        loop("last-group", "7 batches in groups of 3", [FULL] * 7, {**many, "num_train_epochs": 2}),
        loop("last-group", "2 batches, groups of 3", [FULL] * 2, {**many, "num_train_epochs": 2}),
        _near_the_limit(loop),
        loop("clip", "large gradients", [FULL] * 4, {"learning_rate": 0.01, **once}, 8.0),
        loop(
            "clip",
            "large gradients, groups of 2",
            [FULL] * 4,
            {"learning_rate": 0.01} | {"gradient_accumulation_steps": 2},
            8.0,
        ),
        loop("clip", "`max_grad_norm` of 0.2", [FULL] * 4, {**once, "max_grad_norm": 0.2}, 4.0),
        loop("clip", "`max_grad_norm` of 0", [FULL] * 4, {**once, "max_grad_norm": 0}, 8.0),
        loop(
            "decay",
            "weight decay",
            [FULL] * 4,
            {**once, "weight_decay": 0.3} | {"learning_rate": 0.02, **_NEVER_CLIPS},
            more=True,
        ),
    ]


def _near_the_limit(loop: Callable[..., Case]) -> Case:
    """Norms below the default limit and above it: AdamW doesn't see a factor that all have."""
    few = (1, 1, 1, 1)
    lengths = [FULL, (5, 1, 1, 1), few, FULL, few, FULL]
    options = {"learning_rate": 0.05, "num_train_epochs": 1}
    for _ in range(_TRIES):
        case = loop("clip", "gradients around the limit", lengths, options, 1.5)
        norms = truth_of(case).norms
        if min(norms) < _BELOW and max(norms) > _ABOVE:
            break
    return case


def _drawing(rng: np.random.Generator) -> Any:
    def loop(
        prop: str,
        label: str,
        lengths: list,
        options: dict[str, Any],
        loud: float = 1.0,
        more: bool = False,
    ) -> Case:
        inputs = {
            "ask": "loop",
            "seed": int(rng.integers(2**31)),
            "loud": loud,
            "more": more,
            "lengths": [list(rows) for rows in lengths],
            "options": options,
        }
        return Case(label, inputs, (prop,))

    return loop


def truth_of(case: Case, rates: list[float] | None = None) -> Updates:
    """What Trainer does in a case, or what it would do with other learning rates."""
    return _truth(json.dumps(dict(case.inputs)), None if rates is None else tuple(rates))


@lru_cache(maxsize=64)
def _truth(told: str, rates: tuple[float, ...] | None) -> Updates:
    inputs = json.loads(told)
    with quiet_torch():
        model = Reader(inputs["seed"], inputs["loud"], inputs["more"])
        batches = batches_of(inputs["lengths"], inputs["seed"])
        return train_alone(model, batches, inputs["options"], rates)


_COUNT_ASKS = (
    "How many passes does Trainer make by default, and how many updates is one of them, with the "
    "batches that are left at its end?"
)


def _rates_test(case: Case, observed: Plain) -> Iterator[Fault]:
    true = truth_of(case)
    got = observed["rates"]
    if len(got) != len(true.rates):
        yield Fault("rates", _count_told(len(got), len(true.rates)), _COUNT_ASKS)
        return
    for at, (mine, wanted) in enumerate(zip(got, true.rates, strict=True), 1):
        if not is_close(mine, wanted, 1e-6, 1e-12):
            shown, right = show_apart(mine, wanted)
            told = f"update {at} of {len(got)} is logged with a learning rate of {shown}"
            yield Fault("rates", f"{told}; Trainer's is {right}")
            return


def _count_told(got: int, wanted: int) -> str:
    return f"`log` was called {got} times; Trainer makes {wanted} updates"


def _same(name: str, says: str, points: float, asks: str) -> Property:
    """The losses, and the weights after each update, are Trainer's."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        yield from _updates_fault(name, case, observed)

    return Property(name, says, points, asks, test)


def _updates_fault(name: str, case: Case, observed: Plain) -> Iterator[Fault]:
    true = truth_of(case)
    if len(observed["losses"]) != len(true.losses):
        kind = Fault if name == "last-group" or not observed["losses"] else Undecided
        yield kind(name, _count_told(len(observed["losses"]), len(true.losses)))
        return
    told = _first_apart(case, true, observed)
    rates = observed["rates"]
    if told and np.isfinite(rates).all() and min(rates) >= 0:
        other = truth_of(case, rates)  # wrong rates are one mistake
        told = _first_apart(case, other, observed)
        if not told and not (_are_alike(rates, true.rates) and _is_seen(case, other)):
            yield Undecided(name, _rates_told(rates, true.rates))
    if told:
        yield Fault(name, told)


def _are_alike(rates: Sequence[float], wanted: Sequence[float]) -> bool:
    """Whether half of the rates or more are of the size of Trainer's."""
    pairs = zip(rates, wanted, strict=True)
    alike = [b / _MOST_OFF <= a <= b * _MOST_OFF for a, b in pairs if b > 0]
    return 2 * sum(alike) >= len(alike)


def _is_seen(case: Case, other: Updates) -> bool:
    """Whether these updates move a weight much further than it may be off."""
    given = case.inputs
    start = np.array(weights_of(Reader(given["seed"], given["loud"], given["more"])))
    off = np.abs(np.array(other.weights[-1]) - start).max()
    return bool(off >= _SEEN * REL * np.abs(start).max())


def _rates_told(rates: Sequence[float], wanted: Sequence[float]) -> str:
    """Of the rates that are too far off, the one that is furthest from Trainer's."""
    at = max(
        range(len(rates)), key=lambda k: abs(np.log10((rates[k] + 1e-30) / (wanted[k] + 1e-30)))
    )
    shown, right = show_apart(rates[at], wanted[at])
    return f"update {at + 1} is logged with a learning rate of {shown}; Trainer's is {right}"


def _first_apart(case: Case, true: Updates, observed: Plain) -> str:
    """The first update whose loss or weights differ, as a sentence; empty where none does."""
    count = len(true.losses)
    for at, (mine, wanted) in enumerate(zip(observed["losses"], true.losses, strict=True)):
        if not is_close(mine, wanted, REL):
            shown, right = show_apart(mine, wanted)
            return (
                f"update {at + 1} of {count} is logged with a loss of {shown}; Trainer's: {right}"
            )
        place = _weight_apart(case, np.array(true.weights[at]), observed["weights"][at])
        if place:
            return f"after update {at + 1} of {count}, {place}"
    return ""


def _weight_apart(case: Case, wanted: np.ndarray, mine: np.ndarray) -> str:
    off = np.abs(mine - wanted)
    off = np.where(np.isfinite(off), off, np.inf)
    worst = int(off.argmax())
    if off[worst] <= REL * np.abs(wanted).max():
        return ""
    shown, right = show_apart(float(mine[worst]), float(wanted[worst]))
    return f"a weight of `{_name_at(case, worst)}` is {shown}; Trainer's is {right}"


def _name_at(case: Case, place: int) -> str:
    """The name of the parameter that a place in the row of all weights belongs to."""
    for name, p in Reader(0, more=case.inputs["more"]).named_parameters():
        if place < p.numel():
            return name
        place -= p.numel()
    raise IndexError(place)


JUDGE = Judge(
    title="What Trainer does",
    properties=(
        Property(
            "batch",
            "`options`: each update has the wanted batch, in pieces that fit",
            1,
            "How many samples does one device take at a time, how many times before an update, and "
            "on how many devices?",
            batch_fault,
        ),
        Property(
            "precision",
            "`options`: the precision that suits the device",
            0.5,
            "Which of the two 16-bit formats can a device of that compute capability multiply "
            "fast?",
            precision_fault,
        ),
        Property(
            "schedule",
            "`options`: the wanted learning rate in each of the wanted updates",
            1,
            "Ask `TrainingArguments` and `transformers.get_scheduler` for the rates of your "
            "options, update by update. Where do they leave the wanted ones?",
            schedule_fault,
        ),
        Property(
            "rest",
            "`options`: clipping, weight decay and seed",
            0.5,
            "What does Trainer do where the option is left out?",
            rest_fault,
        ),
        Property(
            "routine",
            "`options`: when it logs, evaluates and saves, and how much is kept",
            0.5,
            "Which of the three does Trainer do by default, and every how many updates?",
            routine_fault,
        ),
        _same(
            "loss",
            "`own_loop`: losses and weights are Trainer's, update by update",
            1,
            "Take one update of one batch. Which numbers does AdamW need for it, and what are they "
            "by default?",
        ),
        Property(
            "rates",
            "`own_loop`: the same number of updates, with Trainer's learning rates",
            1,
            "Which rate does the first update have, and which the last? What counts as a step of "
            "the schedule?",
            _rates_test,
        ),
        _same(
            "items",
            "`own_loop`: every label counts the same, whichever batch of an update it's in",
            1.5,
            "Two batches with 5 and 15 labels that count: what weight does a label of the first "
            "one have in the update, and one of the second?",
        ),
        _same(
            "last-group",
            "`own_loop`: the batches left over at the end of a pass make an update, too",
            1,
            "How many batches are in that update? And what do they have to do with the next pass?",
        ),
        _same(
            "clip",
            "`own_loop`: gradients are clipped as Trainer does it, including by default",
            0.5,
            "Which norm is the limit compared with, and when? And what does a limit of 0 mean?",
        ),
        _same(
            "decay",
            "`own_loop`: weight decay for the parameters that Trainer decays",
            0.5,
            "Print the names of the model's parameters, and the class of the part that each "
            "belongs to. Which of them are decayed?",
        ),
    ),
    hints=(
        "For `options`, start from `batch / devices`: that's what one device has to see before an "
        "update. For `own_loop`, start from the loop over groups: `batches[first : first + size]`.",
        "Trainer takes all batches of a group first, counts the labels that aren't -100 in all of "
        "them, and hands that number to the model with each batch. The parts then add up to the "
        "group's mean. (A shorter last group needs nothing special.)",
        "`LambdaLR(optimizer, share)` gives update k the rate `lr * share(k)`: `k / warmup` before "
        "the end of the warm-up, then `(updates - k) / (updates - warmup)`. AdamW takes two "
        "groups of parameters, each with its own `weight_decay`; PyTorch's default isn't 0.",
    ),
    cases=cases,
    predictions={
        "hf-trainer": Prediction(
            "Trainer with no options, 20 updates: what is the learning rate of update 11?",
            truth="2.5e-5",
            choices=("1e-3", "5e-5", "2.5e-5", "0"),
            because="The default is 5e-5, and it falls in a straight line, to 0 at the end of the "
            "run. PyTorch's AdamW would keep 1e-3 throughout.",
        )
    },
    seeds=3,
    varies=("rates",),
)
