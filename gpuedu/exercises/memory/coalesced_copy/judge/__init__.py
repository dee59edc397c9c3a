"""coalesced-copy: the same copy with the same threads, in whole sectors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.faults import repeated_faults
from gpuedu.exercises.kernels.properties import (
    inside,
    right_values,
    unless_idle,
    whole_sectors,
    writers_of,
)
from gpuedu.exercises.kernels.shapes import LaunchShape

_COSTS = ((1024, 4, 64), (768, 2, 96), (768, 4, 128), (1024, 3, 64))
_LAUNCHES = (
    # n, blocks, threads of a block; the first four decide what it costs, two of them with
    # a turn of the loop that not all blocks take part in
    *_COSTS,
    (1100, 1, 32),
    (70, 4, 64),
    (1, 1, 32),
    (129, 2, 64),
    (257, 2, 128),
    (257, 8, 32),
    (997, 3, 96),
    (0, 2, 32),
)
_RIGHT = ("every", "once", "inside")


def cases(rng: np.random.Generator) -> list[Case]:
    """Launches that come out even and cost whole sectors at best, then all kinds of others."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(rng: np.random.Generator, n: int, blocks: int, threads: int) -> Case:
    inputs = {
        "src": rng.normal(0, 3, n).astype(np.float32),
        "dst": rng.uniform(100, 200, n).astype(np.float32),
        "grid": blocks,
        "block": threads,
    }
    costs = ("sectors",) if (n, blocks, threads) in _COSTS else ()
    return Case(f"n = {n}, {LaunchShape(blocks, threads)}", inputs, _RIGHT + costs)


def copy(inputs: Inputs) -> np.ndarray:
    """``src`` in float64."""
    return inputs["src"].astype(np.float64)


def _once(case: Case, observed: Plain) -> Iterable[Fault]:
    written = {**writers_of(observed, "dst"), "dst": observed["dst"]}
    shape = LaunchShape(case.inputs["grid"], case.inputs["block"])
    yield from repeated_faults("once", written, shape, name="dst")
    loads = observed["src.loads"]
    again = np.flatnonzero(loads > 1)
    if again.size:
        yield Fault("once", f"`src[{again[0]}]` was read {loads[again[0]]} times")


JUDGE = Judge(
    title="Neighbors should read neighbors",
    properties=(
        right_values(
            "every",
            "every element of `dst` is `src[i]`, for any n and any launch",
            1,
            copy,
            output="dst",
            leaves=("src",),
            must_end=True,
        ),
        Property(
            "once",
            "no element is read or written twice",
            1,
            "Which thread uses that element each time, and in which iteration of its loop?",
            unless_idle("once", _once, "dst"),
        ),
        inside(1, output="dst", asks="What keeps a thread from using an index that is not there?"),
        whole_sectors(
            "sectors",
            "reads and writes come in whole sectors",
            2,
            "src",
            "load",
            also={"dst": "store"},
            output="dst",
        ),
    ),
    hints=(
        "2 blocks of 4 threads, 32 elements. In the blocked copy, thread 1 takes elements 4 to 7. "
        "Which elements do threads 0 to 3 want in their first step, and which would be neighbors?",
        "Let all threads of the grid together take one run of neighboring elements, then all of "
        "them the next run. How long is such a run?",
        "A loop over `range(cuda.grid(1), src.size, cuda.gridsize(1))`, and in it the line that "
        "copies.",
    ),
    results=("every",),
    cases=cases,
    predictions={
        "coalesced-copy": Prediction(
            "`per_thread` is 8: how many sectors does a warp ask for when it runs `src[i]` once?",
            truth=32,
            exact=True,
            unit="sectors",
            because="Neighboring threads are 8 float32 apart, 32 bytes: each lane needs its "
            "own sector, 1,024 bytes for the 128 that are wanted.",
        )
    },
)
