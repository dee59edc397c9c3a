"""fused-softmax: a row for each program, read once and written once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import Case, Inputs, Judge, Prediction
from gpuedu.exercises.kernels.program_properties import (
    in_bounds,
    loads_at_most,
    masked_apart,
    once_right,
    own_elements,
)
from gpuedu.exercises.kernels.properties import right_values

_SHAPES = ((3, 100), (5, 64), (4, 33), (1, 1))
"""Rows and columns: with elements of a block to spare, a whole block, and a single element."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Ordinary rows, rows below zero, and rows whose powers no float32 holds."""
    found = []
    for rows, columns in _SHAPES:
        x = rng.normal(size=(rows, columns)) - 3.0
        found.append(_case(f"{rows} rows of {columns}", x, ("right", "once", "own", "inside")))
    x = rng.normal(size=(3, 100)) - 3.0
    found.append(_case("3 rows of 100 and masks", x, ("masked",)))
    low = np.full((3, 50), -1000.0)
    both = np.where(np.arange(low.size) % 3, 1000.0, -1000.0).reshape(low.shape)
    for says, shift in (("1000 and -1000", both), ("-1000", low)):
        x = rng.normal(size=low.shape) + shift
        found.append(_case(f"3 rows of 50 around {says}", x, ("safe",)))
    return found


def _case(label: str, x: np.ndarray, decides: tuple[str, ...]) -> Case:
    rows, columns = x.shape
    block = 1 << (columns - 1).bit_length()
    inputs = {"x": x.astype(np.float32), "out": np.full(x.shape, np.nan, np.float32)}
    inputs |= {"columns": columns, "BLOCK": block, "grid": rows, "threads": 128}
    return Case(label, inputs, decides)


def softmax(inputs: Inputs) -> np.ndarray:
    """The softmax of each row, in float64."""
    x = inputs["x"].astype(np.float64)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


_ASKS = "Which elements take part in the maximum and in the sum of a row, and what are they then?"

JUDGE = Judge(
    title="A softmax that moves each byte once",
    properties=(
        right_values(
            "right",
            "each row of `out` is the softmax of that row of `x`",
            2,
            softmax,
            tolerance=1e-6,
            leaves=("x",),
            asks=_ASKS,
        ),
        replace(
            right_values(
                "safe",
                "it is right for rows around 1000 and -1000, too",
                1,
                softmax,
                tolerance=1e-6,
                asks="Relative to which number are the powers of that row, and is it one of the "
                "row's?",
            ),
            after=("right",),
        ),
        *once_right(
            in_bounds(1),
            masked_apart(1),
            loads_at_most(
                "once",
                "each element of `x` is loaded once",
                1,
                1,
                ("x",),
                asks="Which line loads it again, and where is its value after the first time?",
            ),
            own_elements(1),
        ),
    ),
    hints=(
        "One program has one row: it starts at `x + row * columns`. A block of `BLOCK` positions "
        "covers the row, and a mask says which of them exist.",
        "Load the row once, with an `other` that changes neither the maximum nor the sum. Then "
        "`tl.max` and `tl.sum` over axis 0 give one number each.",
        '`values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))`, '
        "`powers = tl.exp(values - tl.max(values, axis=0))`, and store `powers / tl.sum(powers, "
        "axis=0)` with the same mask.",
    ),
    cases=cases,
    predictions={
        "fused-softmax": Prediction(
            "PyTorch without a kernel for softmax: five operations, each with its own kernel. How "
            "many bytes do they move for each byte of `x`?",
            truth=8,
            unit="bytes for each byte of x",
            because="The maximum reads x; the difference reads x and writes; the exponential "
            "reads and writes; the sum reads; the quotient reads and writes. That's five reads "
            "and three writes, besides one number for each row.",
        ),
    },
)
