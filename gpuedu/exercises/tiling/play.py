"""Plays of the lesson tiling: each runs the learner's function or kernel on one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play, on_machine
from gpuedu.exercises.kernels.launching import observe, run_kernel, writers
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.traffic import array_traffic, loads_by_block, shared_traffic
from gpuedu.exercises.plain import number, numbers, text
from gpuedu.exercises.tiling.precision import compiled_float64, float64_lines, trace_flop
from gpuedu.trace import Trace

Inputs = Mapping[str, Any]
_MOST_BLOCKS = 4
"""A grid may have so many times the blocks that it needs."""


def play_roofline(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Two intensities of a kernel, a rate with its limit, or the entries of the learner's dict."""
    intensities, attainable, limits = answers
    ask = inputs["ask"]
    if ask == "counts":
        pair = intensities(dict(inputs["counts"]))
        return {"pair": numbers(pair, 2, "what `intensities` returned")}
    if ask == "rates":
        got = attainable(inputs["l1"], inputs["memory"], dict(inputs["device"]))
        if type(got) not in (tuple, list) or len(got) != 2:
            raise AnswerError("`attainable` should return two things: a rate, and the limit's name")
        return {"rate": number(got[0], "the rate"), "name": text(got[1], "the name of the limit")}
    return {name: _entry(limits, name) for name in inputs["names"]}


def _entry(limits: Mapping[str, Any], name: str) -> str:
    if name not in limits:
        raise AnswerError(f"the dict has no entry for {name!r}")
    return text(limits[name], f"the entry for {name!r}")


def play_naive(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``c`` after a launch with the learner's grid, who wrote what, and the traffic."""
    blocks_for, matmul_naive = answers
    rows, columns = inputs["c"].shape
    grid = grid_of(blocks_for, rows, columns)
    trace = _launch(matmul_naive, grid, inputs)
    return {
        **_seen(trace, inputs),
        **_global_traffic(trace),
        **_arithmetic(trace, inputs),
        "grid": list(grid),
    }


def grid_of(blocks_for: Any, rows: int, columns: int) -> tuple[int, int]:
    """The learner's grid for a result of this shape; AnswerError where none can be launched."""
    given = blocks_for(rows, columns)
    call = f"`blocks_for({rows}, {columns})`"
    pair = numbers(given, 2, call)
    if any(isinstance(value, float) for value in pair):
        raise AnswerError(
            f"{call} gave {tuple(pair)}, and a launch takes whole numbers, of type int",
            remedy="`/` and `np.ceil` give floats; `//` and `math.ceil` give ints.",
        )
    grid = (int(pair[0]), int(pair[1]))
    needed = -(-rows // 32) * -(-columns // 32)
    if min(grid) < 1 or grid[0] * grid[1] > _MOST_BLOCKS * needed:
        raise AnswerError(
            f"{call} gave {grid}, and a block has 32 x 32 threads",
            remedy="How many blocks does it take along x, and along y, to have a thread for each "
            "element of `c`? Whole blocks, rounded up.",
        )
    return grid


def play_tiled(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``c`` after a launch of tiles, who wrote what, what each block read, and the traffic."""
    (matmul,) = answers
    rows, columns = inputs["c"].shape
    trace = _launch(matmul, (-(-columns // 32), -(-rows // 32)), inputs)
    return {
        **_seen(trace, inputs),
        **_global_traffic(trace),
        **_arithmetic(trace, inputs),
        "shared_traffic": shared_traffic(trace),
        "a_loads": loads_by_block(trace, 0, inputs["a"].size),
        "b_loads": loads_by_block(trace, 1, inputs["b"].size),
    }


def _launch(kernel: Any, grid: tuple[int, int], inputs: Inputs) -> Trace:
    blocks = LaunchShape(grid, (32, 32)).blocks
    arrays = (inputs[name] for name in "abc")
    return run_kernel(kernel, grid, (32, 32), *arrays, watch=range(blocks))


def _seen(trace: Trace, inputs: Inputs) -> dict[str, Any]:
    arrays = {name: inputs[name] for name in "abc"}
    return {**observe(trace, arrays), **writers(trace, 2, inputs["c"].size)}


def _global_traffic(trace: Trace) -> dict[str, Any]:
    return {f"{name}_traffic": array_traffic(trace, at) for at, name in enumerate("abc")}


def _arithmetic(trace: Trace, inputs: Inputs) -> dict[str, Any]:
    """Floating-point operations, and the lines that do them in float64."""
    lines = float64_lines(trace, inputs["a"].shape[1])
    return {"flop": int(trace_flop(trace)), "float64_lines": lines}


def play_accumulate(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the compiler made of the kernel; or ``out`` after a launch, and where float64 is."""
    (rms_norm,) = answers
    if inputs["ask"] == "compiled":
        return {"float64": compiled_float64(rms_norm)}
    x, w, out, blocks = inputs["x"], inputs["w"], inputs["out"], inputs["blocks"]
    trace = run_kernel(rms_norm, blocks, inputs["threads"], x, w, out, watch=range(blocks))
    return {
        **observe(trace, {"x": x, "w": w, "out": out}),
        **writers(trace, 2, out.size),
        "float64_lines": float64_lines(trace, np.shape(x)[0]),
    }


_MATMUL = ("a", "b", "c")
PLAYS = on_machine(
    {
        "roofline": Play(
            (
                Answer("intensities", signature=("counts",)),
                Answer("attainable", signature=("per_l1_byte", "per_memory_byte", "device")),
                Answer("limits", dict),
            ),
            play_roofline,
        ),
        "naive": Play(
            (
                Answer("blocks_for", signature=("rows", "columns")),
                Answer("matmul_naive", signature=_MATMUL),
            ),
            play_naive,
            time_limit_s=30.0,
        ),
        "accumulate-in-float32": Play(
            (Answer("rms_norm", signature=("x", "w", "out")),), play_accumulate, time_limit_s=30.0
        ),
        "tiled": Play((Answer("matmul_tiled", signature=_MATMUL),), play_tiled, time_limit_s=30.0),
        "any-shape": Play((Answer("matmul", signature=_MATMUL),), play_tiled, time_limit_s=30.0),
    }
)
