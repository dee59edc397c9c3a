"""two-d-map: rows and columns over a grid of blocks; the order of the axes is told, not graded."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np

from gpuedu.exercises.compare import array_fault
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
    OUTSIDE,
    idle_faults,
    repeated_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.widths import count_each

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
    (1, 1, (1, 1), (32, 8), _ALL),
)
_COSTS = (32, 32)
"""The matrix whose sectors are told."""

_FIRST_ROW = "Only the first row was written. Who takes the others?"
_FIRST_COLUMN = "Only the first column was written. Who takes the others?"
_BLOCKS_ALIKE = (
    "All blocks took the same elements: thread indices begin at 0 in each. What gives the two "
    "indices in the whole grid?"
)


_LETS = "Does your guard let {} through?"
_STEP = "The step from one block to the next does not fit"
_AXES = ("x", "y")


def cases(rng: np.random.Generator) -> list[Case]:
    """Square first; one axis that does not come out even; flat, tall, and a single element."""
    return [_case(rng, *launch) for launch in _LAUNCHES]


def _case(
    rng: np.random.Generator,
    rows: int,
    columns: int,
    grid: tuple[int, int],
    block: tuple[int, int],
    decides: tuple[str, ...],
) -> Case:
    inputs = {
        "m": rng.normal(0, 2, (rows, columns)).astype(np.float32),
        "bias": rng.normal(50, 9, columns).astype(np.float32),
        "out": -rng.uniform(200, 300, (rows, columns)).astype(np.float32),
        "grid": grid,
        "block": block,
    }
    return Case(f"{rows} rows, {columns} columns, {LaunchShape(grid, block)}", inputs, decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Values, the two bounds, who wrote what, and the cost of the wrong axis."""
    m, bias = (case.inputs[name].astype(np.float64) for name in ("m", "bias"))
    shape = LaunchShape(case.inputs["grid"], case.inputs["block"])
    expected = m + bias
    cause = _cause(case, observed)
    yield from array_fault(
        "every",
        observed["out"],
        expected,
        tolerance=_EPSILON * (np.abs(m) + np.abs(bias)),
        cause=cause,
    )
    yield from wrapped_faults("every", observed)
    for name in ("m", "bias"):
        if not np.array_equal(observed[name], case.inputs[name]):
            yield Fault("every", f"`{name}` was changed by the kernel", "Where does it go?")
    for fault in _outside(observed, m.shape):
        if fault.property in case.decides:
            yield fault
    whose = cause if cause.startswith((_BLOCKS_ALIKE, _FIRST_ROW, _FIRST_COLUMN, _STEP)) else ""
    yield from repeated_faults(
        "once", observed, shape, whose or "Which element is each thread's own?"
    )
    if m.shape == _COSTS:
        yield from idle_faults(observed, ("rows", "columns", "once"))
        yield from _costs(observed)


def _outside(observed: Plain, shape: tuple[int, int]) -> Iterable[Fault]:
    """Each way out of the matrix, by the axis on which the index leaves it."""
    for seen in read_sightings(observed["sightings"]):
        if not (seen.is_hazard and seen.kind in OUTSIDE):
            continue
        for prop, says in _axes(seen, shape):
            yield Fault(prop, seen.told, says)


def _axes(seen: Sighting, shape: tuple[int, int]) -> Iterable[tuple[str, str]]:
    if len(seen.index) == 1:  # the bias: one number a column
        yield "columns", "`bias` has one number for each column. Which index does it take?"
        return
    row, column = seen.index
    # A guard that is off by one lets one line of elements through, a missing one many.
    one_line = seen.count <= sum(shape) + 1
    if seen.kind == "negative-index":
        yield ("rows" if row < 0 else "columns"), BELOW
        return
    for prop, index, extent in (("rows", row, shape[0]), ("columns", column, shape[1])):
        if not 0 <= index < extent:
            through = one_line and index == extent
            asks = _LETS.format(index) if through else "What keeps a thread from going on?"
            yield prop, f"There are {prop} 0 to {extent - 1}. {asks}"


