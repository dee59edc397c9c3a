"""mandelbrot: escape times, judged where rounding cannot decide, and by who stops when."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Property
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, hazard_faults
from gpuedu.exercises.kernels.properties import no_hazard, right_values, unless_idle
from gpuedu.exercises.kernels.shapes import LaunchShape

_NUDGE = 1e-7
_WASTE = 1.5
_STEP_FLOP = 16
"""More than a step takes, with complex numbers, too."""
_VIEWS = (
    # rows, columns, grid (x, y), block (x, y), left, top, step, limit
    (32, 32, (2, 2), (16, 16), -2.0, 1.25, 0.08, 40),
    (24, 64, (2, 3), (32, 8), -2.25, 1.0, 0.05, 60),
    (33, 20, (2, 5), (16, 8), -1.5, 0.5, 0.03, 30),
    (7, 45, (3, 2), (16, 4), -0.8, 0.3, 0.01, 50),
    (9, 9, (1, 2), (32, 8), -4.0, 4.0, 1.0, 1),
    (4, 20, (1, 1), (32, 4), -0.3, 0.1, 0.02, 300),
    (5, 7, (1, 1), (8, 8), -1.0, 1.0, 0.3, 0),
    (20, 30, (1, 3), (32, 8), 0.6, -1.0, -0.08, 25),
    (6, 30, (1, 1), (32, 8), 1.0, 0.2, 0.05, 1000),
)
"""The last four: points of the set, with more steps than a byte can count; no step at all; a step
below 0, which turns the image around; and points that all escape, long before the limit."""


_CIRCLE = (5, 9, (2, 2), (8, 4), -2.0, 1.0, 0.5, 12)
"""A view that is not moved: -2, 1 and 2 are among its points, where ``|z|`` is exactly 2."""

_ENOUGH = 100
"""Points of an image from which on a kernel has to write some: in a smaller one all points may take
their one step, and none escapes."""


def escape_times(
    left: Any, top: Any, step: float, limit: int, shape: tuple[int, int]
) -> np.ndarray:
    """Steps of ``z = z * z + c`` from 0 while ``|z| <= 2``, at most ``limit``; (rows, columns).

    Of several views at once if ``left`` and ``top`` are arrays of shape (views, 1, 1): then
    (views, rows, columns).

    >>> escape_times(-2.0, 0.0, 2.0, 9, (1, 3)).tolist()
    [[9, 9, 2]]
    """
    rows, columns = np.indices(shape)
    real, imaginary = left + columns * step, top - rows * step
    x, y = np.zeros((2, *np.broadcast_shapes(real.shape, imaginary.shape)))
    steps = np.zeros(x.shape, np.int64)
    with np.errstate(over="ignore", invalid="ignore"):  # what has escaped never comes back
        for _ in range(limit):
            across, down = x * x, y * y
            is_inside = across + down <= 4
            if not is_inside.any():
                break
            steps += is_inside
            x, y = across - down + real, 2 * x * y + imaginary
    return steps


@lru_cache(maxsize=32)
def times_and_steady(
    left: float, top: float, step: float, limit: int, shape: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Escape times of a view, and the mask of the points where no rounding decides.

    A nudge of the point leaves its count alone there; or every step is exact: at -2, 1 and 2.
    """
    nudges = np.array([(0, 0), (_NUDGE, 0), (-_NUDGE, 0), (0, _NUDGE), (0, -_NUDGE)])
    across, down = nudges.T[:, :, None, None]
    exact, *nudged = escape_times(left + across, top + down, step, limit, shape)
    is_steady = np.all([one == exact for one in nudged], axis=0)
    return exact, is_steady | on_circle(left, top, step, shape)


def on_circle(left: float, top: float, step: float, shape: tuple[int, int]) -> np.ndarray:
    """Mask of the points -2, 1 and 2, with a ``z`` of which ``|z|`` is exactly 2."""
    rows, columns = np.indices(shape)
    real, imaginary = left + columns * step, top - rows * step
    return np.isin(real, (-2, 1, 2)) & (imaginary == 0)


def cases(rng: np.random.Generator) -> list[Case]:
    """The whole set, then parts of it in other shapes, all a little moved; last ``_CIRCLE``."""
    return [*(_case(rng, *view) for view in _VIEWS), _case(rng, *_CIRCLE, moved=False)]


