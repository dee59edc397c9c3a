"""any-shape: the tiled matmul where M, N and K are no whole tiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.properties import inside, no_bank_conflicts
from gpuedu.exercises.tiling.judge.products import (
    TILE,
    draw_matrices,
    float32_sum,
    right_product,
)
from gpuedu.exercises.tiling.judge.tiles import reads_once, tiles_wait, whole_rows

_EDGES = ((33, 40, 96), (50, 31, 32), (1, 96, 32), (64, 1, 32))
_TAILS = ((64, 32, 40), (32, 64, 7), (20, 45, 65), (32, 32, 33), (5, 3, 200), (1, 1, 1))
_WHOLE = ((64, 32, 32), (32, 96, 64))
_COSTS = _WHOLE[1]


def cases(rng: np.random.Generator) -> list[Case]:
    """Edges of ``c`` with a K of whole tiles, then a K that is none, below one tile or of many."""
    known = (
        *((shape, "edges") for shape in (*_WHOLE, *_EDGES)),
        *((shape, "tail") for shape in _TAILS),
    )
    return [_case(rng, prop, *shape) for shape, prop in known]


def _case(rng: np.random.Generator, prop: str, m: int, n: int, k: int) -> Case:
    decides = (prop, "inside", "waits") + (("once",) if m * n > TILE else ())
    if (m, n, k) == _COSTS:
        decides += ("float32", "costs")
    return Case(f"M, N, K = {m}, {n}, {k}", draw_matrices(rng, m, n, k), decides)


def costs() -> Property:
    """Whole sectors, and no bank conflict."""
    rows = whole_rows(
        "costs",
        "where tiles are whole: whole sectors, and no bank conflict",
        1,
        "Which elements do the 32 threads of a warp use at that moment, and how often in a launch?",
    )
    banks = no_bank_conflicts(1, "costs", output="c")

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        yield from rows.test(case, observed)
        yield from banks.test(case, observed)

    return replace(rows, test=test)


JUDGE = Judge(
    title="A matmul for any shape",
    properties=(
        right_product(
            "edges",
            "`c` is right where M and N aren't whole tiles",
            2,
            "Which row of `a` and which column of `b` does this element need, and which threads "
            "bring them?",
        ),
        right_product(
            "tail",
            "and where K isn't either, even below 32",
            1,
            "Which turns are there, and what is in each place of the tiles then, where its matrix "
            "has an element, and where it has none?",
        ),
        inside(1, output="c", asks="Which index is outside there, and what should keep it inside?"),
        tiles_wait(1, "all threads come to each barrier, and nothing is read before it is written"),
        reads_once("no block reads an element twice from global memory"),
        float32_sum(with_tiles=True),
        costs(),
    ),
    hints=(
        "A thread whose element of `c` does not exist: may it leave? Which elements of `a` and `b` "
        "would then be missing in the tiles?",
        "Three guards, each for its own array: `a` has rows up to M and columns up to K, `b` rows "
        "up to K and columns up to N, and only the write looks at `c`. Where a guard fails, the "
        "tile gets a 0, which adds nothing.",
        "`tile_a[y, x] = a[i, first + x] if i < a.shape[0] and first + x < a.shape[1] else "
        "float32(0)`, the same for `b` with `first + y < b.shape[0] and j < b.shape[1]`; barriers "
        "outside of any `if`; `c[i, j] = total` under `i < c.shape[0] and j < c.shape[1]`.",
    ),
    results=("edges", "tail"),
    cases=cases,
    predictions={
        "any-shape": Prediction(
            "M, N, K = 100, 100, 100 in tiles of 32: how many turns does the outer loop take?",
            truth=4,
            unit="turns",
            exact=True,
            because="Three whole tiles are 96; the last 4 of K need a turn of their own.",
        ),
        "any-shape-waste": Prediction(
            "and how many of the 32 products that each thread adds in the last turn have a factor "
            "0 that only fills up a tile?",
            truth=28,
            unit="of 32",
            exact=True,
            because="4 of the 32 places along K are left; the rest is filled up with 0.",
        ),
    },
)
