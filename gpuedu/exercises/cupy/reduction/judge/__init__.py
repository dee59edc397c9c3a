"""reduction: the logarithm of a sum of exponentials, which never overflows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuedu.exercises.arrays.properties import in_float32
from gpuedu.exercises.compare import are_close, show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

_EPSILON = float(np.finfo(np.float32).eps)
_THREADS = 512
"""Of a block, at most, which together join a row."""
_LARGEST = float(np.finfo(np.float32).max)
_SHAPES = ((3, 31), (5, 33), (4, 129), (2, 700), (1, 1), (1, 60_000))


def cases(rng: np.random.Generator) -> list[Case]:
    """Rows of all lengths, rows far from 0, the farthest included, and rows with -inf."""
    drawn = [
        _case(f"shape {shape}", rng.normal(0, 2, shape), ("values", "single")) for shape in _SHAPES
    ]
    # In so long a row a thread joins several elements, here with gaps of all sizes between them.
    wide = rng.permuted(np.linspace(-40, 40, 1200) + np.zeros((2, 1)), axis=1)
    drawn.append(_case("rows from -40 to 40", wide, ("values",)))
    drawn.append(_case("rows of few different numbers", rng.integers(-2, 3, (3, 65)), ("values",)))
    # Each number below the largest adds next to nothing, all of them more than roundings do.
    many = np.zeros((2, 1001))
    many[[0, 1], rng.integers(0, 1001, 2)] = 10.5, 15.5
    drawn.append(_case("rows of a large number and 1000 zeros", many, ("values",)))
    near = rng.normal(0, 2, (3, 65))
    drawn.append(_case("rows around 1000", near + 1000, ("large",)))
    drawn.append(_case("rows around -1000", near - 1000, ("large",)))
    spread = np.linspace(-1000, 1000, 65) + near
    drawn.append(_case("rows that rise from -1000 to 1000", spread, ("large",)))
    drawn.append(_case("rows that fall from 1000 to -1000", spread[:, ::-1], ("large",)))
    for far in (2e4, 1e30, _LARGEST):
        drawn.append(_case(f"rows around {-far:g} and {far:g}", _far(rng, far), ("large",)))
    masked = rng.normal(0, 2, (4, 70))
    masked[0, ::3], masked[1, :40], masked[2, 1:] = -np.inf, -np.inf, -np.inf
    drawn.append(_case("rows with -inf among the numbers", masked, ("infinite",)))
    long = rng.normal(0, 2, (3, 1200))
    long[0, 1::2], long[1, :1000], long[2, 5:] = -np.inf, -np.inf, -np.inf
    drawn.append(_case("long rows with -inf among the numbers", long, ("infinite",)))
    low = np.where(np.arange(70) % 3, rng.normal(-1000, 2, (3, 70)), -np.inf)
    drawn.append(_case("rows around -1000, with -inf among them", low, ("infinite",)))
    nothing = np.full((2, 40), -np.inf)
    drawn.append(_case("rows of -inf alone", nothing, ("infinite",)))
    drawn.append(_case("rows of one -inf", nothing[:, :1], ("infinite",)))
    drawn.append(_case("rows without elements", nothing[:, :0], ("infinite",)))
    return drawn


def _far(rng: np.random.Generator, far: float) -> np.ndarray:
    """Rows of numbers around -far, one around far, and one of both."""
    rows = np.clip(rng.normal(0, 2, (4, 65)) - far, -_LARGEST, _LARGEST)
    rows[2:, ::2] = -rows[2:, ::2]
    rows[2] = np.abs(rows[2])
    return rows


def _case(label: str, x: np.ndarray, decides: tuple[str, ...]) -> Case:
    return Case(label, {"x": np.ascontiguousarray(x, np.float32)}, decides)


def true_logsumexp(x: np.ndarray) -> np.ndarray:
    """(n,) float64: log of the sum of exp along each row; -inf for rows of none."""
    x = x.astype(np.float64)
    largest = x.max(axis=1, initial=-np.inf, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0)
    with np.errstate(divide="ignore"):
        return shift[:, 0] + np.log(np.exp(x - shift).sum(axis=1))


def _right_rows(name: str, says: str, asks: str) -> Property:
    """Each row's value is right; minus infinity is right where it is expected."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        x, got = case.inputs["x"], observed["result"].astype(np.float64)
        expected = true_logsumexp(x)
        if got.shape != expected.shape:
            yield Fault(name, f"the result has shape {got.shape}, expected {expected.shape}")
            return
        joins = 16 + x.shape[1] / _THREADS  # one after the other, each with a rounding
        room = joins * _EPSILON * np.maximum(np.abs(expected), 1) + 1e-6
        wrong = ~are_close(got, expected, room)
        for row in np.flatnonzero(wrong)[:1]:
            gave, right = show_apart(float(got[row]), float(expected[row]))
            yield Fault(
                name,
                f"row {row}, {_row(x[row])}, gave {gave}, expected {right} "
                f"({wrong.sum()} of {wrong.size} rows are wrong)",
            )

    return Property(name, says, 1, asks, test)


def _row(row: np.ndarray) -> str:
    if not row.size:
        return "which has no elements"
    shown = ", ".join(show(float(f"{value:.4g}")) for value in row[:3])
    return f"which begins {shown}" if row.size > 3 else f"which is {shown}"


JUDGE = Judge(
    title="A sum that never overflows",
    properties=(
        _right_rows(
            "values",
            "rows of moderate numbers are right, of any length",
            "For a row of two numbers: what does each turn into, what do the two together, and "
            "what does the row give in the end?",
        ),
        _right_rows(
            "large",
            "rows of numbers far from 0 are right, on either side",
            "Of which numbers does your kernel take exponentials in such a row, and how large is "
            "each of them?",
        ),
        _right_rows(
            "infinite",
            "-inf counts as nothing; rows of nothing else, or without elements, give -inf",
            "In such a row a pair has numbers, -inf alone, or no elements. What does `join` make "
            "of any two of those?",
        ),
        in_float32(1),
    ),
    hints=(
        "Take two halves of a row with their pairs (3, 1.5) and (5, 2.0). The sums are of "
        "exp(x - 3) and of exp(x - 5). What is the largest of all, and what is the sum of "
        "exp(x - 5) over both halves?",
        "With m the larger of the two, a pair's sum is multiplied by exp(its largest - m). "
        "`nothing` has a sum of 0 and should not change another pair: which largest does it need? "
        "And what is that factor if both are minus infinity?",
        "`nothing`: `make_float2(MINUS_INFINITY, 0.0f)`. `join`: `float m = fmaxf(a.x, b.x);`, "
        "return `nothing()` if m is minus infinity, else the pair of m and the two sums, each "
        "times its `expf`.",
    ),
    results=("values", "large", "infinite"),
    cases=cases,
    varies=("flop", "flop64", "line64"),
    predictions={
        "reduction": Prediction(
            "float32 ends at 3.4e38. What is the largest whole x for which exp(x) is not infinite?",
            truth=88,
            because="exp(88) is 1.7e38, exp(89) is 4.5e38. A network's outputs can get that large.",
        )
    },
)
