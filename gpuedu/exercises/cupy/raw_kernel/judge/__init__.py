"""raw-kernel: a grid-stride loop in CUDA C, with its types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gpuedu.exercises.arrays.properties import in_float32
from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction
from gpuedu.exercises.kernels.faults import ENDLESS, hazard_faults
from gpuedu.exercises.kernels.properties import (
    inside,
    right_values,
    unless_idle,
    whole_sectors,
    written_once,
)
from gpuedu.exercises.kernels.shapes import LaunchShape

_EPSILON = float(np.finfo(np.float32).eps)
_COSTS = (1024, 4, 64)
_LAUNCHES = (
    # n, blocks, threads of a block; the first decides what it costs
    _COSTS,
    (10, 4, 64),
    (1100, 1, 32),
    (1, 1, 32),
    (129, 2, 64),
    (257, 2, 128),
    (997, 3, 96),
    (70_001, 32, 128),
    (0, 2, 32),
)
_RIGHT = ("every", "once", "inside", "single")


def cases(rng: np.random.Generator) -> list[Case]:
    """More pixels than threads and fewer, lengths that nothing divides, and none."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "pixels": rng.integers(0, 256, n).astype(np.uint8),
        "out": rng.uniform(100, 200, n).astype(np.float32),  # no result is that large
        "mean": np.float32(rng.uniform(0.3, 0.6)),
        "std": np.float32(rng.uniform(0.2, 0.4)),
        "n": np.int32(n),
        "grid": blocks,
        "block": threads,
    }
    decides = _RIGHT + (("sectors",) if (n, blocks, threads) == _COSTS else ())
    if not n:
        decides = ("every", "once", "inside")
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs, decides)


def normalized(inputs: Inputs) -> np.ndarray:
    """(n,) float64: pixels as numbers from 0 to 1, minus the mean, over the deviation."""
    pixels, mean, std = (inputs[name].astype(np.float64) for name in ("pixels", "mean", "std"))
    return (pixels / 255 - mean) / std


def ends(case: Case, observed: Plain) -> Iterator[Fault]:
    """A launch that does not come to its end is not right."""
    turns = (
        "What changes from one iteration to the next, and does every thread's condition become "
        "false?"
    )
    yield from hazard_faults(observed, {ENDLESS: "every"}, {"runaway-loop": turns})


_SINGLE = in_float32(1)

JUDGE = Judge(
    title="The same loop in CUDA C",
    properties=(
        right_values(
            "every",
            "every element of `out` is right, for any n and any launch",
            1,
            normalized,
            tolerance=lambda inputs: 8 * _EPSILON / inputs["std"],
            leaves=("pixels",),
        ),
        written_once(1),
        inside(1),
        replace(_SINGLE, test=unless_idle("single", _SINGLE.test)),
        whole_sectors(
            "sectors",
            "neighbors read and write neighbors: whole sectors",
            1,
            "pixels",
            "load",
            also={"out": "store"},
        ),
    ),
    hints=(
        "You have written this loop in Python, with `cuda.grid(1)` and `cuda.gridsize(1)`. What "
        "are they in terms of `blockIdx.x`, `blockDim.x`, `threadIdx.x` and `gridDim.x`?",
        "A `for` in C has three parts: `for (int i = first; i < n; i += step)`. `pixels[i] / 255` "
        "divides whole numbers, `255.0` is a double: what is a 255 that is a float?",
        "`first` is `blockIdx.x * blockDim.x + threadIdx.x`, `step` is `blockDim.x * gridDim.x`; "
        "in the loop, `out[i]` from `pixels[i] / 255.0f`, `mean` and `std`.",
    ),
    results=("every",),
    cases=cases,
    verdict=ends,
    varies=("flop", "flop64", "line64"),
    predictions={
        "raw-kernel": Prediction(
            "in CUDA C, what is `7 / 2 * 2.0f`?",
            truth=6,
            exact=True,
            because="`7 / 2` comes first, and both are whole numbers: 3. Then 3 becomes 3.0f.",
        )
    },
)
