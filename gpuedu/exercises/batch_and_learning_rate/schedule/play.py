"""schedule: beside the learner's code."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.schedule.plans import Plan
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import describe, items
from gpuedu.exercises.training.tensors import as_number

_RESCALE = ("batch", "steps", "warmup", "peak", "new_batch", "rule")


def play_schedule(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The rates at some steps, or the three numbers of another plan."""
    rate_at, rescale = answers
    if inputs["ask"] == "rescale":
        got = rescale(*(inputs[name] for name in _RESCALE))
        return {"got": list(three(got)), "whole": [is_whole(one) for one in items(got)[:2]]}
    rates = [rate_at(step, *inputs["plan"]) for step in inputs["at"]]
    got = [as_number(rate, "the rate") for rate in rates]
    if inputs["ask"] == "edges":
        return {"got": got, "usual": _in_a_usual_run(rate_at, Plan(*inputs["plan"]), inputs["at"])}
    return {"got": got}


def _in_a_usual_run(rate_at: Any, plan: Plan, at: Sequence[int]) -> list[float]:
    """The rates in a run with the same fall behind a longer warm-up; none where that fails."""
    longer = plan._replace(steps=plan.steps + 2, warmup=max(1, plan.warmup) + 2)
    try:
        return [as_number(rate_at(step + 2, *longer)) for step in at]
    except Exception:
        return []  # that run is judged by itself


def three(got: Any) -> tuple[float, float, float]:
    """Steps, warm-up and peak that the learner returned; AnswerError for anything else."""
    found = items(got) if isinstance(got, (tuple, list, np.ndarray)) else []
    if len(found) != 3:
        raise AnswerError(
            f"`rescale` should return three numbers, got {describe(got)}",
            remedy="`return steps, warmup, peak`",
        )
    steps, warmup, peak = (as_number(one, "a number that `rescale` returned") for one in found)
    return steps, warmup, peak


def is_whole(number: Any) -> bool:
    """Whether ``range`` takes it: an int, NumPy's or torch's, but no float.

    >>> is_whole(38), is_whole(38.0)
    (True, False)
    """
    try:
        operator.index(number)
    except TypeError:
        return False
    return True


PLAY = Play(
    (
        Answer("rate_at", signature=("step", *Plan._fields)),
        Answer("rescale", signature=_RESCALE),
    ),
    play_schedule,
    time_limit_s=5.0,
)
