"""transpose: through a tile in shared memory, whole sectors on both sides, no bank conflict."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.costs import conflict_faults, sector_faults
from gpuedu.exercises.kernels.faults import (
    BELOW,
    LOOPS,
    OUTSIDE,
    RACE,
    WAITS,
    hazard_faults,
    idle_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.exercises.memory.tiles import TILE, swap_in_tiles, tiles_in_place

_COSTS = ((64, 96), (96, 32))
_SHAPES = (
    # rows, columns; the first two decide what it costs
    *_COSTS,
    (33, 65),
    (65, 33),
    (31, 40),
    (1, 70),
    (70, 1),
    (1, 1),
)
_RIGHT = ("every", "inside", "waits")


_OF_TILE = re.compile(r"has the shape \(3[2-9], 3[2-9]\)")
"""No case has a matrix of such a shape."""

_BRING = "Bring each tile of `m` to `cuda.shared.array` first."

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


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values, the bounds, who waits for whom, then sectors and banks."""
    yield from hazard_faults(observed, {LOOPS: "every"})
    m = case.inputs["m"]
    yield from array_fault(
        "every",
        observed["out"],
        m.T.astype(np.float64),
        tolerance=0,
        cause=_cause(case, observed),
    )
    yield from wrapped_faults("every", observed)
    if not np.array_equal(observed["m"], m):
        yield Fault("every", "`m` was changed by the kernel", "Where does the result go?")
    yield from hazard_faults(observed, {OUTSIDE: "inside", WAITS: "waits"}, _question)
    yield from idle_faults(observed, ("inside", "waits"))
    shared = read_traffic(observed["shared_traffic"])
    if not shared.requests:
        yield Fault("waits", "no thread used shared memory, so this shows nothing yet", _BRING)
    if "banks" in case.decides:
        yield from _costs(observed)


def _costs(observed: Plain) -> Iterable[Fault]:
    m, out = (read_traffic(observed[f"{name}_traffic"]) for name in ("m", "out"))
    yield from sector_faults("reads", m, "load", "m", cause=_ROW)
    yield from sector_faults("writes", out, "store", "out", cause=_ROW)
    yield from conflict_faults(
        "banks",
        read_traffic(observed["shared_traffic"]),
        cause="Word k of the tile lies in bank k % 32. How far are the words of a column "
        "apart, and how far would they be if a row of the tile were longer by one?",
        unused=_BRING,
    )


def _question(seen: Sighting) -> str:
    if seen.kind in RACE:
        return (
            "What stands between the line that fills the tile and the line that reads it? (A "
            "barrier is a call, with parentheses.)"
        )
    if seen.kind == "uninitialised-read":
        return (
            "Which thread should have put that element into the tile? Look at the order of the "
            "indices and at the guards: the tile at the edge is not full."
        )
    if seen.kind == "divergent-barrier":
        return "All threads of a block have to come to the barrier, also those without an element."
    if seen.kind == "negative-index":
        return BELOW
    if _OF_TILE.search(seen.message):
        return (
            "Every block has a tile of its own. Which indices begin at 0 in each block, and which "
            "run over the whole matrix?"
        )
    if seen.array and len(seen.index) == 2:
        return (
            "Reading and writing each need a guard of their own: the rows of `out` are the columns "
            "of `m`."
        )
    return seen.remedy


def _cause(case: Case, observed: Plain) -> str:
    got, m = observed["out"], case.inputs["m"]
    if not observed["times"].any():
        return "Which line writes into `out`?"
    if got.shape == m.T.shape and np.array_equal(got, tiles_in_place(m, case.inputs["out"])):
        return (
            "The tiles are in the right places, but inside of each, rows and columns are not "
            "exchanged. With which indices is the tile written, and with which is it read?"
        )
    if np.array_equal(got, swap_in_tiles(m, case.inputs["out"])):
        return (
            "Inside of each tile it is right, but the tile of block (x, y) was written where it "
            "was read. Where in `out` does it belong?"
        )
    wrong = np.argwhere(got != m.T)
    if len(wrong) and np.isnan(got[tuple(wrong[0])]):
        return "NaN is what the machine leaves in shared memory that nobody has written."
    if (observed["times"] == 0).any():
        return (
            "It was not written. Which thread should write it: does a guard keep that thread out, "
            "or has it left the kernel?"
        )
    return "Follow this element: where does a thread put it into the tile, and who takes it out?"


JUDGE = Judge(
    title="A transpose through a tile",
    properties=(
        Property("every", "`out[j, i]` is `m[i, j]`, for any shape", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("waits", "no thread reads from the tile what is not there yet", 1),
        Property("reads", "`m` is read in whole sectors", 1),
        Property("writes", "`out` is written in whole sectors", 1),
        Property("banks", "no bank conflict", 1),
    ),
    hints=(
        "A block reads the tile at block row `blockIdx.y` and block column `blockIdx.x` of `m`. At "
        "which block row and block column of `out` must it write?",
        "For the write, compute row and column anew: the row of `out` is "
        "`32 * blockIdx.x + threadIdx.y`, its column `32 * blockIdx.y + threadIdx.x`. Then "
        "threadIdx.x goes along a row both times, and the exchange happens in the tile.",
        "`tile[y, x] = m[row, column]` under a guard, `cuda.syncthreads()` outside of it, new row "
        "and column, then `out[row, column] = tile[x, y]` under a guard with `out.shape`. The tile "
        "is `cuda.shared.array((32, 33), float32)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "transpose": Prediction(
            "a warp reads a column of a (32, 32) float32 tile: how many passes?",
            truth=32,
            unit="passes",
            because="The words of a column are 32 apart, so all lie in one bank, and a bank gives "
            "out one word in a pass.",
        ),
        "transpose-33": Prediction(
            "and of a (32, 33) tile?",
            truth=1,
            unit="passes",
            because="Now they are 33 apart: each row begins one bank further on, and 32 rows use "
            "32 different banks.",
        ),
    },
)
