"""two-d-map: rows and columns over a grid of blocks; the order of the axes is told, not graded."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
)
from gpuedu.exercises.kernels.faults import BELOW, OUTSIDE
from gpuedu.exercises.kernels.properties import right_values, unless_idle, written_once
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic

_EPSILON = float(np.finfo(np.float32).eps)
_COSTLY = 1.5
_ALL = ("every", "rows", "columns", "once")
_LAUNCHES = (
    # rows, columns, grid, block, what the case decides. Each grid reaches over the longer side
    # both ways, so that a kernel with x along the column is right, too.
    (32, 32, (2, 2), (16, 16), _ALL),
    (20, 32, (2, 2), (16, 16), ("every", "rows", "once")),
    (32, 20, (2, 2), (16, 16), ("every", "columns", "once")),
    (5, 70, (5, 5), (16, 16), _ALL),
    (70, 5, (3, 9), (32, 8), _ALL),
    (33, 65, (9, 17), (8, 4), _ALL),
    (1, 31, (2, 2), (16, 16), _ALL),
    (31, 1, (2, 2), (16, 16), _ALL),
    (20, 50, (5, 6), (12, 10), _ALL),  # blocks of no round size
    (1, 1, (1, 1), (32, 8), _ALL),
)
_SQUARE = (32, 32)
"""The matrix whose sectors are told, and of which a kernel has to write some elements."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Square first; one axis that does not come out even; flat, tall, and a single element.

    Some elements, and in wide matrices some biases, are 0.
    """
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(
    rng: np.random.Generator,
    rows: int,
    columns: int,
    grid: tuple[int, int],
    block: tuple[int, int],
    decides: tuple[str, ...],
) -> Case:
    bias = (rng.normal(50, 9, columns) * rng.choice([-1, 1], columns)).astype(np.float32)
    bias[rng.permutation(columns)[: columns // 16]] = 0
    m = rng.normal(0, 2, (rows, columns)).astype(np.float32)
    inputs = {
        "m": np.where(rng.random(m.shape) < 1 / 16, np.float32(0), m),
        "bias": bias,
        "out": -rng.uniform(200, 300, (rows, columns)).astype(np.float32),
        "grid": grid,
        "block": block,
    }
    return Case(f"{rows} rows, {columns} columns, {LaunchShape(grid, block)}", inputs, decides)


def biased(inputs: Inputs) -> np.ndarray:
    """``m + bias`` in float64."""
    return inputs["m"].astype(np.float64) + inputs["bias"]


def one_rounding(inputs: Inputs) -> np.ndarray:
    """Room for a rounding in float32."""
    return _EPSILON * (np.abs(inputs["m"].astype(np.float64)) + np.abs(inputs["bias"]))


def _within(name: str, says: str, asks: str) -> Property:
    """No index leaves the matrix along one axis, "rows" or "columns"."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        for seen in read_sightings(observed["sightings"]):
            is_outside = seen.is_hazard and seen.kind in OUTSIDE
            if is_outside and name in _axes(seen, case.inputs["m"].shape):
                yield Fault(name, seen.told, BELOW if seen.kind == "negative-index" else "")

    unless_nothing_is_written = unless_idle(name, test)

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        is_first = case.inputs["m"].shape == _SQUARE
        yield from (unless_nothing_is_written if is_first else test)(case, observed)

    return Property(name, says, 1, asks, tested)


def _axes(seen: Sighting, shape: tuple[int, int]) -> Iterable[str]:
    """The axes along which an index leaves the matrix, or the bias, which has columns only."""
    if len(seen.index) == 1:
        return ["columns"]
    pairs = zip(("rows", "columns"), seen.index, shape, strict=True)
    return [axis for axis, index, extent in pairs if not 0 <= index < extent]


def costs(case: Case, observed: Plain) -> Iterable[Finding]:
    """Right, but a warp walks down a column: told, not graded."""
    stores = read_traffic(observed["out.traffic"]).of("store")
    if case.inputs["m"].shape == _SQUARE and stores.sectors > _COSTLY * stores.ideal_sectors > 0:
        yield Finding(
            Level.COST,
            f"each time a warp writes `out` it asks for {stores.sectors / stores.requests:.0f} "
            f"sectors of 32 bytes, and {stores.ideal_sectors / stores.requests:.0f} would do: "
            "neighboring threads (`threadIdx.x`) walk down a column. No points are taken; which "
            "of the two indices should x be?",
        )


JUDGE = Judge(
    title="Rows and columns",
    properties=(
        right_values(
            "every",
            "every element of `out` is `m[row, column] + bias[column]`",
            1,
            biased,
            tolerance=one_rounding,
            leaves=("m", "bias"),
        ),
        _within(
            "rows",
            "no thread goes past the last row",
            "Which index is outside there, of which array, and what should keep it inside?",
        ),
        _within(
            "columns",
            "no thread goes on past the last column",
            "Which index is outside there, of which array, and what should keep it inside?",
        ),
        written_once(1, asks="Which element is each thread's own, and how often is it written?"),
    ),
    hints=(
        "`cuda.grid(2)` gives two indices, x first. Which of them should be the column, if "
        "neighboring threads are to be neighbors in a row?",
        "x is the column and y the row. A thread works only if its row is one of the rows *and* "
        "its column one of the columns; `m.shape` is `(rows, columns)`.",
        "`column, row = cuda.grid(2)`; then an `if` with `row < m.shape[0]` and "
        "`column < m.shape[1]`; then one line that writes `out[row, column]`.",
    ),
    results=("every",),
    cases=cases,
    verdict=costs,
    varies=("out.traffic",),
    predictions={
        "two-d-map": Prediction(
            "a warp's 32 lanes go down a column of a wide float32 matrix: how many sectors?",
            truth=32,
            unit="sectors",
            exact=True,
            because="Each lane is in another row, so each needs a sector of its own: 1,024 bytes "
            "are moved for 128 that are wanted. Along the row it is 4 sectors.",
        )
    },
)