def _cause(case: Case, observed: Plain) -> str:
    got, m, bias = observed["out"], case.inputs["m"], case.inputs["bias"]
    times = observed["times"].reshape(m.shape)
    if not times.any():
        return "Which line writes into `out`?"
    if np.array_equal(got, m):
        return "That is a copy of `m`. What is added to each column?"
    if m.shape[0] == m.shape[1]:
        if np.allclose(got, m + bias[:, None], rtol=1e-5, atol=1e-4):
            return "That adds `bias[row]`. Which index does a number for each column take?"
        if np.allclose(got, m.T + bias, rtol=1e-5, atol=1e-4):
            return "That reads `m` across its diagonal. Which index comes first, row or column?"
        if np.allclose(got, m.T + bias[:, None], rtol=1e-5, atol=1e-4):
            return "That is the transpose: the indices of `m` and of `out` do not agree."
    if times[0].all() and not times[1:].any():
        return _FIRST_ROW
    if times[:, 0].all() and not times[:, 1:].any():
        return _FIRST_COLUMN
    step = _step_cause(times, case.inputs["grid"], case.inputs["block"])
    if step:
        return step
    width, height = case.inputs["block"]
    if times[:height, :width].all() and times.sum() == times[:height, :width].sum():
        return _BLOCKS_ALIKE
    if (times == 0).any():
        return (
            "It was not written. Is the row compared with the number of rows, and the column with "
            "the number of columns? (`m.shape` is `(rows, columns)`.)"
        )
    return ""


def _step_cause(times: np.ndarray, grid: tuple[int, int], block: tuple[int, int]) -> str:
    """The axis on which blocks were a wrong step apart, found by trying others on who wrote what.

    ``times`` is how often each element was written; x may go along the row or down the column.
    """
    for seen in (times, times.T):
        for steps in product({*block, *grid}, repeat=2):
            if steps == block:
                continue
            by_axis = [
                _hits(extent, n, size, step)
                for extent, n, size, step in zip(seen.shape[::-1], grid, block, steps, strict=True)
            ]
            if np.array_equal(np.outer(by_axis[1], by_axis[0]), seen):
                return " ".join(_says_step(axis, block, steps) for axis in (0, 1)).strip()
    return ""


def _hits(extent: int, blocks: int, threads: int, step: int) -> np.ndarray:
    """(extent,) how many of an axis' threads take each index, with blocks ``step`` apart."""
    index = np.add.outer(np.arange(blocks) * step, np.arange(threads)).ravel()
    return count_each(index[index < extent], minlength=extent)


def _says_step(axis: int, block: tuple[int, int], steps: tuple[int, int]) -> str:
    if steps[axis] == block[axis]:
        return ""
    name = _AXES[axis]
    return (
        f"{_STEP} along {name}: a block has {block[axis]} threads there, and yours are "
        f"{steps[axis]} apart. What should `blockIdx.{name}` be multiplied by?"
    )


def _costs(observed: Plain) -> Iterable[Finding]:
    """Right, but a warp walks down a column: told, not graded."""
    if observed["sectors"] > _COSTLY * observed["ideal_sectors"] > 0:
        requests = observed["requests"]
        yield Finding(
            Level.COST,
            f"each time a warp writes `out` it asks for {observed['sectors'] / requests:.0f} "
            f"sectors of 32 bytes, and {observed['ideal_sectors'] / requests:.0f} would do: "
            "neighbouring threads (`threadIdx.x`) walk down a column. No points are taken; which "
            "of the two indices should x be?",
        )


JUDGE = Judge(
    title="Rows and columns",
    properties=(
        Property("every", "every element of `out` is `m[row, column] + bias[column]`", 1),
        Property("rows", "no thread goes on below the last row", 1),
        Property("columns", "no thread goes on past the last column", 1),
        Property("once", "each element is written by one thread, once", 1),
    ),
    hints=(
        "`cuda.grid(2)` gives two indices, x first. Which of them should be the column, if "
        "neighbouring threads are to be neighbours in a row?",
        "x is the column and y the row. A thread works only if its row is one of the rows *and* "
        "its column one of the columns; `m.shape` is `(rows, columns)`.",
        "`column, row = cuda.grid(2)`; then an `if` with `row < m.shape[0]` and "
        "`column < m.shape[1]`; then one line that writes `out[row, column]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "two-d-map": Prediction(
            "a warp's 32 lanes write down a column of a wide float32 matrix: how many sectors?",
            truth=32,
            unit="sectors",
            because="Each lane is in another row, so each needs a sector of its own: 1,024 bytes "
            "are moved for 128 that are wanted. Along the row it is 4 sectors.",
        )
    },
)
