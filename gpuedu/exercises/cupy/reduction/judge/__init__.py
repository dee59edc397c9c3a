"""reduction: the logarithm of a sum of exponentials, which never overflows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.cupy.judge.arithmetic import single_faults

_EPSILON = float(np.finfo(np.float32).eps)
_SHAPES = ((3, 31), (5, 33), (4, 129), (2, 700), (1, 1))


def cases(rng: np.random.Generator) -> list[Case]:
    """Rows of all lengths, rows far from 0, and rows with minus infinity."""
    drawn = [
        _case(f"shape {shape}", rng.normal(0, 2, shape), ("values", "single")) for shape in _SHAPES
    ]
    near = rng.normal(0, 2, (3, 65))
    drawn.append(_case("rows around 1000", near + 1000, ("large",)))
    drawn.append(_case("rows around -1000", near - 1000, ("large",)))
    spread = np.linspace(-1000, 1000, 65) + near
    drawn.append(_case("rows that rise from -1000 to 1000", spread, ("large",)))
    drawn.append(_case("rows that fall from 1000 to -1000", spread[:, ::-1], ("large",)))
    masked = rng.normal(0, 2, (4, 70))
    masked[0, ::3], masked[1, :40], masked[2, 1:] = -np.inf, -np.inf, -np.inf
    drawn.append(_case("rows with -inf among the numbers", masked, ("infinite",)))
    nothing = np.full((2, 40), -np.inf)
    drawn.append(_case("rows of -inf alone", nothing, ("infinite",)))
    drawn.append(_case("rows of one -inf", nothing[:, :1], ("infinite",)))
    drawn.append(_case("rows without elements", nothing[:, :0], ("infinite",)))
    return drawn


def _case(label: str, x: np.ndarray, decides: tuple[str, ...]) -> Case:
    return Case(label, {"x": np.ascontiguousarray(x, np.float32)}, decides)


def true_logsumexp(x: np.ndarray) -> np.ndarray:
    """(n,) float64: log of the sum of exp along each row; -inf for rows of none."""
    x = x.astype(np.float64)
    largest = x.max(axis=1, initial=-np.inf, keepdims=True)
    shift = np.where(np.isfinite(largest), largest, 0)
    with np.errstate(divide="ignore"):
        return shift[:, 0] + np.log(np.exp(x - shift).sum(axis=1))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The value of each row, and the dtype of the arithmetic."""
    x, got = case.inputs["x"], observed["result"].astype(np.float64)
    expected = true_logsumexp(x)
    prop = case.decides[0]
    if got.shape != expected.shape:
        yield Fault(prop, f"the result has shape {got.shape}, expected {expected.shape}")
        return
    room = 16 * _EPSILON * np.maximum(np.abs(expected), 1) + 1e-6
    with np.errstate(invalid="ignore"):
        wrong = ~((got == expected) | (np.abs(got - expected) <= room))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        yield Fault(
            prop,
            f"row {row}, {_row(x[row])}, gave {show(got[row])}, expected {show(expected[row])} "
            f"({int(wrong.sum())} of {wrong.size} rows are wrong)",
            _why(x[row], float(got[row]), float(expected[row])),
        )
    if "single" in case.decides:
        yield from single_faults("single", observed)


def _row(row: np.ndarray) -> str:
    if not row.size:
        return "which has no elements"
    shown = ", ".join(show(float(f"{value:.4g}")) for value in row[:3])
    return f"which begins {shown}" if row.size > 3 else f"which is {shown}"


def _why(row: np.ndarray, got: float, right: float) -> str:
    if np.isnan(got):
        return (
            "NaN comes of infinity minus infinity, or 0 times infinity. What do you take the "
            "exponential of when one of the pairs is empty, or both are?"
        )
    if got == np.inf:
        return "An exponential overflowed: in float32 beyond about 88. What is subtracted before?"
    if got == -np.inf:
        return (
            "The sum was 0: all exponentials vanished. With which number does the largest begin, "
            "and by what is a full pair's sum multiplied when it meets an empty one?"
        )
    return _slip(row[np.isfinite(row)].astype(np.float64), got, right) or (
        "When two pairs join, each sum was made for its own largest. By what is it multiplied to "
        "fit the larger of the two?"
    )


def _slip(finite: np.ndarray, got: float, right: float) -> str:
    """The sentence of the known slip that gives this value for a row of finite numbers."""
    if not finite.size:
        return ""
    largest, scaled = finite.max(), np.exp(right - finite.max())
    known = (
        (largest, "That is the largest alone. What happens to the sums when two pairs join?"),
        (right - largest, "The largest is missing: it was taken off, and is to be added again."),
        (scaled, "That is the sum. Its logarithm, and the largest, are missing."),
        (largest + scaled, "The sum was added as it is: its logarithm is missing."),
        (
            largest + np.log(finite.size),
            "The sums were added as they are. Each was made for its "
            "own largest: by what is it multiplied to fit the larger of the two?",
        ),
    )
    return next((says for gives, says in known if np.isclose(got, gives, rtol=1e-5)), "")


JUDGE = Judge(
    title="A sum that never overflows",
    properties=(
        Property("values", "rows of moderate numbers are right, of any length", 1),
        Property("large", "rows around 1000 and -1000 are right", 1),
        Property(
            "infinite",
            "-inf counts as nothing; rows of nothing else, or without elements, give -inf",
            1,
        ),
        Property("single", "all arithmetic is in float32", 1),
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
    cases=cases,
    verdict=verdict,
    predictions={
        "reduction": Prediction(
            "float32 ends at 3.4e38. What is the largest whole x for which exp(x) is not infinite?",
            truth=88,
            because="exp(88) is 1.7e38, exp(89) is 4.5e38. A network's outputs get that far.",
        )
    },
)
