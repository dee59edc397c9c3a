"""Plays of the lesson welcome: each calls the learner's functions on one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.clock import AsyncDevice
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.plain import number, whole_number


def play_first_check(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Bytes that a copy of ``n`` elements moves."""
    (copied_bytes,) = answers
    return {"bytes": whole_number(copied_bytes(inputs["n"], inputs["itemsize"]))}


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


def play_bandwidth(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """GB/s that a kernel reached."""
    (bandwidth_gb_per_s,) = answers
    got = bandwidth_gb_per_s(inputs["kernel"], inputs["n"], inputs["itemsize"], inputs["time_s"])
    return {"gb_per_s": number(got, "the bandwidth")}


def play_launch_bound(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The launch's share of the time, or the work that makes it small."""
    launch_share, elements_for_share = answers
    launch_s, rate = inputs["launch_s"], inputs["elements_per_s"]
    if inputs["ask"] == "share":
        return {"share": number(launch_share(launch_s, rate, inputs["n"]), "the share")}
    got = elements_for_share(launch_s, rate, inputs["share"])
    return {"n": whole_number(got, "the number of elements")}


PLAYS = {
    "first-check": Play((Answer("copied_bytes", signature=("n", "itemsize")),), play_first_check),
    "honest-timer": Play(
        (Answer("median_time_s", signature=("launch", "sync", "warmup", "repeats", "now")),),
        play_honest_timer,
        observes="waits for a simulated device and its clock",
    ),
    "bandwidth": Play(
        (Answer("bandwidth_gb_per_s", signature=("kernel", "n", "itemsize", "time_s")),),
        play_bandwidth,
    ),
    "launch-bound": Play(
        (
            Answer("launch_share", signature=("launch_s", "elements_per_s", "n")),
            Answer("elements_for_share", signature=("launch_s", "elements_per_s", "share")),
        ),
        play_launch_bound,
    ),
}
