"""make-it-fast: twelve causes, each judged by the figure of the bill that it alone drives up."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from gpuedu.exercises.capstone.limits import Limit
from gpuedu.exercises.capstone.make_it_fast.judge.claims import CLAIMS
from gpuedu.exercises.capstone.make_it_fast.judge.truths import truth_of
from gpuedu.exercises.capstone.make_it_fast.limits import (
    LEAST_IMAGES,
    LIMITS,
    MOST_COLLECTIVES,
    MOST_MESSAGE_BYTES,
)
from gpuedu.exercises.capstone.make_it_fast.needs_alone import slow_costs
from gpuedu.exercises.capstone.units import show_bytes, show_count, show_flop
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

_BAND = 2e-3
"""How far a figure of the history may be from the slow program's, relative: rounding is free."""
_LEAST_WORK = 0.7
"""Of what a step takes: less is computed elsewhere."""
_MOST_STRAYS = 100
"""Launches that a step may have and others have not: more than a whole evaluation in one batch."""
_LEAST_MESSAGE_BYTES = 0.4
"""Of what an all-reduce of all gradients sends: in 16 bits, it's half."""
_SAME = ("same", "resumes")
_FAR_TOO_HIGH = 1e30
"""A learning rate after which the next loss is no number."""
_COSTS = (
    "read-once",
    "few-requests",
    "copies",
    "copied-bytes",
    "waits",
    "preparation",
    "update",
    "flop",
    "growth",
    "evaluation-batch",
    "evaluation-graph",
    "written",
)
_HALVES = ("read-once", "few-requests")
"""Two sides of one cause."""
_TOGETHER = ("same-on-ranks", "messages")


def cases(rng: np.random.Generator) -> list[Case]:
    """One task, on one device and on two ranks; and what the report claims of another one."""
    seed = int(rng.integers(1, 2**31))
    truth = truth_of(seed)
    return [
        Case("one device", {"seed": seed, "ranks": 1}, (*_SAME, *_COSTS), truth),
        Case(
            "far too high a rate", {"seed": seed, "learning_rate": _FAR_TOO_HIGH}, ("stops",), truth
        ),
        Case("two ranks", {"seed": seed, "ranks": 2}, _TOGETHER, truth),
        Case("your report", {"report": True}, tuple(one.name for one in CLAIMS), slow_costs()),
    ]


_TOLD = {
    "read-once": (
        "each file is read once",
        "What does the second epoch read that the first one has already read?",
        "a run reads {got} from the store",
    ),
    "few-requests": (
        "files are requested together",
        "How long does a request take, and how many files may it ask for?",
        "a run makes {got} requests to the store",
    ),
    "copies": (
        "a batch goes to the device in few copies",
        "How many copies does a batch of 12 images and captions need?",
        "a step makes {got} copies to the device",
    ),
    "copied-bytes": (
        "no more bytes are copied than needed",
        "How many bytes does a pixel have on its way to the device?",
        "a step copies {got} to the device",
    ),
    "waits": (
        "training hardly ever waits for the device",
        "Which lines of a step need a number on the host?",
        "in an epoch of training, the host waits {got} times for the device",
    ),
    "preparation": (
        "few launches prepare a batch, or count its letters",
        "How many launches does augmenting one image take, and how many does augmenting twelve?",
        "a step makes {got} launches that belong neither to the model nor to the update",
    ),
    "update": (
        "the weights are updated with few launches",
        "How many tensors of weights are there, and how many launches does each take?",
        "after the backward pass, a step makes {got} launches",
    ),
    "flop": (
        "no letter's work is done twice",
        "What does the model compute for a letter that it hasn't computed for the one before?",
        "a step computes {got}",
    ),
    "growth": (
        "nothing piles up from step to step",
        "What does the program still keep of a step when the next one starts?",
        "after each step, {got} more are alive on the device",
    ),
    "evaluation-graph": (
        "evaluation records nothing for a backward pass",
        "Which backward pass will need what is saved in an evaluation?",
        "in an evaluation, {got} operations are recorded for a backward pass",
    ),
    "written": (
        "a checkpoint is written once an epoch",
        "Who reads what is written after each step?",
        "in an epoch, {got} are written to the store",
    ),
}
"""Of each limit: what the card says of it, its question, and what is told where it is passed."""


