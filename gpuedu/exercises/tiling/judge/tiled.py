"""tiled: a matmul through tiles in shared memory, for shapes that are whole tiles."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.faults import LOOPS, OUTSIDE, WAITS, hazard_faults, idle_faults
from gpuedu.exercises.tiling.judge.products import (
    draw_matrices,
    float64_faults,
    is_right,
    value_faults,
)
from gpuedu.exercises.tiling.judge.tiles import (
    ask_about,
    bank_faults,
    intensity_note,
    once_faults,
    sector_faults,
    unshared_faults,
)

_SHAPES = ((64, 96, 96), (96, 32, 64), (64, 64, 64), (32, 32, 32))
_COSTS = _SHAPES[:2]


def cases(rng: np.random.Generator) -> list[Case]:
    """Several tiles along each side, a square one, and a single tile."""
    found = []
    for m, n, k in _SHAPES:
        decides = ("every", "waits")
        if (m, n, k) in _COSTS:
            decides += ("float32", "once", "sectors", "banks")
        found.append(Case(f"M, N, K = {m}, {n}, {k}", draw_matrices(rng, m, n, k), decides))
    return found


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Values, who waits for whom, then what it costs in both memories."""
    yield from hazard_faults(observed, {LOOPS | OUTSIDE: "every"}, ask_about)
    yield from value_faults("every", case.inputs, observed, _CAUSE)
    yield from hazard_faults(observed, {WAITS: "waits"}, ask_about)
    yield from idle_faults(observed, ("waits",), "c")
    yield from unshared_faults(observed, ("waits",))
    if "once" not in case.decides:
        return
    yield from idle_faults(observed, ("float32", "once", "sectors", "banks"), "c")
    yield from float64_faults("float32", observed)
    yield from once_faults("once", case, observed)
    yield from sector_faults("sectors", case, observed)
    yield from bank_faults("banks", observed)
    shape = (*case.inputs["c"].shape, case.inputs["a"].shape[1])
    if shape == _SHAPES[0] and is_right(case.inputs, observed):
        yield intensity_note(case, observed)


_CAUSE = (
    "Follow one element: in turn t of the outer loop, which columns of `a` and which rows of `b` "
    "are in the tiles, and which row of one goes with which column of the other?"
)
JUDGE = Judge(
    title="A matmul through tiles",
    properties=(
        Property("every", "`c` is `a @ b`, for whole tiles", 2),
        Property("waits", "no thread reads or overwrites a tile too early", 2),
        Property("float32", "the sum is in float32", 1),
        Property("once", "no block reads an element of `a` or `b` twice from global memory", 1),
        Property("sectors", "global memory is asked for whole sectors", 1),
        Property("banks", "no bank conflict", 1),
    ),
    hints=(
        "In turn t, a block needs columns 32t to 32t + 31 of its rows of `a`. Which rows of `b` "
        "go with them, and how many turns does it take for all K?",
        "Each thread brings `a[i, first + x]` to place (y, x) of one tile, and `b[first + y, j]` "
        "to (y, x) of the other. Barrier. Each thread adds 32 products: row y of one tile, column "
        "x of the other. Barrier. Then the next turn.",
        "`for first in range(0, a.shape[1], 32):` fill `tile_a[y, x]` and `tile_b[y, x]`, "
        "`cuda.syncthreads()`, `for k in range(32): total += tile_a[y, k] * tile_b[k, x]`, "
        "`cuda.syncthreads()`. Behind the outer loop, `c[i, j] = total`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "tiled": Prediction(
            "M = N = K = 128, a thread for each element, no tiles: how many threads read `a[0, 0]` "
            "from global memory?",
            truth=128,
            unit="threads",
            because="Each of the 128 threads of row 0 of `c` reads it.",
        ),
        "tiled-32": Prediction(
            "and with tiles of 32 x 32?",
            truth=4,
            unit="threads",
            because="Four blocks lie along row 0 of `c`, and in each of them one thread brings it.",
        ),
    },
)
