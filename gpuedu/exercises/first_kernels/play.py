"""Plays of the lesson first-kernels: each launches the learner's kernel on one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play, on_machine
from gpuedu.exercises.kernels.launching import observe, run_kernel, writers
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.plain import describe, whole_number
from gpuedu.trace import Operation, Trace

Inputs = Mapping[str, Any]


def play_thread_index(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out`` and ``a`` after a launch of one block, who wrote what, and the machine's findings."""
    (add_ten,) = answers
    a, out = inputs["a"], inputs["out"]
    trace = run_kernel(add_ten, 1, inputs["threads"], a, out)
    return {**observe(trace, {"a": a, "out": out}), **writers(trace, 1, out.size)}


def play_blocks(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out``, ``x`` and ``y`` after a launch of several blocks, who wrote what, and findings."""
    (saxpy,) = answers
    a, x, y, out = (inputs[name] for name in ("a", "x", "y", "out"))
    blocks = inputs["blocks"]
    trace = run_kernel(saxpy, blocks, inputs["threads"], a, x, y, out, watch=range(blocks))
    return {**observe(trace, {"x": x, "y": y, "out": out}), **writers(trace, 3, out.size)}


def play_launch_shape(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What one of the three functions says."""
    blocks_for, can_launch, empty_lanes = answers
    if inputs["ask"] == "blocks":
        return {"got": _count(blocks_for(inputs["n"], inputs["threads"]), "the number of blocks")}
    if inputs["ask"] == "limits":
        said = can_launch(inputs["grid"], inputs["block"])
        if type(said) not in (bool, np.bool_):
            raise AnswerError(f"`can_launch` should say True or False, got {describe(said)}")
        return {"got": bool(said)}
    return {"got": _count(empty_lanes(inputs["threads"]), "the number of lanes")}


def _count(value: Any, name: str) -> int:
    """A whole number that a launch would take: 8.0 is refused there, too."""
    count = whole_number(value, name)
    if isinstance(value, float):  # NumPy's float64 is one
        raise AnswerError(
            f"{name} should be a whole number of type int, got {describe(float(value))}",
            remedy="A launch refuses a float, even 8.0. `int(...)` makes it whole, `//` keeps it.",
        )
    return count


def play_grid_stride(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out`` after a launch of any shape, who wrote what, and the machine's findings."""
    (square,) = answers
    x, out, blocks = inputs["x"], inputs["out"], inputs["blocks"]
    threads, turns = inputs["threads"], x.size + 200  # a thread that does it all is not endless
    trace = run_kernel(square, blocks, threads, x, out, watch=range(blocks), max_turns=turns)
    return {
        **observe(trace, {"x": x, "out": out}),
        **writers(trace, 1, out.size),
        **_traffic(trace, 1),
    }


def play_two_d_map(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out`` after a launch over a grid of blocks, who wrote what, sectors, and findings."""
    (add_bias,) = answers
    m, bias, out = (inputs[name] for name in ("m", "bias", "out"))
    shape = LaunchShape(inputs["grid"], inputs["block"])
    blocks = range(shape.blocks)
    trace = run_kernel(add_bias, shape.grid, shape.block, m, bias, out, watch=blocks)
    return {
        **observe(trace, {"m": m, "bias": bias, "out": out}),
        **writers(trace, 2, out.size),
        **_traffic(trace, 2),
    }


def _traffic(trace: Trace, position: int) -> dict[str, int]:
    """Requests, sectors and the sectors needed at best of the stores to one argument."""
    name = trace.launch.arguments[position].name
    stores = [s for s in trace.sites if s.array == name and s.operation is Operation.STORE]
    return {
        count: sum(int(getattr(site, count).sum()) for site in stores)
        for count in ("requests", "sectors", "ideal_sectors")
    }


def play_any_order(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``start`` after a launch whose blocks run one after the other in a given order."""
    (starts,) = answers
    lengths, start, blocks = inputs["lengths"], inputs["start"], inputs["blocks"]
    order = inputs["order"]
    trace = run_kernel(
        starts,
        blocks,
        inputs["threads"],
        lengths,
        start,
        order=None if order is None else [int(number) for number in order],
        watch=range(blocks),
    )
    return {
        **observe(trace, {"lengths": lengths, "start": start}),
        **writers(trace, 1, start.size),
    }


def play_mandelbrot(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out`` after a launch over an image, and how often the busiest line ran, by lanes."""
    (mandelbrot,) = answers
    out = inputs["out"]
    shape = LaunchShape(inputs["grid"], inputs["block"])
    view = (inputs[name] for name in ("left", "top", "step", "limit"))
    trace = run_kernel(mandelbrot, shape.grid, shape.block, *view, out, watch=range(shape.blocks))
    return {
        **observe(trace, {"out": out}),
        **writers(trace, 4, out.size),
        "busiest_lanes": max((int(line.lanes.sum()) for line in trace.lines), default=0),
    }


def play_out_of_bounds(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """One entry of what was found, or the mended kernel on one case."""
    found, rises = answers
    if inputs["ask"] == "found":
        key = inputs["key"]
        if key not in found:
            raise AnswerError(f"the dict has no entry for {key!r}")
        return {"got": whole_number(found[key], f"the entry for {key!r}")}
    x, out, blocks = inputs["x"], inputs["out"], inputs["blocks"]
    trace = run_kernel(rises, blocks, inputs["threads"], x, out, watch=range(blocks))
    return {**observe(trace, {"x": x, "out": out}), **writers(trace, 1, out.size)}


PLAYS = on_machine(
    {
        "thread-index": Play((Answer("add_ten", signature=("a", "out")),), play_thread_index),
        "blocks": Play((Answer("saxpy", signature=("a", "x", "y", "out")),), play_blocks),
        "launch-shape": Play(
            (
                Answer("blocks_for", signature=("n", "threads")),
                Answer("can_launch", signature=("grid", "block")),
                Answer("empty_lanes", signature=("threads",)),
            ),
            play_launch_shape,
        ),
        "grid-stride": Play(
            (Answer("square", signature=("x", "out")),), play_grid_stride, time_limit_s=30.0
        ),
        "two-d-map": Play((Answer("add_bias", signature=("m", "bias", "out")),), play_two_d_map),
        "any-order": Play(
            (Answer("starts", signature=("lengths", "start")),), play_any_order, time_limit_s=30.0
        ),
        "mandelbrot": Play(
            (Answer("mandelbrot", signature=("left", "top", "step", "limit", "out")),),
            play_mandelbrot,
            time_limit_s=30.0,
        ),
        "out-of-bounds": Play(
            (Answer("found", dict), Answer("rises", signature=("x", "out"))), play_out_of_bounds
        ),
    }
)
