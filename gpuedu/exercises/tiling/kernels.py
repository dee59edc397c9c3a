"""Eight kernels, most of them known from earlier lessons, as the machine runs them.

Each is the plain function below ``@cuda.jit``. All arrays are float32. A thread writes elements of
its own alone, and where a block shares a tile, two barriers keep its filling from its reading, so
that none has a race.
"""

from __future__ import annotations

from numba import float32

from gpuedu.backend import cuda

TILE = 32
"""Rows and columns of a tile, and the threads of a block along x and along y."""


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


def matmul_by_columns(a, b, c):
    """``c = a @ b`` with 32 x 32 threads a block; x runs down the rows of ``c``."""
    i, j = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def matmul_naive(a, b, c):
    """``c = a @ b`` with 32 x 32 threads a block; x runs along a row of ``c``."""
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def matmul_tiled(a, b, c):
    """``c = a @ b`` through tiles of 32 x 32 in shared memory; shapes are whole tiles."""
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    total = float32(0)
    for first in range(0, a.shape[1], TILE):
        tile_a[y, x] = a[i, first + x]
        tile_b[y, x] = b[first + y, j]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[i, j] = total
