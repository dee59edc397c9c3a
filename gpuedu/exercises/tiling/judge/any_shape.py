"""any-shape: the tiled matmul where M, N and K are no whole tiles."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.kernels.faults import LOOPS, OUTSIDE, WAITS, hazard_faults, idle_faults
from gpuedu.exercises.tiling.judge.products import (
    TILE,
    draw_matrices,
    float64_faults,
    value_faults,
)
from gpuedu.exercises.tiling.judge.tiles import (
    ask_about,
    bank_faults,
    once_faults,
    sector_faults,
    unshared_faults,
)

_EDGES = ((33, 40, 64), (50, 31, 32), (1, 96, 32), (64, 1, 32))
_TAILS = ((64, 32, 40), (32, 64, 7), (20, 45, 65), (32, 32, 33), (1, 1, 1))
_WHOLE = ((64, 32, 32), (32, 96, 64))
_COSTS = _WHOLE[1]


def cases(rng: np.random.Generator) -> list[Case]:
    """Edges of ``c`` with a K of whole tiles, then a K that is none, also below one tile."""
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


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values, the bounds, who waits for whom, and how often a block reads an element."""
    prop = case.decides[0]
    yield from hazard_faults(observed, {LOOPS: prop}, ask_about)
    yield from value_faults(prop, case.inputs, observed, _cause(case, observed))
    yield from hazard_faults(observed, {OUTSIDE: "inside", WAITS: "waits"}, ask_about)
    yield from idle_faults(observed, ("inside", "waits", "once"), "c")
    yield from unshared_faults(observed, ("waits",))
    if "once" in case.decides:
        yield from once_faults("once", case, observed)
    if "costs" in case.decides:
        yield from idle_faults(observed, ("float32", "costs"), "c")
        yield from float64_faults("float32", observed)
        yield from sector_faults("costs", case, observed)
        yield from bank_faults("costs", observed)


def _cause(case: Case, observed: Plain) -> str:
    a, b = case.inputs["a"].astype(np.float64), case.inputs["b"].astype(np.float64)
    got = observed["c"].astype(np.float64)
    k = a.shape[1]
    over = -k % TILE
    if over and np.allclose(got, a @ b + over * a[:, -1:] * b[-1:], rtol=1e-3, atol=1e-2):
        return (
            "The last k is in the sum more than once: an index that is held at the edge brings the "
            "last element again. What should stand in the tile behind the edge?"
        )
    if k % TILE:
        return (
            "K is no whole number of tiles. In the last turn, what stands in the places of the "
            "tiles that lie behind the edge, and does it add nothing?"
        )
    return (
        "The tile at the edge of `c` is not full. Do threads without an element of `c` still bring "
        "what their neighbours need?"
    )


JUDGE = Judge(
    title="A matmul for any shape",
    properties=(
        Property("edges", "`c` is right where M and N are no whole tiles", 2),
        Property("tail", "and where K is none, also below 32", 1),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property(
            "waits", "all threads come to each barrier, and nothing is read before it is written", 1
        ),
        Property("once", "no block reads an element twice from global memory", 1),
        Property("float32", "the sum is in float32", 1),
        Property("costs", "where tiles are whole: whole sectors, and no bank conflict", 1),
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
    cases=cases,
    verdict=verdict,
    predictions={
        "any-shape": Prediction(
            "M, N, K = 100, 100, 100 in tiles of 32: how many turns does the outer loop take?",
            truth=4,
            unit="turns",
            because="Three whole tiles are 96; the last 4 of K need a turn of their own.",
        ),
        "any-shape-waste": Prediction(
            "and how many of the 32 products that each thread adds in the last turn are with a 0 "
            "that stands for nothing?",
            truth=28,
            unit="of 32",
            because="4 of the 32 places along K are left; the rest is filled up with 0.",
        ),
    },
)
