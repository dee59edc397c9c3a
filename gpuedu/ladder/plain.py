"""The first rungs in Numba: one thread computes one element of c = a @ b.

a is (M, K), b is (K, N), c is (M, N), all float32 and C-contiguous, of any size.
"""

from __future__ import annotations

from numba import float32

from gpuedu.backend import cuda

SIDE = 32
"""Threads along each side of a block, and rows and columns of a tile."""


@cuda.jit
def by_columns(a, b, c):
    """The wrong way round: threadIdx.x walks down a column of c, so a warp touches 32 rows.

    Launch: (32, 32) threads, x over the rows of c and y over its columns. Every thread writes its
    own element, so there is no race.
    """
    row, column = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@cuda.jit
def naive(a, b, c):
    """The right way round: threadIdx.x walks along a row of c, so a warp reads a row of b.

    Launch: (32, 32) threads, x over the columns of c and y over its rows. Every thread writes its
    own element, so there is no race.
    """
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


@cuda.jit
def tiled(a, b, c):
    """Each block brings tiles of a and b to shared memory, and reads each element 32 times there.

    Launch: (32, 32) threads, x over the columns of c and y over its rows; all threads of a block
    come to both barriers. The first barrier lets no thread read a tile that is not full, the second
    none overwrite a tile that is still read. What lies outside of a and b counts as 0.
    """
    tile_a = cuda.shared.array((SIDE, SIDE), float32)
    tile_b = cuda.shared.array((SIDE, SIDE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for start in range(0, a.shape[1], SIDE):
        is_in_a = row < a.shape[0] and start + x < a.shape[1]
        is_in_b = start + y < b.shape[0] and column < b.shape[1]
        tile_a[y, x] = a[row, start + x] if is_in_a else float32(0)
        tile_b[y, x] = b[start + y, column] if is_in_b else float32(0)
        cuda.syncthreads()
        for k in range(SIDE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total
