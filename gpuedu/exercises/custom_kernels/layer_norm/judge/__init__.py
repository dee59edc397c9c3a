"""layer-norm: rows longer than a block, each element loaded twice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import Case, Inputs, Judge, Prediction
from gpuedu.exercises.kernels.program_properties import (
    in_bounds,
    loads_at_most,
    masked_apart,
    no_float64,
    once_right,
    own_elements,
)
from gpuedu.exercises.kernels.properties import right_values

_LONG = 20_000
"""More than any block that people choose for a row as a whole."""
_ALL = ("right", "inside", "masked", "twice", "float32", "own")


def cases(rng: np.random.Generator) -> list[Case]:
    """Rows of whole blocks and of others, of less than one, far from zero, and a very long one."""
    return [
        _case(rng, 3, 100, 32, 0.0, ("right",)),
        _case(rng, 3, 100, 32, 2.0, _ALL),
        _case(rng, 2, 64, 32, -1.0, ("right", "twice", "own"), eps=0.5),
        _case(rng, 2, 33, 16, 1.0, _ALL),
        _case(rng, 2, 20, 32, 1.0, ("right",)),
        _case(rng, 2, 100, 32, 1000.0, ("stable",)),
        _case(rng, 2, 64, 16, -3000.0, ("stable",)),
        _case(rng, 1, _LONG, 1024, 0.5, ("right",)),
    ]


def _case(
    rng: np.random.Generator,
    rows: int,
    columns: int,
    block: int,
    mean: float,
    decides: tuple[str, ...],
    *,
    eps: float = 1e-5,
) -> Case:
    x = (mean + rng.normal(size=(rows, columns)) * (1 + np.arange(rows)[:, None])).astype("f4")
    weight, bias = (rng.normal(size=columns).astype(np.float32) for _ in range(2))
    inputs = {"x": x, "out": np.full(x.shape, np.nan, np.float32), "weight": weight, "bias": bias}
    inputs |= {"columns": columns, "eps": eps, "BLOCK": block, "grid": rows, "threads": 128}
    return Case(f"{rows} rows of {columns} around {mean:g}, blocks of {block}", inputs, decides)


def layer_norm(inputs: Inputs) -> np.ndarray:
    """The right result in float64."""
    x = inputs["x"].astype(np.float64)
    off = x - x.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt((off**2).mean(axis=1, keepdims=True) + inputs["eps"])
    return off * scale * inputs["weight"] + inputs["bias"]


JUDGE = Judge(
    title="A layer norm of long rows",
    properties=(
        right_values(
            "right",
            "each row of `out` is the layer norm of that row of `x`",
            2,
            layer_norm,
            tolerance=2e-5,
            leaves=("x", "weight", "bias"),
            asks="Take a row of 3 numbers and blocks of 2. Which mean and which variance does your "
            "kernel have after the first block, and which after the second?",
        ),
        replace(
            right_values(
                "stable",
                "it is right to within 0.004 for rows around 1000 and -3000",
                1,
                layer_norm,
                tolerance=4e-3,
                asks="Which large numbers does your kernel subtract from each other, and how many "
                "digits of the difference are left in float32?",
            ),
            after=("right",),
            waits_for=("right",),
        ),
        *once_right(
            in_bounds(1),
            masked_apart(1),
            loads_at_most(
                "twice",
                "each element of `x` is loaded at most twice, and a program loads each weight and "
                "bias once",
                1,
                2,
                ("x",),
                asks="How often does your kernel go through a row, and what could be computed at "
                "the same time?",
                once=("weight", "bias"),
            ),
            no_float64(0.5),
            own_elements(0.5),
        ),
    ),
    hints=(
        "Go through the row twice. The first loop keeps three numbers: how many elements have "
        "come, their mean, and the sum of their squared deviations from it. The second loop loads "
        "the row again and stores the result.",
        "In the first loop, compute the same three numbers of the block alone: how many of its "
        "elements exist, their mean, and their squared deviations from it (0 for those that don't "
        "exist, by `tl.where`). Then merge by the two formulas above.",
        "`more = tl.minimum(BLOCK, columns - start)`, `middle = tl.sum(values, axis=0) / more`, "
        "`off = tl.where(at < columns, values - middle, 0.0)`. With `delta = middle - mean`: mean "
        "grows by `delta * more / (count + more)`, and squares by `tl.sum(off * off, axis=0) + "
        "delta * delta * count * more / (count + more)`.",
    ),
    cases=cases,
    predictions={
        "layer-norm": Prediction(
            "A kernel goes through each row three times: for the mean, for the variance, and for "
            "the result. How many bytes does it move for each byte of `x`?",
            truth=4,
            unit="bytes for each byte of x",
            because="It reads the row three times, and writes it once. (Its caches may still have "
            "a short row when it comes again.)",
        ),
    },
)
