"""Kernels that the lesson's pictures launch beside the learner's own."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def add_bias_swapped() -> Any:
    """``out = m + bias`` with x along the column: right, and costly.

    Launched over (columns, rows); each element is written by one thread.
    """
    from gpuedu.backend import cuda

    @cuda.jit
    def add_bias_swapped(m, bias, out):
        row, column = cuda.grid(2)
        if row < m.shape[0] and column < m.shape[1]:
            out[row, column] = m[row, column] + bias[column]

    return add_bias_swapped


@cache
def saxpy_on_machine() -> Any:
    """``out = a * x + y`` for the SIMT machine, on every tier: its host API counts copies.

    A thread for each element; no two write the same one.
    """
    from gpuedu.simt.host import cuda

    @cuda.jit
    def saxpy(a, x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a * x[i] + y[i]

    return saxpy
