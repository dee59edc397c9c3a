"""mandelbrot: escape times, judged where rounding cannot decide, and by who stops when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, hazard_faults, idle_faults
from gpuedu.exercises.kernels.shapes import LaunchShape

_NUDGE = 1e-7
_WASTE = 1.5
_VIEWS = (
    # rows, columns, grid (x, y), block (x, y), left, top, step, limit
    (32, 32, (2, 2), (16, 16), -2.0, 1.25, 0.08, 40),
    (24, 64, (2, 3), (32, 8), -2.25, 1.0, 0.05, 60),
    (33, 20, (2, 5), (16, 8), -1.5, 0.5, 0.03, 30),
    (7, 45, (3, 2), (16, 4), -0.8, 0.3, 0.01, 50),
    (9, 9, (1, 2), (32, 8), -4.0, 4.0, 1.0, 1),
)


_CIRCLE = (5, 9, (2, 2), (8, 4), -2.0, 1.0, 0.5, 12)
"""A view that is not moved: -2, 1 and 2 are among its points, where ``|z|`` is exactly 2."""

Step = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def next_z(
    x: np.ndarray, y: np.ndarray, real: np.ndarray, imaginary: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """``z * z + c`` in its two parts."""
    return x * x - y * y + real, 2 * x * y + imaginary


def escape_times(
    left: float,
    top: float,
    step: float,
    limit: int,
    shape: tuple[int, int],
    *,
    advance: Step = next_z,
    bound: float = 4.0,
) -> np.ndarray:
    """Steps of ``z = z * z + c`` from 0 while ``|z| <= 2``, at most ``limit``; (rows, columns).

    ``advance`` and ``bound`` (of the square of ``|z|``) are others for known mistakes.

    >>> escape_times(-2.0, 0.0, 2.0, 9, (1, 3)).tolist()
    [[9, 9, 2]]
    """
    rows, columns = np.indices(shape)
    real, imaginary = left + columns * step, top - rows * step
    x, y = np.zeros(shape), np.zeros(shape)
    steps = np.zeros(shape, np.int64)
    for _ in range(limit):
        inside = x * x + y * y <= bound
        new_x, new_y = advance(x, y, real, imaginary)
        x, y = np.where(inside, new_x, x), np.where(inside, new_y, y)
        steps += inside
    return steps


def steady(view: Mapping[str, Any], shape: tuple[int, int]) -> np.ndarray:
    """Where no rounding decides, bool.

    A nudge of the point leaves its count alone there; or every step is exact: at -2, 1 and 2.
    """
    base = [view[name] for name in ("left", "top", "step", "limit")]
    exact = escape_times(*base, shape)
    same = np.ones(shape, bool)
    for dx, dy in ((_NUDGE, 0), (-_NUDGE, 0), (0, _NUDGE), (0, -_NUDGE)):
        same &= escape_times(base[0] + dx, base[1] + dy, *base[2:], shape) == exact
    return same | on_circle(view, shape)


def on_circle(view: Mapping[str, Any], shape: tuple[int, int]) -> np.ndarray:
    """Which points are -2, 1 or 2, with a ``z`` of which ``|z|`` is exactly 2; bool."""
    rows, columns = np.indices(shape)
    real = view["left"] + columns * view["step"]
    imaginary = view["top"] - rows * view["step"]
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
    width = step if moved else 0.0
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
    first = "square" if rows == columns else "any-shape"
    return Case(label, inputs, (first, "inside", "stops"))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Counts where they are certain, the bounds, and the work that was done."""
    expected = _times(case.inputs, case.inputs["out"].shape)
    yield from _counts(case, observed, expected)
    yield from hazard_faults(
        observed,
        {OUTSIDE: "inside", ENDLESS: "stops"},
        {
            "out-of-bounds": "Which threads have no point of the image?",
            "runaway-loop": "A point of the set never escapes. What ends the loop then?",
        },
    )
    yield from _work(case, observed)
    if case.inputs["limit"] > 1:  # there all points take their one step, and none escapes
        yield from idle_faults(observed, ("inside", "stops"))


def _counts(case: Case, observed: Plain, expected: np.ndarray) -> Iterable[Fault]:
    got = observed["out"]
    certain = steady(case.inputs, expected.shape)
    wrong = certain & (got != expected)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        yield Fault(
            case.decides[0],
            f"`out[{row}, {column}]` is {got[row, column]}, expected {expected[row, column]} "
            f"({int(wrong.sum())} of {int(certain.sum())} points are wrong)",
            _cause(case, got, expected, certain)
            if observed["complete"]
            else "It was stopped before it came there: a thread was still in its loop.",
        )


