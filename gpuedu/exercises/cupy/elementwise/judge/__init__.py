"""elementwise: a chain of array operations as one kernel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuedu.exercises.arrays.properties import in_float32, right_array
from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property

ROOT, CUBIC = 0.7978845608028654, 0.044715
"""The two constants of GELU's formula: the root of 2 / pi, and the weight of the cube."""

_EPSILON = float(np.finfo(np.float32).eps)
_SHAPES = ((33,), (1000,), (16, 25), (1,))


def cases(rng: np.random.Generator) -> list[Case]:
    """Moderate numbers of both signs, in one and two dimensions; 0 and tiny ones; large ones."""
    decides = ("values", "single", "once")
    drawn = [_case("moderate", rng.normal(0, 2, shape), decides) for shape in _SHAPES]
    tiny = rng.choice((-1.0, 1.0), 40) * 10 ** rng.uniform(-30, -3, 40)
    drawn.append(_case("tiny", np.append(tiny, 0), decides))
    signs = rng.choice((-1.0, 1.0), 120)
    drawn.append(_case("large", signs * 10 ** rng.uniform(1, 3, 120), ("large",)))
    drawn.append(_case("huge", signs * 10 ** rng.uniform(3, 30, 120), ("large",)))
    return drawn


def _case(kind: str, x: np.ndarray, decides: tuple[str, ...]) -> Case:
    return Case(f"{kind} numbers, shape {x.shape}", {"x": x.astype(np.float32)}, decides)


def gelu(inputs: Inputs) -> np.ndarray:
    """GELU by its formula with the hyperbolic tangent, in float64."""
    x = inputs["x"].astype(np.float64)
    return 0.5 * x * (1 + np.tanh(ROOT * (x + CUBIC * x**3)))


def room(inputs: Inputs) -> np.ndarray:
    """How far off each value may be."""
    return 8 * _EPSILON * np.abs(inputs["x"]) + 1e-30


def moved_once(case: Case, observed: Plain) -> Iterator[Fault]:
    """One launch, which moves no more than the sectors that x and a float32 result lie in."""
    x, dtype = case.inputs["x"], observed["result"].dtype
    if dtype != np.float32:
        yield Fault("once", f"x is float32, the result is {dtype}")
    if observed["launches"] != 1:
        yield Fault("once", f"{observed['launches']} launches")
    moved_bytes, array_bytes = observed["moved_bytes"], 32 * -(-x.nbytes // 32)
    wanted = 2 * array_bytes
    # A y that is computed step by step is read, too; a compiler keeps it in a register.
    if moved_bytes > wanted + array_bytes:
        moved = f"{moved_bytes:,} bytes were moved for {x.size} elements"
        yield Fault("once", f"{moved}; {wanted:,} would do")


_VALUES = {"expected": gelu, "tolerance": room, "array": "y"}

JUDGE = Judge(
    title="A chain in one kernel",
    properties=(
        right_array(
            "values",
            "the values are right",
            1,
            asks="What does each term of your operation give for that x, and what does it give in "
            "the formula?",
            **_VALUES,
        ),
        right_array(
            "large",
            "the values for large |x| are right, too",
            1,
            asks="What does each term of your operation become for an x as large as that?",
            **_VALUES,
        ),
        in_float32(1),
        Property(
            "once",
            "one launch; x is read once, the result is written once, in float32",
            1,
            "What does your kernel read and write for each element, and in which dtype?",
            moved_once,
        ),
    ),
    hints=(
        "In the operation, `x` and `y` are single numbers. How would you write the formula for one "
        "number in C? There is no `**`: how else do you get a cube?",
        "`x * x * x` is the cube, `tanhf` is `tanh` for floats. And a number such as `0.5` is a "
        "double in C, which makes the whole product one: write `0.5f`.",
        "Two lines: `float u = 0.7978846f * (x + 0.044715f * x * x * x);` and then `y` from `x` "
        "and `tanhf(u)`.",
    ),
    results=("values", "large"),
    cases=cases,
    varies=("flop", "flop64", "line64"),
    predictions={
        "elementwise": Prediction(
            "how many times as many bytes does `gelu_chain` move as one kernel that reads x once "
            "and writes y once?",
            truth=9,
            exact=True,
            unit="times",
            because="8 launches. Each reads its arrays and writes one: the sum and the last "
            "product move 3 arrays, the other six 2. That is 18 arrays against 2.",
        )
    },
)
