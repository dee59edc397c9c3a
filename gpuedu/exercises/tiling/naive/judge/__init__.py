"""naive: a matmul with a thread for each element, and which index runs along a warp."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.kernels.faults import LOOPS, OUTSIDE, RACE, repeated_faults
from gpuedu.exercises.kernels.properties import inside, unless_idle, writers_of
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import read_sightings
from gpuedu.exercises.kernels.traffic import Traffic, read_traffic
from gpuedu.exercises.tiling.judge.products import (
    TILE,
    draw_matrices,
    float32_sum,
    right_product,
)

_SHAPES = (
    # M, N, K; the first two decide what it costs
    (64, 96, 32),
    (96, 32, 64),
    (50, 70, 9),
    (40, 40, 40),
    (1, 33, 5),
    (33, 1, 5),
    (32, 65, 3),
    (3, 2, 260),
    (1, 1, 1),
    (1, 1100, 1),
    (1100, 1, 1),
)
_COSTS = _SHAPES[:2]
_STEP_SECTORS, _SUM_SECTORS = 5, 4
_MARGIN = 1.05


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole blocks first; then ragged ones, a long sum, one element, and very many blocks."""
    found = []
    for shape in _SHAPES:
        decides = ("every", "grid", "inside")
        decides += ("float32", "sectors") if shape in _COSTS else ()
        m, n, k = shape
        found.append(Case(f"M, N, K = {m}, {n}, {k}", draw_matrices(rng, *shape), decides))
    return found


def tell_grid(case: Case, observed: Plain) -> str:
    """The learner's grid, and what it is for."""
    m, n = case.inputs["c"].shape
    return f"Your grid is {tuple(observed['grid'])}, x first, for {m} rows and {n} columns"


def grid(case: Case, observed: Plain) -> Iterable[Fault]:
    """No more blocks than it takes; where it takes more, elements are missing."""
    m, n = case.inputs["c"].shape
    blocks, needed = int(np.prod(observed["grid"])), -(-m // TILE) * -(-n // TILE)
    if blocks > needed:
        yield Fault(
            "grid",
            f"{tell_grid(case, observed)}: {blocks} blocks of 32 x 32 threads, and {needed} have a "
            "thread for each element",
        )


def sectors(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each element of ``c`` written once, and as few sectors as whole rows need."""
    shape = LaunchShape(tuple(observed["grid"]), (TILE, TILE))
    of_c = {**writers_of(observed, "c"), "c": observed["c"]}
    yield from repeated_faults("sectors", of_c, shape, name="c")
    yield from _sectors(case, observed)


def _sectors(case: Case, observed: Plain) -> Iterable[Fault]:
    """Sectors of a step along k, and of the whole launch, against those of whole rows."""
    (m, k), (_, n) = case.inputs["a"].shape, case.inputs["b"].shape
    warps = m * n // TILE
    traffic = {name: read_traffic(observed[f"{name}.traffic"]) for name in "abc"}
    loads = [traffic[name].of("load") for name in "ab"]
    if not any(one.requests for one in loads):
        yield Undecided("sectors", "`a` and `b` were never read")
        return
    if any(seen.kind in OUTSIDE for seen in read_sightings(observed["sightings"])):
        yield Undecided("sectors", "threads leave the arrays")
        return
    asked = sum(one.sectors for one in loads)
    # By request, not by turn of the loop: an unrolled turn takes several steps along k.
    a_step = sum(one.sectors / max(one.requests, 1) for one in loads)
    if a_step > _MARGIN * _STEP_SECTORS:
        yield Fault("sectors", _told_step(a_step, loads))
    elif asked > _MARGIN * _STEP_SECTORS * warps * k:
        best = _STEP_SECTORS * warps * k
        told = f"the launch asks for {asked:,} sectors of `a` and `b`, and {best:,} would do"
        yield Fault("sectors", told)
    elif traffic["c"].sectors > _MARGIN * _SUM_SECTORS * warps:
        asked, best = traffic["c"].sectors, _SUM_SECTORS * warps
        yield Fault(
            "sectors", f"the launch asks for {asked:,} sectors of `c`, and {best:,} would do"
        )


def _told_step(a_step: float, loads: Iterable[Traffic]) -> str:
    worst = [
        max(one.accesses, key=lambda each: each.sectors_per_request)
        for one in loads
        if one.accesses
    ]
    each = " and ".join(f"{one.sectors_per_request:.3g} for {one.told}" for one in worst)
    return (
        f"each time a warp goes one step along k, it asks for {a_step:.3g} sectors ({each}); "
        f"{_STEP_SECTORS} would do"
    )


JUDGE = Judge(
    title="A matmul, one thread per element",
    properties=(
        right_product(
            "every",
            "`c` is `a @ b`, for any shape",
            1,
            "Which thread has this element, and which row of `a` and which column of `b` does it "
            "take?",
            lost_by=LOOPS | RACE,
            launch=tell_grid,
        ),
        Property(
            "grid",
            "`blocks_for` gives no more blocks than it takes",
            1,
            "How many blocks of 32 cover that many columns, and that many rows, even if they "
            "are multiples of 32?",
            unless_idle("grid", grid, "c"),
        ),
        inside(
            1, output="c", asks="Which of the indices is outside, and which shape should bound it?"
        ),
        float32_sum(),
        Property(
            "sectors",
            "a warp asks for as few sectors as possible, and writes `c` once",
            2,
            "What do the 32 lanes of a warp read in one step along k, what do they read and write "
            "besides, and what of that is needed?",
            unless_idle("sectors", sectors, "c"),
        ),
    ),
    hints=(
        "Two neighboring lanes of a warp have different `threadIdx.x`. If x is in the column j, "
        "what do they want of `b[k, j]`, and what of `a[i, k]`?",
        "`j, i = cuda.grid(2)`: x gives the column. Then the grid has as many blocks along x as it "
        "takes for the columns, and along y for the rows: `blocks_for` returns them in that order.",
        "`return -(-columns // 32), -(-rows // 32)`. In the kernel, under a guard "
        "`i < c.shape[0] and j < c.shape[1]`: `total = float32(0)`, a loop over "
        "`range(a.shape[1])` with `total += a[i, k] * b[k, j]`, then `c[i, j] = total`.",
    ),
    results=("every",),
    apart=("grid",),
    cases=cases,
    predictions={
        "naive": Prediction(
            "threadIdx.x runs down the rows i: how many sectors for `a[i, k]` and `b[k, j]` "
            "together?",
            truth=33,
            unit="sectors",
            exact=True,
            because="32 rows of `a` are 32 sectors; all lanes want the same `b[k, j]`, one sector.",
        ),
        "naive-along": Prediction(
            "and if threadIdx.x runs along the columns j?",
            truth=5,
            unit="sectors",
            exact=True,
            because="All lanes want the same `a[i, k]`, one sector; 32 neighbors of `b` are four.",
        ),
    },
)
