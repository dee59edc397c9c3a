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


def bill_of(meter: Meter, store: Store, *, epochs: int, steps: int) -> dict[str, float]:
    """The figures of a run on one device, of as many epochs and steps.

    Copies, and their bytes, are of the mean step, launches and FLOP of the median one; waits,
    what is written, and what evaluations cost, of an epoch; what is read, of the whole run.
    ``growth`` is how many bytes more live after each step of the first epoch than after the one
    before it; ``evaluation_batch``, how many images a convolution of an evaluation takes at least.

    Raises:
        AnswerError: there are more evaluations than one an epoch, and one before the first; or
            more steps than the run has.
    """
    if meter.evaluations > epochs + 1:
        raise AnswerError(
            f"`model.eval()` begins {meter.evaluations} evaluations in {epochs} epochs",
            remedy="Evaluate once an epoch.",
        )
    found = steps_of(meter.operations)
    require_steps(found, steps)
    count = max(len(found), 1)
    launches = [launches_of(step) for step in found] or [Counter()]
    evaluation = [one for one in meter.operations if one.part == "evaluation"]
    live = [step[-1].live_bytes for step in found[: max(count // epochs, 1)]]
    copies = [size for in_evaluation, size in meter.copies if not in_evaluation]
    waits = [wait for in_evaluation, wait in meter.waits if not in_evaluation]
    return {
        "steps": len(found),
        "read_bytes": store.read_bytes,
        "requests": store.requests,
        "waited_s": store.waited_s,
        "copies": len(copies) / count,
        "copied_bytes": sum(copies) / count,
        "waits": len(waits) / epochs,
        "preparation": median(one["preparation"] for one in launches),
        "update": median(one["update"] for one in launches),
        "flop": median([sum(one.flop for one in step) for step in found] or [0]),
        "growth": (live[-1] - live[0]) / max(len(live) - 1, 1) if live else 0.0,
        "evaluation_launches": len(evaluation) / epochs,
        "evaluation_batch": min(meter.evaluated, default=0),
        "evaluation_waits": (len(meter.waits) - len(waits)) / epochs,
        "evaluation_recorded": meter.recorded_in_evaluation / epochs,
        "written_bytes": store.written_bytes / epochs,
    }
