"""reduction: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.cupy.plays import _arithmetic, observed, on_device
from gpuedu.exercises.cupy.standins import (
    kernel_refusals_told,
    reduction_on_machine,
)


def play_reduction(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the kernel made of the rows of ``x``, and its float64 arithmetic."""
    (logsumexp,) = answers
    kernel = reduction_on_machine(logsumexp)
    with kernel_refusals_told():
        result = kernel(on_device(inputs["x"]), axis=1)
    return {**observed("logsumexp", result), **_arithmetic(kernel.last_trace)}


PLAY = Play(
    (Answer("logsumexp", signature=("x",)),), play_reduction, time_limit_s=30.0, on_machine=True
)
