"""transpose: through a tile in shared memory, whole sectors on both sides, no bank conflict."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Inputs, Judge, Prediction
from gpuedu.exercises.kernels.faults import WAITS
from gpuedu.exercises.kernels.properties import (
    all_wait,
    inside,
    no_bank_conflicts,
    right_values,
    whole_sectors,
)
from gpuedu.exercises.kernels.shapes import LaunchShape

TILE = 32
"""Rows and columns of a tile, and threads of a block along each."""

_COSTS = ((64, 96), (96, 32), (40, 72))
_SHAPES = (
    # rows, columns; the first three decide what it costs, the last of them with edges that fill
    # their sectors
    *_COSTS,
    (33, 65),
    (65, 33),
    (31, 40),
    (1, 70),
    (70, 1),
    (1, 1),
)
_RIGHT = ("every", "inside", "waits")
_ROW = "A warp has one `threadIdx.y` and 32 `threadIdx.x`. Which index has x in it, row or column?"


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole tiles first, never square; then edges, a row, a column and a single element."""
    return [_case(rng, *shape) for shape in _SHAPES]


def _case(rng: np.random.Generator, rows: int, columns: int) -> Case:
    inputs = {
        "m": rng.normal(0, 5, (rows, columns)).astype(np.float32),
        "out": rng.uniform(100, 200, (columns, rows)).astype(np.float32),
        "grid": (-(-columns // TILE), -(-rows // TILE)),
        "block": (TILE, TILE),
    }
    costs = ("reads", "writes", "banks") if (rows, columns) in _COSTS else ()
    shape = LaunchShape(inputs["grid"], inputs["block"])
    return Case(f"{rows} x {columns}, {shape}", inputs, _RIGHT + costs)


def transposed(inputs: Inputs) -> np.ndarray:
    """``m`` with rows and columns exchanged, in float64."""
    return inputs["m"].T.astype(np.float64)


JUDGE = Judge(
    title="A transpose through a tile",
    properties=(
        right_values(
            "every",
            "`out[j, i]` is `m[i, j]`, for any shape",
            1,
            transposed,
            leaves=("m",),
            undefined=WAITS,
            must_end=True,
            asks="Which element of `m` belongs there? Follow it on its way: which threads move it, "
            "and with which indices?",
        ),
        inside(
            1,
            asks="Which indices does this array have, and what keeps a thread from using others?",
        ),
        all_wait(
            1,
            says="all threads come to the barrier, and none reads what is not in the tile yet",
            in_shared=True,
        ),
        whole_sectors("reads", "`m` is read in whole sectors", 1, "m", "load", asks=_ROW),
        whole_sectors("writes", "`out` is written in whole sectors", 1, "out", "store", asks=_ROW),
        no_bank_conflicts(
            1,
            says="no bank conflict",
            asks="Word k of the tile lies in bank k % 32. Which words do the 32 threads want at "
            "that moment, and in which banks are those?",
        ),
    ),
    hints=(
        "A block reads the tile at block row `blockIdx.y` and block column `blockIdx.x` of `m`. At "
        "which block row and block column of `out` must it write?",
        "For the write, compute row and column again: the row of `out` is "
        "`32 * blockIdx.x + threadIdx.y`, its column `32 * blockIdx.y + threadIdx.x`. Then "
        "threadIdx.x goes along a row both times, and the exchange happens in the tile.",
        "`tile[y, x] = m[row, column]` under a guard, `cuda.syncthreads()` outside of it, new row "
        "and column, then `out[row, column] = tile[x, y]` under a guard with `out.shape`. The tile "
        "is `cuda.shared.array((32, 33), float32)`.",
    ),
    results=("every",),
    cases=cases,
    predictions={
        "transpose": Prediction(
            "a warp reads a column of a (32, 32) float32 tile: how many passes?",
            truth=32,
            exact=True,
            unit="passes",
            because="The words of a column are 32 apart, so all lie in one bank, and a bank gives "
            "out one word in a pass.",
        ),
        "transpose-33": Prediction(
            "and of a (32, 33) tile?",
            truth=1,
            exact=True,
            unit="passes",
            because="Now they are 33 apart: each row starts one bank further on, and 32 rows use "
            "32 different banks.",
        ),
    },
)
