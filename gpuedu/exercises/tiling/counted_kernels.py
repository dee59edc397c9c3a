"""Eight kernels, most of them known from earlier lessons, as the machine runs them.

The matmuls are the first rungs of the ladder; each of the others is the plain function below
``@cuda.jit``. All arrays are float32, and a thread of those writes elements of its own alone, so
that none has a race.
"""

from __future__ import annotations

from numba import float32

from gpuedu.backend import cuda
from gpuedu.ladder.plain import by_columns, naive, tiled

__all__ = [
    "by_columns",
    "naive",
    "power_series",
    "saxpy",
    "speed_of_rows",
    "stencil",
    "sum_of_rows",
    "tiled",
]


def saxpy(a, x, y):
    """``y`` becomes ``a * x + y``; a thread for each element."""
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


def speed_of_rows(table, out):
    """The squared speed of particles that are rows (x, y, z, vx, vy, vz); a thread for each."""
    i = cuda.grid(1)
    if i < out.size:
        vx, vy, vz = table[i, 3], table[i, 4], table[i, 5]
        out[i] = vx * vx + vy * vy + vz * vz


def sum_of_rows(m, out):
    """The sum of each row; a thread walks along a row of its own."""
    i = cuda.grid(1)
    if i < m.shape[0]:
        total = float32(0)
        for k in range(m.shape[1]):
            total += m[i, k]
        out[i] = total


def stencil(x, w, out):
    """``out[i]`` is the sum of ``w[k] * x[i + k]`` for seven k; a thread for each."""
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for k in range(7):
            total += w[k] * x[i + k]
        out[i] = total


def power_series(x, out, degree):
    """``1 + x + x**2 + ...`` up to ``degree``, by Horner's rule; a thread for each element."""
    i = cuda.grid(1)
    if i < out.size:
        value, total = x[i], float32(1)
        for _ in range(degree):
            total = total * value + float32(1)
        out[i] = total
