"""elementwise: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.cupy.plays import _arithmetic, observed, on_device
from gpuedu.exercises.cupy.standins import (
    elementwise_on_machine,
    kernel_refusals_told,
)
from gpuedu.exercises.cupy.watching import watch


def play_elementwise(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the kernel made of ``x``, its launches, its bytes, and its float64 arithmetic."""
    (gelu,) = answers
    kernel = elementwise_on_machine(gelu)
    with kernel_refusals_told():
        watched = watch(kernel, on_device(inputs["x"]))
    return {
        **observed("gelu", watched.result),
        **_arithmetic(kernel.last_trace),
        "launches": len(watched.launches),
        "moved_bytes": watched.moved_bytes,
    }


PLAY = Play(
    (Answer("gelu", signature=("x",)),), play_elementwise, time_limit_s=30.0, on_machine=True
)
