"""three-utilisations: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import number


def play_three_utilisations(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The three shares of one window; the list is copied for each, so that none can spoil it."""
    gpu_util, sm_active, memory_share = answers
    window = inputs["start_s"], inputs["end_s"]
    kernels = inputs["kernels"]
    calls = {
        "gpu_util": lambda: gpu_util(list(kernels), *window),
        "sm_active": lambda: sm_active(list(kernels), *window, inputs["sms"]),
        "memory_share": lambda: memory_share(list(kernels), *window, inputs["peak_bytes_per_s"]),
    }
    return {name: number(call(), f"{name}'s result") for name, call in calls.items()}


_WINDOW = ("kernels", "start_s", "end_s")


PLAY = Play(
    (
        Answer("gpu_util", signature=_WINDOW),
        Answer("sm_active", signature=(*_WINDOW, "sms")),
        Answer("memory_share", signature=(*_WINDOW, "peak_bytes_per_s")),
    ),
    play_three_utilisations,
)
