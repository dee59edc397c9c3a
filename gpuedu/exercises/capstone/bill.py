"""The bill of a training program: one figure for each thing that it can waste."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.metering import Meter, Operation
from gpuedu.exercises.capstone.store import Store


def steps_of(operations: Sequence[Operation]) -> list[list[Operation]]:
    """The operations of training, by step: each from the end of the last update on.

    What comes after the last update belongs to no step.
    """
    training = [one for one in operations if one.part != "evaluation"]
    ends, last = [], None
    for place, one in enumerate(training):
        if one.writes_weight:
            last = place
        elif one.part == "backward" and last is not None:
            ends.append(last)
            last = None
    if last is not None:
        ends.append(last)
    firsts = [0, *(end + 1 for end in ends)]
    return [training[first : end + 1] for first, end in zip(firsts, ends, strict=False)]


def require_steps(steps: Sequence[Sequence[Operation]], count: int) -> None:
    """AnswerError where there are more steps than a run's: idle ones would lower the mean.

    One more is found where weights are written before the first backward pass.
    """
    if len(steps) > count + 1:
        raise AnswerError(
            f"{len(steps)} times weights are written after a backward pass, in {count} steps",
            remedy="Update the weights once a step.",
        )


def launches_of(step: Sequence[Operation]) -> Counter[str]:
    """How many launches prepare the batch, are forward and backward, and update the weights.

    What is not recorded by autograd prepares until backward begins, and belongs to the update once
    it has ended; so does what writes weights and gradients.
    """
    backward = [place for place, one in enumerate(step) if one.part == "backward"]
    counts: Counter[str] = Counter()
    for place, one in enumerate(step):
        is_early = one.part == "other" and (not backward or place < backward[0])
        counts[one.part if one.part != "other" else ("update", "preparation")[is_early]] += 1
    return counts


def _recorded_early(step: Sequence[Operation]) -> int:
    """How many launches autograd records before the model's first product."""
    products = [place for place, one in enumerate(step) if one.flop]
    return sum(one.part == "forward" for one in step[: products[0] if products else 0])


_AT_TIMES = 100
"""Launches of a run that aren't those of each step: they make the model, and end an epoch."""
_COPIES, _LAUNCHES, _FOR_ONE = 4, 50, 10
"""Of an evaluation: more than one takes that is done in one batch; and launches for each
convolution, of which one that is done image by image has many."""


def _prepared(launches: Sequence[int]) -> float:
    """Of the median step; and a part of what other steps have more, where that is much."""
    usual = median(launches)
    more = sum(launches) - usual * len(launches) - _AT_TIMES
    return usual + max(more, 0) / len(launches)


def _strays(launches: Sequence[Counter[str]]) -> float:
    """How many more a step has, before its backward pass, than the median one; not the first."""
    before = [one["preparation"] + one["forward"] for one in launches]
    return max([one - median(before) for one in before[1:]], default=0)


_EARLY = 10
"""Launches that a model may have before its first product."""


def bill_of(meter: Meter, store: Store, *, epochs: int, steps: int) -> dict[str, float]:
    """The figures of a run on one device, of as many epochs and steps.

    Copies, and their bytes, are of the mean step, launches of the median one, FLOP of that with
    most; if the launches that prepare are spread unevenly, what is beyond ``_AT_TIMES`` counts in
    each step. Waits, what is written, and what evaluations cost, are of an epoch; what is read, of
    the whole run. What an evaluation copies and launches far beyond what its convolutions need
    counts as training's. ``strays`` is how many launches a step has that others have not.
    ``growth`` is how many bytes more live after each step of the first epoch than after the one
    before it; ``evaluation_batch``, how many images a convolution of an evaluation takes at least.

    Raises:
        AnswerError: there are more evaluations than one an epoch, or more steps than the run has.
    """
    if meter.evaluations > epochs:
        raise AnswerError(
            f"`model.eval()` begins {meter.evaluations} evaluations in {epochs} epochs",
            remedy="Evaluate once an epoch.",
        )
    found = steps_of(meter.operations)
    require_steps(found, steps)
    count = max(len(found), 1)
    launches = [launches_of(step) for step in found] or [Counter()]
    evaluation = [one for one in meter.operations if one.part == "evaluation"]
    early = max(median(map(_recorded_early, found or [[]])) - _EARLY, 0)
    live = [step[-1].live_bytes for step in found[: max(count // epochs, 1)]]
    copies = [size for in_evaluation, size in meter.copies if not in_evaluation]
    more = sorted(size for in_evaluation, size in meter.copies if in_evaluation)
    copies += more[epochs * _COPIES + len(meter.evaluated) :]
    launched = epochs * _LAUNCHES + _FOR_ONE * len(meter.evaluated)
    beside = max(len(evaluation) - launched, 0) / count
    waits = [wait for in_evaluation, wait in meter.waits if not in_evaluation]
    return {
        "steps": len(found),
        "read_bytes": store.read_bytes,
        "requests": store.requests,
        "waited_s": store.waited_s,
        "copies": len(copies) / count,
        "copied_bytes": sum(copies) / count,
        "waits": len(waits) / epochs,
        "preparation": beside + early + _prepared([one["preparation"] for one in launches]),
        "update": median(one["update"] for one in launches),
        "flop": max([sum(one.flop for one in step) for step in found], default=0),
        "growth": (live[-1] - live[0]) / max(len(live) - 1, 1) if live else 0.0,
        "evaluation_launches": len(evaluation) / epochs,
        "evaluation_flop": sum(one.flop for one in evaluation) / epochs,
        "strays": _strays(launches),
        "evaluation_batch": min(meter.evaluated, default=0),
        "evaluation_waits": (len(meter.waits) - len(waits)) / epochs,
        "evaluation_recorded": meter.recorded_in_evaluation / epochs,
        "written_bytes": store.written_bytes / epochs,
    }