def _limited(limit: Limit) -> Property:
    """The property that a cost stays within its limit."""
    says, asks, told = _TOLD[limit.name]

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        got, most = observed["bill"][limit.figure], limit.most(case.truth.needs)
        if not got <= most:
            whole = f"{told.format(got=limit.show(got))}, at most {limit.show(most)} are allowed"
            first = observed["first_wait"] if limit.name == "waits" else ""
            yield Fault(limit.name, f"{whole}. The first: {first}" if first else whole)

    points = 1 if limit.name in _HALVES else 2
    return Property(limit.name, says, points, asks, test, ("same",), ("same",))


def _is_near(got: float, wanted: float) -> bool:
    return math.isfinite(got) and abs(got - wanted) <= _BAND * max(abs(wanted), 0.05)


def _apart(name: str, got: dict[str, Any], wanted: dict[str, Any], who: str) -> Iterable[Fault]:
    """The first figure of a history that is another one."""
    for part, values in wanted.items():
        if len(got[part]) != len(values):
            told = f"{who} has {len(got[part])} numbers in {part!r}, expected {len(values)}"
            yield Fault(name, told)
            return
        for place, (one, other) in enumerate(zip(got[part], values, strict=True)):
            if not _is_near(one, other):
                at = "step" if part == "losses" else "epoch"
                told = f"{who}: {part!r} of {at} {place + 1} is {one:.5g}, expected {other:.5g}"
                yield Fault(name, told)
                return


def _same(case: Case, observed: Plain) -> Iterable[Fault]:
    faults = list(_apart("same", observed["history"], case.truth.history, "the history"))
    yield from faults or _unseen(observed["bill"], case.truth)


def _unseen(bill: dict[str, float], truth: Any) -> Iterable[Fault]:
    """Training that is not on the device; where weights change their storage, a step is missed."""
    steps = len(truth.history["losses"])
    if bill["steps"] < steps / 2:
        told = f"{show_count(bill['steps'])} of {steps} steps updated weights on the device"
        yield Fault("same", f"only {told}")
    elif bill["flop"] < _LEAST_WORK * truth.needs.flop:
        told = f"a step computes {show_flop(bill['flop'])} on the device"
        yield Fault("same", f"{told}; the model takes {show_flop(truth.needs.flop)}")


def _resumes(case: Case, observed: Plain) -> Iterable[Fault]:
    who = "the history of a run that continued after its first epoch"
    yield from _apart("resumes", observed["resumed"], case.truth.history, who)


def _stops(case: Case, observed: Plain) -> Iterable[Fault]:
    if not observed["stopped"]:
        told = f"at a learning rate of {_FAR_TOO_HIGH:g}, the run goes on with losses that are nan"
        yield Fault("stops", told)
        return
    who = "the history of a run on the store that a stopped one left"
    yield from _apart("stops", observed["history"], _first_epoch(case.truth.history), who)


