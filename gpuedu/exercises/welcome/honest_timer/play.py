"""honest-timer: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.clock import AsyncDevice
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import number


def simulated_device(inputs: Mapping[str, Any]) -> AsyncDevice:
    """The device that a case of honest-timer runs on."""
    return AsyncDevice(
        list(inputs["kernel_times_s"]), launch_s=inputs["launch_s"], busy_s=inputs["busy_s"]
    )


def play_honest_timer(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The learner's timer on a simulated device, with what happened on it."""
    (median_time_s,) = answers
    device = simulated_device(inputs)
    result = median_time_s(
        device.launch, device.sync, inputs["warmup"], inputs["repeats"], device.now
    )
    return {
        "time_s": number(result, "the time"),
        "events": [(event.kind, event.start_s, event.end_s) for event in device.events],
    }


PLAY = Play(
    (Answer("median_time_s", signature=("launch", "sync", "warmup", "repeats", "now")),),
    play_honest_timer,
    on_machine=True,
)
