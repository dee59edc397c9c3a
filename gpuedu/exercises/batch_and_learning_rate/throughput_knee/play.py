"""throughput-knee: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import number, whole_number


def play_throughput_knee(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """A rate, or a batch."""
    samples_per_s, knee, measured_knee = answers
    if inputs["ask"] == "measured":
        seen = [_measured(measured_knee, *one) for one in inputs["sets"]]
        return {"got": [got for got, _ in seen], "kept": [kept for _, kept in seen]}
    if inputs["ask"] == "knee":
        got = whole_number(knee(inputs["share"], *inputs["cost"]), "the batch")
        own = [_own_rate(samples_per_s, batch, inputs["cost"]) for batch in (got - 1, got)]
        return {"got": got, "own": own}
    return {"got": number(samples_per_s(inputs["batch"], *inputs["cost"]), "the rate")}


def _measured(measured_knee: Any, runs: Sequence[Any], share: float) -> tuple[int, bool]:
    """The batch, and whether the list of runs is as it was."""
    given = [tuple(run) for run in runs]
    handed = list(given)
    got = whole_number(measured_knee(handed, share), "the batch")
    return got, handed == given


def _own_rate(samples_per_s: Any, batch: int, cost: Sequence[float]) -> float:
    """The learner's rate; 0 where there is none: it is judged where it is asked for itself."""
    try:
        return float(number(samples_per_s(batch, *cost)))
    except Exception:
        return 0.0


_COST = ("launches", "launch_s", "fixed_s", "per_sample_s")

PLAY = Play(
    (
        Answer("samples_per_s", signature=("batch", *_COST)),
        Answer("knee", signature=("share", *_COST)),
        Answer("measured_knee", signature=("runs", "share")),
    ),
    play_throughput_knee,
    time_limit_s=5.0,
)