def _cause(case: Case, got: np.ndarray, expected: np.ndarray, certain: np.ndarray) -> str:
    inputs = case.inputs
    if np.array_equal(got, inputs["out"]):
        return "Nothing was written. Which line writes into `out`?"
    if not (certain & (got != expected) & ~on_circle(inputs, expected.shape)).any():
        return "There `|z|` becomes exactly 2, and it goes on while `|z|` is *at most* 2."
    unwritten = certain & (got == inputs["out"])
    if unwritten.any() and (expected[unwritten] == inputs["limit"]).all():
        return "It was not written. Points that never escape: who writes `limit` for them?"
    for known in _MISTAKES:
        if _agrees(got, known.gives(inputs, expected)):
            return known.says
    if (got[certain] == inputs["out"][certain]).any():
        return "It was not written. Which thread has this point?"
    return "Follow this point by hand: what is `z` after one step, after two?"


def _agrees(got: np.ndarray, other: np.ndarray) -> bool:
    """Mostly the same: near its edge the set is a matter of rounding."""
    return bool((got == other).mean() > 0.97)


def _work(case: Case, observed: Plain) -> Iterable[Fault]:
    """A lane whose point has escaped has nothing more to compute.

    Threads beyond the image, and steps that a wrong formula takes, are other properties' matter.
    """
    inputs = case.inputs
    (across, down), (wide, high) = inputs["grid"], inputs["block"]
    launched = _times(inputs, (down * high, across * wide))
    counted = np.clip(observed["out"], 0, inputs["limit"])
    steps = max(int(launched.sum()), int(counted.sum()))
    if observed["busiest_lanes"] > _WASTE * (steps + 2 * launched.size):
        yield Fault(
            "stops",
            f"the busiest line ran {observed['busiest_lanes']:,} times, counted by lanes, but the "
            f"points take only {steps:,} steps in all (limit: {inputs['limit']})",
            "What does a thread do once its point has escaped?",
        )


@dataclass(frozen=True)
class _Mistake:
    """What somebody gets who makes it, from the case's inputs and the right counts."""

    gives: Callable[[Mapping[str, Any], np.ndarray], np.ndarray]
    says: str


def _times(inputs: Mapping[str, Any], shape: tuple[int, int], **other: Any) -> np.ndarray:
    view = (inputs[name] for name in ("left", "top", "step", "limit"))
    return escape_times(*view, shape, **other)


def _one_after_the_other(
    x: np.ndarray, y: np.ndarray, real: np.ndarray, imaginary: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    new_x, _ = next_z(x, y, real, imaginary)
    return new_x, 2 * new_x * y + imaginary


_MISTAKES = (
    _Mistake(
        lambda inputs, right: np.where(right < inputs["limit"], right - 1, right),
        "The counts of points that escape are one too low: the step that leads out of the circle "
        "counts, too, and `z` begins at 0.",
    ),
    _Mistake(
        lambda inputs, right: np.where(right < inputs["limit"], right, right + 1),
        "Points that never escape take one step too many. How many are `limit` steps?",
    ),
    _Mistake(
        lambda inputs, right: _times(inputs, right.shape, bound=2.0),
        "That stops at a smaller circle. What is the square of `|z|` where `|z|` is 2?",
    ),
    _Mistake(
        lambda inputs, right: _times(inputs, right.shape, advance=_one_after_the_other),
        "The second line takes the new real part. Both parts are made from the old `z`.",
    ),
    _Mistake(
        lambda inputs, right: _times(
            inputs, right.shape, advance=lambda x, y, re, im: (x * x + y * y + re, 2 * x * y + im)
        ),
        "That adds the square of the imaginary part. What is `i * i`?",
    ),
    _Mistake(
        lambda inputs, right: _times({**inputs, "top": -inputs["top"]}, right.shape),
        "That goes upwards. Does the imaginary part grow or fall from row to row?",
    ),
    _Mistake(
        lambda inputs, right: np.flip(
            _times(
                {**inputs, "top": inputs["top"] + (right.shape[0] - 1) * inputs["step"]},
                right.shape,
            ),
            axis=0,
        ),
        "That goes upwards. Does the imaginary part grow or fall from row to row?",
    ),
    _Mistake(
        lambda inputs, right: _times(inputs, right.T.shape).T,
        "Rows and columns are swapped: the real part goes along the row.",
    ),
)


JUDGE = Judge(
    title="Escape times",
    properties=(
        Property("square", "right on a square image", 1),
        Property("any-shape", "right on an image of any shape", 1),
        Property("inside", "no thread reads or writes outside the image", 1),
        Property("stops", "a thread stops when its point has escaped", 1),
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
    cases=cases,
    verdict=verdict,
)
