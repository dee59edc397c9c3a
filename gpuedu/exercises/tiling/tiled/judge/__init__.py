"""tiled: a matmul through tiles in shared memory, for shapes that are whole tiles."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Finding, Judge, Plain, Prediction
from gpuedu.exercises.kernels.faults import LOOPS, OUTSIDE
from gpuedu.exercises.kernels.properties import no_bank_conflicts
from gpuedu.exercises.tiling.judge.products import (
    draw_matrices,
    float32_sum,
    is_right,
    right_product,
)
from gpuedu.exercises.tiling.judge.tiles import intensity_note, reads_once, tiles_wait, whole_rows

_SHAPES = ((64, 96, 96), (96, 32, 64), (64, 64, 64), (32, 32, 32), (32, 32, 1056))
_COSTS = _SHAPES[:2]


def cases(rng: np.random.Generator) -> list[Case]:
    """Several tiles along each side, a square one, a single tile, and very many turns."""
    found = []
    for m, n, k in _SHAPES:
        decides = ("every", "waits")
        if (m, n, k) in _COSTS:
            decides += ("float32", "once", "sectors", "banks")
        found.append(Case(f"M, N, K = {m}, {n}, {k}", draw_matrices(rng, m, n, k), decides))
    return found


def verdict(case: Case, observed: Plain) -> Iterable[Finding]:
    """A note on the intensity of a kernel that is right."""
    shape = (*case.inputs["c"].shape, case.inputs["a"].shape[1])
    if shape == _SHAPES[0] and is_right(case.inputs, observed):
        yield intensity_note(case, observed)


JUDGE = Judge(
    title="A matmul through tiles",
    properties=(
        right_product(
            "every",
            "`c` is `a @ b`, for whole tiles",
            2,
            "Follow one element: in turn t of the outer loop, which columns of `a` and which rows "
            "of `b` are in the tiles, and which row of one goes with which column of the other?",
            lost_by=LOOPS | OUTSIDE,
        ),
        tiles_wait(2, "no thread reads or overwrites a tile too early"),
        float32_sum(with_tiles=True),
        reads_once("no block reads an element of `a` or `b` twice from global memory"),
        whole_rows(
            "sectors",
            "global memory is asked for whole sectors",
            1,
            "Which elements do the 32 threads of a warp ask for at that moment, and how often in a "
            "launch?",
        ),
        no_bank_conflicts(1, says="no bank conflict", output="c"),
    ),
    hints=(
        "In turn t, a block needs columns 32t to 32t + 31 of its rows of `a`. Which rows of `b` "
        "go with them, and how many turns does it take for all K?",
        "Each thread brings `a[i, first + x]` to place (y, x) of one tile, and `b[first + y, j]` "
        "to (y, x) of the other. Barrier. Each thread adds 32 products: row y of one tile, column "
        "x of the other. Barrier. Then the next turn.",
        "`for first in range(0, a.shape[1], 32):` fill `tile_a[y, x]` and `tile_b[y, x]`, "
        "`cuda.syncthreads()`, `for k in range(32): total += tile_a[y, k] * tile_b[k, x]`, "
        "`cuda.syncthreads()`. After the outer loop, `c[i, j] = total`.",
    ),
    results=("every",),
    cases=cases,
    verdict=verdict,
    predictions={
        "tiled": Prediction(
            "M = N = K = 128, a thread for each element, no tiles: how many threads read `a[0, 0]` "
            "from global memory?",
            truth=128,
            unit="threads",
            exact=True,
            because="Each of the 128 threads of row 0 of `c` reads it.",
        ),
        "tiled-32": Prediction(
            "and with tiles of 32 x 32?",
            truth=4,
            unit="threads",
            exact=True,
            because="Four blocks lie along row 0 of `c`, and in each of them one thread brings it.",
        ),
    },
)
