"""naive: a matmul with a thread for each element, and which index runs along a warp."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
)
from gpuedu.exercises.kernels.faults import (
    BELOW,
    LOOPS,
    OUTSIDE,
    RACE,
    hazard_faults,
    idle_faults,
    repeated_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import Traffic, read_traffic
from gpuedu.exercises.tiling.judge.products import (
    TILE,
    draw_matrices,
    float64_faults,
    value_faults,
)

_SHAPES = (
    # M, N, K; the first two decide what it costs
    (64, 96, 32),
    (96, 32, 64),
    (50, 70, 9),
    (40, 40, 40),
    (1, 33, 5),
    (33, 1, 5),
    (1, 1, 1),
)
_COSTS = _SHAPES[:2]
_STEP_SECTORS, _SUM_SECTORS = 5, 4
_MARGIN = 1.05
_FOLLOW = "Follow one element: which row of `a` and which column of `b` does its thread take?"
_ALONG = (
    "In a warp, `threadIdx.x` runs from 0 to 31 and `threadIdx.y` is the same for all. Which of i "
    "and j should have x in it, so that neighbouring lanes want neighbouring elements?"
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Whole blocks first; then ragged ones, a square, a row, a column and a single element."""
    found = []
    for shape in _SHAPES:
        decides = ("every", "inside") + (("float32", "sectors") if shape in _COSTS else ())
        m, n, k = shape
        found.append(Case(f"M, N, K = {m}, {n}, {k}", draw_matrices(rng, *shape), decides))
    return found


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Values, the bounds, the sum's dtype, then what the lanes of a warp ask for."""
    yield from hazard_faults(observed, {LOOPS: "every", RACE: "every"})
    shape = LaunchShape(tuple(observed["grid"]), (TILE, TILE))
    m, n = case.inputs["c"].shape
    grid = f"Your grid is {shape.grid}, x first, for {m} rows and {n} columns."
    yield from value_faults("every", case.inputs, observed, _FOLLOW, grid)
    yield from hazard_faults(observed, {OUTSIDE: "inside"}, _question)
    yield from idle_faults(observed, ("inside",), "c")
    if "sectors" in case.decides:
        yield from idle_faults(observed, ("float32",), "c")
        yield from float64_faults("float32", observed)
        yield from repeated_faults(
            "sectors",
            observed,
            shape,
            "A sum that grows in a variable of the thread is written once, at the end.",
            "c",
        )
        yield from _sectors(case, observed)
    if (m, n) == _SHAPES[0][:2] and shape.blocks > -(-m // TILE) * -(-n // TILE):
        yield Finding(
            Level.NOTE,
            f"{grid} {m // TILE * (n // TILE)} blocks have a thread for each element; the others "
            "only find that they have none.",
        )


def _sectors(case: Case, observed: Plain) -> Iterable[Fault]:
    """Sectors of a step along k, and of the whole launch, against those of whole rows."""
    (m, k), (_, n) = case.inputs["a"].shape, case.inputs["b"].shape
    warps = m * n // TILE
    traffic = {name: read_traffic(observed[f"{name}_traffic"]) for name in "abc"}
    loads = [traffic[name].of("load") for name in "ab"]
    if not any(one.requests for one in loads):
        yield Fault("sectors", "`a` and `b` were never read, so this shows nothing yet")
        return
    if any(seen.kind in OUTSIDE for seen in read_sightings(observed["sightings"])):
        yield Fault("sectors", "threads leave the arrays, so this shows nothing yet")
        return
    sectors = sum(one.sectors for one in loads)
    # By request, not by turn of the loop: an unrolled turn takes several steps along k.
    a_step = sum(one.sectors / max(one.requests, 1) for one in loads)
    if a_step > _MARGIN * _STEP_SECTORS:
        yield Fault("sectors", _told_step(a_step, loads), _ALONG)
    elif sectors > _MARGIN * _STEP_SECTORS * warps * k:
        yield Fault(
            "sectors",
            f"the launch asks for {sectors:,} sectors of `a` and `b`, and "
            f"{_STEP_SECTORS * warps * k:,} would do",
            "Is an element read twice in a step, or do two threads compute the same one?",
        )
    elif traffic["c"].sectors > _MARGIN * _SUM_SECTORS * warps:
        yield Fault(
            "sectors",
            f"the launch asks for {traffic['c'].sectors:,} sectors of `c`, and "
            f"{_SUM_SECTORS * warps:,} would do",
            "Is `c` read, too, or written by lanes that are not neighbours?",
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


def _question(seen: Sighting) -> str:
    if seen.kind == "negative-index":
        return BELOW
    if " writes " in seen.message:
        return "`c` has M rows and N columns. Which threads have no element, and what stops them?"
    return (
        "`a` has K columns, `b` has K rows. Which of the indices is too large here, and which "
        "shape should bound it?"
    )


JUDGE = Judge(
    title="A matmul, a thread for each element",
    properties=(
        Property("every", "`c` is `a @ b`, for any shape", 2),
        Property("inside", "no thread reads or writes outside the arrays", 1),
        Property("float32", "the sum is in float32", 1),
        Property("sectors", "a warp asks for as few sectors as can be, and writes `c` once", 2),
    ),
    hints=(
        "Two neighbouring lanes of a warp have different `threadIdx.x`. If x is in the column j, "
        "what do they want of `b[k, j]`, and what of `a[i, k]`?",
        "`j, i = cuda.grid(2)`: x gives the column. Then the grid has as many blocks along x as it "
        "takes for the columns, and along y for the rows: `blocks_for` returns them in that order.",
        "`return -(-columns // 32), -(-rows // 32)`. In the kernel, under a guard "
        "`i < c.shape[0] and j < c.shape[1]`: `total = float32(0)`, a loop over "
        "`range(a.shape[1])` with `total += a[i, k] * b[k, j]`, then `c[i, j] = total`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "naive": Prediction(
            "threadIdx.x runs down the rows i: how many sectors for `a[i, k]` and `b[k, j]` "
            "together?",
            truth=33,
            unit="sectors",
            because="32 rows of `a` are 32 sectors; all lanes want the same `b[k, j]`, one sector.",
        ),
        "naive-along": Prediction(
            "and if threadIdx.x runs along the columns j?",
            truth=5,
            unit="sectors",
            because="All lanes want the same `a[i, k]`, one sector; 32 neighbours of `b` are four.",
        ),
    },
)
