"""reduction: its picture."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from gpuedu.exercises.arrays.kernel_objects import (
    kernel_refusals_told,
    reduction_on_machine,
)
from gpuedu.exercises.arrays.watching import on_host
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.offsets import Offsets, plot_offsets

ROWS = tuple(range(-300, 301, 10))


@cache
def logsumexp_naive() -> Any:
    """The kernel straight from the formula that the lesson gives, for the machine."""
    from gpuedu.arrays.kernels import ReductionKernel

    return ReductionKernel(
        "float32 x", "float32 y", "expf(x)", "a + b", "y = logf(a)", "0.0f", "logsumexp_naive"
    )


def draw_reduction(logsumexp: Any) -> Any:
    """What the naive kernel and the learner's give for rows around c, minus c."""
    from gpuedu.arrays import cupy as cp

    base = np.random.default_rng(4).normal(0, 1, 64)
    offsets = np.array(ROWS, np.float64)
    rows = cp.asarray((base + offsets[:, None]).astype(np.float32))
    kernel = reduction_on_machine(logsumexp)
    with kernel_refusals_told():
        own = on_host(kernel(rows, axis=1), "logsumexp").astype(np.float64)
    naive = logsumexp_naive()(rows, axis=1).get().astype(np.float64)
    level = float(np.log(np.exp(base).sum()))
    lines = [
        _line("naive", naive - offsets, style.ORANGE, "-"),
        _line("yours", own - offsets, style.BLUE, "--"),
    ]
    good = {line.name: len(line.finite) for line in lines}
    caption = Caption(
        title="log-sum-exp of rows of 64 numbers around c",
        x="c",
        y="result minus c",
        source="Computed by your kernel on gpuedu's machine. A right answer is a flat line at "
        f"{level:.2f}.",
        alt=f"Of {len(ROWS)} rows, the naive kernel gives a finite number for {good['naive']}, "
        f"yours for {good['yours']}.",
    )
    return plot_offsets(lines, level=level, caption=caption)


def _line(name: str, y: np.ndarray, color: str, dashes: str) -> Offsets:
    return Offsets(name, tuple(map(float, ROWS)), tuple(map(float, y)), color, dashes)


PICTURE = draw_reduction
