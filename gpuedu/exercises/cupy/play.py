"""Plays of the lesson cupy: each runs the learner's code on arrays, or a machine, that count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play, on_machine
from gpuedu.exercises.cupy.standins import (
    elementwise_on_machine,
    kernel_refusals_told,
    reduction_on_machine,
    require_raw_kernel,
)
from gpuedu.exercises.cupy.watching import Watched, library_of, on_host, plain_copies, watch
from gpuedu.exercises.kernels.launching import observe, run_kernel, writers
from gpuedu.exercises.kernels.traffic import array_traffic
from gpuedu.lens.listing import line_texts
from gpuedu.trace import Trace

Inputs = Mapping[str, Any]


ARGUMENTS = {
    "squared_distances": ("queries", "points"),
    "vote": ("distances", "labels", "k", "classes"),
}
"""What each function of no-loops is called with, behind ``xp``."""

GROWTH = 4
"""How many times as many points, and then queries, a case of no-loops is tried with."""


def play_no_loops(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Distances or votes with one of the libraries, and what they cost on the device."""
    name = inputs["ask"]
    function = dict(zip(ARGUMENTS, answers, strict=True))[name]
    given = [inputs[argument] for argument in ARGUMENTS[name]]
    if inputs["library"] == "numpy":
        return _observed(name, function(np, *given))
    watched = watch(function, *_device_arguments(given))
    seen = {
        **_observed(name, watched.result),
        "copies": plain_copies(watched),
        "launches": [len(watched.launches)],
        "extra_bytes": watched.extra_bytes,
    }
    if inputs["grows"]:
        for axis in (1, 0):
            grown = _device_arguments(_grown(name, given, axis))
            seen["launches"].append(len(watch(function, *grown).launches))
    # The last, since nobody counts what a function does with the device in this call.
    fresh = [one.copy() if isinstance(one, np.ndarray) else one for one in given]
    seen["on_numpy"] = _observed(name, function(np, *fresh))["result"]
    return seen


def _device_arguments(given: Sequence[Any]) -> list[Any]:
    from gpuedu.arrays import cupy as cp

    return [cp, *(cp.asarray(one) if isinstance(one, np.ndarray) else one for one in given)]


def _grown(name: str, given: Sequence[Any], axis: int) -> list[Any]:
    """The same with GROWTH times as many points (axis 1) or queries (axis 0)."""
    if name == "squared_distances":
        return [np.tile(one, (GROWTH, 1)) if at == axis else one for at, one in enumerate(given)]
    distances, labels, *numbers = given
    if axis == 0:
        return [np.tile(distances, (GROWTH, 1)), labels, *numbers]
    return [np.tile(distances, (1, GROWTH)), np.tile(labels, GROWTH), *numbers]


def _observed(name: str, result: Any) -> dict[str, Any]:
    return {"result": on_host(result, name), "library": library_of(result)}


def play_stay_on_device(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The probabilities, and every copy between host and device."""
    (predict_on_device,) = answers
    watched = watch_pipeline(predict_on_device, inputs["x"], inputs["w"])
    return {
        **_observed("predict_on_device", watched.result),
        "copies": plain_copies(watched),
        "launches": len(watched.launches),
    }


def watch_pipeline(pipeline: Any, x: np.ndarray, w: np.ndarray) -> Watched:
    """A call of ``pipeline(cp, x, d_w)`` with ``x`` on the host and ``w`` on the device."""
    from gpuedu.arrays import cupy as cp

    return watch(pipeline, cp, x, cp.asarray(w))


def play_elementwise(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the kernel made of ``x``, its launches, its bytes, and its float64 arithmetic."""
    (gelu,) = answers
    kernel = elementwise_on_machine(gelu)
    with kernel_refusals_told():
        watched = watch(kernel, _on_device(inputs["x"]))
    return {
        **_observed("gelu", watched.result),
        **_arithmetic(kernel.last_trace),
        "launches": len(watched.launches),
        "moved_bytes": watched.moved_bytes,
    }


def play_reduction(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the kernel made of the rows of ``x``, and its float64 arithmetic."""
    (logsumexp,) = answers
    kernel = reduction_on_machine(logsumexp)
    with kernel_refusals_told():
        result = kernel(_on_device(inputs["x"]), axis=1)
    return {**_observed("logsumexp", result), **_arithmetic(kernel.last_trace)}


def _on_device(array: np.ndarray) -> Any:
    from gpuedu.arrays import cupy as cp

    return cp.asarray(array)


def _arithmetic(trace: Trace | None) -> dict[str, Any]:
    """Floating-point operations, those in float64, and the first line that has some."""
    if trace is None:
        return {"flop": 0, "flop64": 0, "line64": ""}
    in_double = [line.place for line in trace.lines if line.flop.get("float64")]
    texts = line_texts(trace.launch)
    return {
        "flop": sum(sum(line.flop.values()) for line in trace.lines),
        "flop64": sum(line.flop.get("float64", 0) for line in trace.lines),
        "line64": texts.get(in_double[0], "").strip() if in_double else "",
    }


@contextmanager
def _types_told() -> Iterator[None]:
    """Where a parameter does not fit what is passed, it is the parameter that has to change."""
    try:
        yield
    except AnswerError as fault:
        if "argument" not in fault.message or "cannot be compiled" in fault.message:
            raise
        fits = "What is passed is fixed here: the parameters have to be those that the text names."
        raise AnswerError(fault.message, remedy=fits) from None


def play_raw_kernel(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out`` after a launch of any shape, who wrote what, the traffic, and the arithmetic."""
    (normalise,) = answers
    require_raw_kernel(normalise)
    pixels, out, blocks = inputs["pixels"], inputs["out"], inputs["blocks"]
    numbers = np.float32(inputs["mean"]), np.float32(inputs["std"]), np.int32(pixels.size)
    turns = pixels.size + 200  # a thread that does it all is not endless
    with _types_told():
        trace = run_kernel(
            normalise,
            blocks,
            inputs["threads"],
            pixels,
            out,
            *numbers,
            watch=range(blocks),
            max_turns=turns,
        )
    return {
        **_arithmetic(trace),
        **observe(trace, {"pixels": pixels, "out": out}),
        **writers(trace, 1, out.size),
        "pixels_traffic": array_traffic(trace, 0),
        "out_traffic": array_traffic(trace, 1),
    }


PLAYS = on_machine(
    {
        "no-loops": Play(
            (
                Answer("squared_distances", signature=("xp", "queries", "points")),
                Answer("vote", signature=("xp", "distances", "labels", "k", "classes")),
            ),
            play_no_loops,
            time_limit_s=30.0,
        ),
        "stay-on-device": Play(
            (Answer("predict_on_device", signature=("cp", "x", "d_w")),), play_stay_on_device
        ),
        "elementwise": Play(
            (Answer("gelu", signature=("x",)),), play_elementwise, time_limit_s=30.0
        ),
        "reduction": Play(
            (Answer("logsumexp", signature=("x",)),), play_reduction, time_limit_s=30.0
        ),
        "raw-kernel": Play(
            (Answer("normalise", signature=("grid", "block", "args")),),
            play_raw_kernel,
            time_limit_s=30.0,
        ),
    }
)
