"""Plays of the lesson memory: each launches the learner's kernel on one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play, on_machine
from gpuedu.exercises.kernels.launching import observe, run_kernel, writers
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import (
    array_traffic,
    costliest_request,
    loads_by_block,
    shared_traffic,
)
from gpuedu.exercises.plain import describe, whole_number

Inputs = Mapping[str, Any]


def play_coalesced_copy(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``dst`` after a launch of any shape, who wrote what, how often ``src`` was read, traffic."""
    (copy,) = answers
    src, dst, blocks = inputs["src"], inputs["dst"], inputs["blocks"]
    turns = src.size + 200  # a thread that does it all is not endless
    trace = run_kernel(
        copy, blocks, inputs["threads"], src, dst, watch=range(blocks), max_turns=turns
    )
    return {
        **observe(trace, {"src": src, "dst": dst}),
        **writers(trace, 1, dst.size),
        "loads": loads_by_block(trace, 0, src.size).sum(axis=0),
        "src_traffic": array_traffic(trace, 0),
        "dst_traffic": array_traffic(trace, 1),
        "together": costliest_request(trace, 0),
    }


def play_aos_to_soa(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The learner's arrangement of a table, or ``out`` after a launch that reads from it."""
    to_soa, speed_squared = answers
    table = inputs["table"]
    fields = to_soa(table)
    _require_fields(fields, table.shape)
    seen = {
        "fields": np.ascontiguousarray(fields),
        "step_bytes": int(fields.strides[1]),
        "table": table.copy(),
    }
    if inputs["ask"] == "layout":
        return seen
    out, blocks = inputs["out"], inputs["blocks"]
    before = fields.copy()
    trace = run_kernel(speed_squared, blocks, inputs["threads"], fields, out, watch=range(blocks))
    return {
        **seen,
        **observe(trace, {"out": out}),
        **writers(trace, 1, out.size),
        "changed": not np.array_equal(before, fields),
        "fields_traffic": array_traffic(trace, 0),
        "out_traffic": array_traffic(trace, 1),
        "together": costliest_request(trace, 0),
    }


def _require_fields(fields: Any, shape: tuple[int, int]) -> None:
    n, many = shape
    if type(fields) is not np.ndarray:
        raise AnswerError(f"`to_soa` should return an array, got {describe(fields)}")
    if fields.shape != (many, n) or fields.dtype != np.float32:
        raise AnswerError(
            f"`to_soa` got a table of shape {shape} and should return a float32 array of shape "
            f"{(many, n)}, got {fields.dtype} of shape {fields.shape}",
            remedy=_why_no_fields(fields, (many, n)),
        )


def _why_no_fields(fields: np.ndarray, shape: tuple[int, int]) -> str:
    if fields.shape != shape:
        return "One row for each field, one column for each particle."
    size_bytes = fields.dtype.itemsize
    more = f": {fields.dtype} takes {size_bytes} bytes a number, float32 4" * (size_bytes != 4)
    return f"The shape is right, the type is not{more}. Which call changed it?"


def play_transpose(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out`` after a launch of tiles, who wrote what, and the traffic of both memories."""
    (transpose,) = answers
    m, out = inputs["m"], inputs["out"]
    shape = LaunchShape(inputs["grid"], inputs["block"])
    trace = run_kernel(transpose, shape.grid, shape.block, m, out, watch=range(shape.blocks))
    return {
        **observe(trace, {"m": m, "out": out}),
        **writers(trace, 1, out.size),
        "m_traffic": array_traffic(trace, 0),
        "out_traffic": array_traffic(trace, 1),
        "shared_traffic": shared_traffic(trace),
    }


def play_stencil(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``out`` after a launch, who wrote what, and how often each block read each input."""
    (smooth,) = answers
    x, w, out, blocks = inputs["x"], inputs["w"], inputs["out"], inputs["blocks"]
    trace = run_kernel(smooth, blocks, inputs["threads"], x, w, out, watch=range(blocks))
    return {
        **observe(trace, {"x": x, "w": w, "out": out}),
        **writers(trace, 2, out.size),
        "loads": loads_by_block(trace, 0, x.size),
        "x_traffic": array_traffic(trace, 0),
        "shared_traffic": shared_traffic(trace),
    }


def play_uninitialised(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What was found, or the mended kernel on one case."""
    found, block_sums = answers
    if inputs["ask"] == "found":
        return {key: _entry(found, key) for key in inputs["keys"]}
    x, out, blocks = inputs["x"], inputs["out"], inputs["blocks"]
    trace = run_kernel(block_sums, blocks, inputs["threads"], x, out, watch=range(blocks))
    return {
        **observe(trace, {"x": x, "out": out}),
        **writers(trace, 1, out.size),
        "shared_traffic": shared_traffic(trace),
    }


def _entry(found: Mapping[str, Any], key: str) -> int:
    if key not in found:
        raise AnswerError(f"the dict has no entry for {key!r}")
    return whole_number(found[key], f"the entry for {key!r}")


PLAYS = on_machine(
    {
        "coalesced-copy": Play(
            (Answer("copy_striped", signature=("src", "dst")),),
            play_coalesced_copy,
            time_limit_s=30.0,
        ),
        "aos-to-soa": Play(
            (
                Answer("to_soa", signature=("table",)),
                Answer("speed_squared", signature=("fields", "out")),
            ),
            play_aos_to_soa,
        ),
        "transpose": Play(
            (Answer("transpose", signature=("m", "out")),), play_transpose, time_limit_s=30.0
        ),
        "stencil": Play(
            (Answer("smooth", signature=("x", "w", "out")),), play_stencil, time_limit_s=30.0
        ),
        "uninitialised": Play(
            (Answer("found", dict), Answer("block_sums", signature=("x", "out"))),
            play_uninitialised,
        ),
    }
)