def _first_epoch(history: dict[str, list[float]]) -> dict[str, list[float]]:
    return {name: values[: len(values) // 2] for name, values in history.items()}


def _same_on_ranks(case: Case, observed: Plain) -> Iterable[Fault]:
    wanted = _first_epoch(case.truth.history)
    for rank, history in enumerate(observed["histories"]):
        for fault in _apart("same-on-ranks", history, wanted, f"the history of rank {rank}"):
            yield fault
            return


def _messages(case: Case, observed: Plain) -> Iterable[Fault]:
    whole, got = case.truth.needs.weight_bytes, observed["message_bytes"]
    if observed["messages"] > MOST_COLLECTIVES:
        yield Fault(
            "messages",
            f"a step starts {show_count(observed['messages'])} collectives on each rank, at most "
            f"{MOST_COLLECTIVES} are allowed. The largest: {observed['largest']}",
        )
    elif not _LEAST_MESSAGE_BYTES * whole <= got <= MOST_MESSAGE_BYTES * whole:
        yield Fault(
            "messages",
            f"a step puts {show_bytes(got)} on the wires of each rank, and an all-reduce of all "
            f"gradients {show_bytes(whole)}. The largest: {observed['largest']}",
            "Which bytes does a rank need from the other one in a step, and how often do they "
            "travel?",
        )


def _batch(case: Case, observed: Plain) -> Iterable[Fault]:
    got = observed["bill"]["evaluation_batch"]
    if got == 0:
        told = "no convolution ran on the device between `model.eval()` and `model.train()`"
        yield Fault("evaluation-batch", told)
    elif observed["bill"]["evaluation_flop"] < _LEAST_WORK * case.truth.needs.evaluation_flop:
        flop = show_flop(observed["bill"]["evaluation_flop"])
        told = f"an evaluation computes {flop} between `model.eval()` and `model.train()`"
        needed = show_flop(case.truth.needs.evaluation_flop)
        yield Fault("evaluation-batch", f"{told}; the model takes {needed} for the images held out")
    elif observed["bill"]["strays"] > _MOST_STRAYS:
        count = show_count(observed["bill"]["strays"])
        told = f"outside of it, a step has {count} more launches than the others, as an evaluation"
        yield Fault("evaluation-batch", f"{told} would have")
    elif got < LEAST_IMAGES:
        count = f"{show_count(got)} image{'' if got == 1 else 's'}"
        told = f"in an evaluation a convolution takes only {count} at once"
        yield Fault("evaluation-batch", f"{told}, at least {LEAST_IMAGES} are asked for")


JUDGE = Judge(
    title="Make a program fast",
    properties=(
        Property(
            "same",
            "the history is the slow program's, and at least one cost is lower",
            2,
            "Which of these does the slow program draw, and how does it compute the others?",
            _same,
            after=_COSTS,
        ),
        Property(
            "resumes",
            "a run continues from its checkpoint",
            1,
            "What does a run need, besides the weights, to continue as if it had never ended?",
            _resumes,
            after=_COSTS,
            waits_for=("same",),
        ),
        Property(
            "stops",
            "a loss that isn't finite stops the run before a checkpoint is written",
            1,
            "What does the slow program do with a loss that isn't finite, and when?",
            _stops,
            after=_COSTS,
            waits_for=("same",),
        ),
        Property(
            "same-on-ranks",
            "two ranks give the same result",
            1,
            "Which samples does each rank train on, and what do the ranks share?",
            _same_on_ranks,
            after=_COSTS,
            waits_for=("same",),
        ),
        *map(_limited, LIMITS),
        Property(
            "evaluation-batch",
            "an evaluation takes several images at once",
            2,
            "How many launches does an image need, and how many do eight?",
            _batch,
            ("same",),
            ("same",),
        ),
        Property(
            "messages",
            "gradients travel together",
            2,
            "How long does a message take that is almost empty, and how many does a step send?",
            _messages,
            ("same",),
            ("same-on-ranks",),
        ),
        *CLAIMS,
    ),
    hints=(
        "`gpuedu profile` names the lines that wait, copy and launch. The bill that `see` draws "
        "says which of the twelve are left.",
        "Change one thing, run the check, keep what helped. Begin with what a step computes: the "
        "model gives a score after every letter, whether you ask for it or not.",
        "What one image or one weight does at a time, a batch or a list can do at once: "
        "`read_many`, an index for a whole batch, `torch.optim.AdamW`, one bucket of gradients.",
    ),
    cases=cases,
    predictions={
        "make-it-fast": Prediction(
            "About how many launches does one step of the slow program make?",
            "4,000",
            choices=("40", "400", "4,000", "40,000"),
            because="It calls the model once for each letter, 18 times, each time with about 45 "
            "launches forward and more than twice as many backward. Then it clears, clips and "
            "updates 52 tensors of weights, by 18 launches each.",
        ),
    },
    seeds=2,
)