def _case(
    rng: np.random.Generator,
    rows: int,
    columns: int,
    grid: tuple[int, int],
    block: tuple[int, int],
    left: float,
    top: float,
    step: float,
    limit: int,
    *,
    moved: bool = True,
) -> Case:
    width = abs(step) if moved else 0.0
    inputs = {
        "left": left + float(rng.uniform(0, width)),
        "top": top + float(rng.uniform(0, width)),
        "step": step,
        "limit": limit,
        "out": -rng.integers(1, 100, (rows, columns), dtype=np.int32),
        "grid": grid,
        "block": block,
    }
    label = f"{rows} rows, {columns} columns, limit {limit}, {LaunchShape(grid, block)}"
    first = "square" if rows == columns and limit > 1 else "any-shape"
    return Case(label, inputs, (first, "inside", "stops"))


def counts(inputs: Inputs) -> np.ndarray:
    """The right counts of a case."""
    return _of_threads(inputs)[0][_image(inputs)].astype(np.float64)


def certain(inputs: Inputs) -> np.ndarray:
    """Mask of the points of a case that are judged."""
    return _of_threads(inputs)[1][_image(inputs)]


def _of_threads(inputs: Inputs) -> tuple[np.ndarray, np.ndarray]:
    """Escape times of all threads that are launched, and which of them are sure."""
    (across, down), (wide, high) = inputs["grid"], inputs["block"]
    view = (inputs[name] for name in ("left", "top", "step", "limit"))
    return times_and_steady(*view, (down * high, across * wide))


def _image(inputs: Inputs) -> tuple[slice, slice]:
    """The threads that have a point of the image."""
    rows, columns = inputs["out"].shape
    return slice(rows), slice(columns)


def _stops(case: Case, observed: Plain) -> Iterable[Fault]:
    """A lane whose point has escaped has nothing more to compute.

    Threads beyond the image, and steps that a wrong formula takes, are other properties' matter.
    """
    yield from hazard_faults(observed, {ENDLESS: "stops"}, lambda seen: "")
    inputs = case.inputs
    launched, _ = _of_threads(inputs)
    counted = np.clip(observed["out"], 0, inputs["limit"])
    steps = max(int(launched.sum()), int(counted.sum()))
    most = _WASTE * (steps + 2 * launched.size)
    if observed["busiest_lanes"] > most:
        yield Fault(
            "stops",
            f"the busiest line ran {observed['busiest_lanes']:,} times, counted by lanes, but the "
            f"points take only {steps:,} steps in all (limit: {inputs['limit']})",
        )
    elif observed["flop"] > _STEP_FLOP * most:  # steps written out on many lines
        yield Fault(
            "stops",
            f"all lanes together did {observed['flop']:,} FLOP, but the points take only "
            f"{steps:,} steps in all (limit: {inputs['limit']})",
        )


_values = partial(
    right_values,
    points=1,
    expected=counts,
    among=certain,
    asks="Which thread has this point, and what is its `z` after one step, and after two?",
)

JUDGE = Judge(
    title="Escape times",
    properties=(
        _values("square", "right on a square image"),
        _values("any-shape", "right on an image of any shape"),
        no_hazard(
            "inside",
            "no thread reads or writes outside the image",
            1,
            OUTSIDE,
            "Which threads have no point of the image?",
            enough=_ENOUGH,
        ),
        Property(
            "stops",
            "a thread stops when its point has escaped",
            1,
            "What ends a thread's loop, and what does it do once its point has escaped?",
            unless_idle("stops", _stops, enough=_ENOUGH),
        ),
    ),
    hints=(
        "Which point `c` of the plane belongs to a row and a column? And what are the two reasons "
        "to stop?",
        "The real part is `left + column * step`, the imaginary part `top - row * step`. Loop "
        "while fewer than `limit` steps are done and `z` is still in the circle of radius 2.",
        "With `zr` and `zi` at 0 and `n = 0`: `while n < limit and zr * zr + zi * zi <= 4:` "
        "compute the new pair (both from the old one), and add 1 to `n`. Then `out[row, column] = "
        "n`. The new pair is `zr * zr - zi * zi + cr` and `2 * zr * zi + ci`.",
    ),
    results=("square", "any-shape"),
    cases=cases,
    varies=("busiest_lanes", "flop"),
)
