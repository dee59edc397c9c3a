"""bandwidth: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import number


def play_bandwidth(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """GB/s that a kernel reached."""
    (bandwidth_gb_per_s,) = answers
    got = bandwidth_gb_per_s(inputs["kernel"], inputs["n"], inputs["itemsize"], inputs["time_s"])
    return {"gb_per_s": number(got, "the bandwidth")}


PLAY = Play(
    (Answer("bandwidth_gb_per_s", signature=("kernel", "n", "itemsize", "time_s")),),
    play_bandwidth,
)
