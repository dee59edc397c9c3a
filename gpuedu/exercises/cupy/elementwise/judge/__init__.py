"""elementwise: a chain of array operations as one kernel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.cupy.judge.arithmetic import single_faults

ROOT, CUBIC = 0.7978845608028654, 0.044715
"""The two constants of GELU's formula: the root of 2 / pi, and the weight of the cube."""

_EPSILON = float(np.finfo(np.float32).eps)
_SHAPES = ((33,), (1000,), (16, 25), (1,))


def cases(rng: np.random.Generator) -> list[Case]:
    """Moderate numbers of both signs, in one and two dimensions; then large ones."""
    drawn = [
        _case("moderate", rng.normal(0, 2, shape), ("values", "single", "once"))
        for shape in _SHAPES
    ]
    signs = rng.choice((-1.0, 1.0), 120)
    drawn.append(_case("large", signs * 10 ** rng.uniform(1, 3, 120), ("large",)))
    drawn.append(_case("huge", signs * 10 ** rng.uniform(3, 30, 120), ("large",)))
    return drawn


def _case(kind: str, x: np.ndarray, decides: tuple[str, ...]) -> Case:
    return Case(f"{kind} numbers, shape {x.shape}", {"x": x.astype(np.float32)}, decides)


def true_gelu(x: np.ndarray) -> np.ndarray:
    """GELU by its formula with the hyperbolic tangent, in float64."""
    x = x.astype(np.float64)
    return 0.5 * x * (1 + np.tanh(ROOT * (x + CUBIC * x**3)))


_erf = np.vectorize(math.erf, otypes=[float])


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values, the dtype of the arithmetic, and what was moved."""
    x, got = case.inputs["x"], observed["result"]
    expected = true_gelu(x)
    prop = "large" if "large" in case.decides else "values"
    if got.shape != expected.shape:
        yield Fault(prop, f"the result has shape {got.shape}, expected {expected.shape}")
        return
    yield from array_fault(
        prop,
        got,
        expected,
        tolerance=8 * _EPSILON * np.abs(x) + 1e-30,
        name="y",
        cause=_why(x.astype(np.float64), got, expected),
    )
    if prop == "values":
        yield from single_faults("single", observed)
        yield from _once_faults(x, observed)


def _why(x: np.ndarray, got: np.ndarray, right: np.ndarray) -> str:
    if np.isnan(got).any():
        return (
            "NaN comes of infinity over infinity, or infinity minus infinity. Which of your terms "
            "overflows? `tanhf` never does."
        )
    if not got.any():
        return "All of it is 0. In CUDA C, `1 / 2` is a division of whole numbers."
    slips = (
        (2 * right, "This is twice the result: is the 0.5 there?"),
        (right / x, "This lacks the factor x."),
        (
            x / (1 + np.exp(-np.clip(1.702 * x, -700, 700))),
            "That is another approximation of GELU.",
        ),
        (0.5 * x * (1 + np.tanh(x + CUBIC * x**3)), "The factor before the bracket is missing."),
        (
            0.5 * x * (1 + np.tanh(ROOT * x + CUBIC * x**3)),
            "The factor belongs to the whole bracket.",
        ),
        (0.5 * x * (1 + np.tanh(ROOT * (x + x**3))), "The weight of the cube is missing."),
        (0.5 * x * (1 + np.tanh(ROOT * (x + CUBIC * x**2))), "That is a square, not a cube."),
        (np.where(x > 0, right, 0), "This is 0 for negative x. GELU is small there, but not 0."),
        (0.5 * x * (1 + _erf(x / 2**0.5)), "That is GELU's other form, with the error function."),
    )
    with np.errstate(all="ignore"):
        near = 2e-5 * np.abs(x) + 1e-6
        return next((says for gives, says in slips if (np.abs(got - gives) <= near).all()), "")


def _once_faults(x: np.ndarray, observed: Plain) -> Iterator[Fault]:
    dtype, launches = observed["result"].dtype, observed["launches"]
    if dtype != np.float32:
        yield Fault(
            "once",
            f"x is float32, the result is {dtype}",
            "The second text of the kernel names the type of its output.",
        )
    if launches != 1:
        yield Fault("once", f"{launches} launches")
    wanted = _in_sectors(x.nbytes) * 2
    if observed["moved_bytes"] > wanted:
        yield Fault(
            "once",
            f"{observed['moved_bytes']:,} bytes were moved for {x.size} elements; {wanted:,} do",
            "Which array is larger than it need be?",
        )


def _in_sectors(size_bytes: int) -> int:
    """Bytes of the sectors of 32 that an array at the beginning of a sector lies in."""
    return -(-size_bytes // 32) * 32


JUDGE = Judge(
    title="A chain in one kernel",
    properties=(
        Property("values", "the values are right", 1),
        Property("large", "the values for large |x| are right, too", 1),
        Property("single", "all arithmetic is in float32", 1),
        Property("once", "one launch; x is read once, the result is written once, in float32", 1),
    ),
    hints=(
        "In the operation, `x` and `y` are single numbers. How would you write the formula for one "
        "number in C? There is no `**`: how else do you get a cube?",
        "`x * x * x` is the cube, `tanhf` is `tanh` for floats. And a number such as `0.5` is a "
        "double in C, which makes the whole product one: write `0.5f`.",
        "Two lines: `float u = 0.7978846f * (x + 0.044715f * x * x * x);` and then `y` from `x` "
        "and `tanhf(u)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "elementwise": Prediction(
            "how many times as many bytes does `gelu_chain` move as one kernel that reads x once "
            "and writes y once?",
            truth=9,
            unit="times",
            because="8 launches. Each reads its arrays and writes one: the sum and the last "
            "product move 3 arrays, the other six 2. That is 18 arrays against 2.",
        )
    },
)
