"""A thread computes a tile of c in its registers: the middle rungs in Numba.

a is (M, K), b is (K, N), c is (M, N), all float32 and C-contiguous, of any size.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from numba import float32

from gpuedu.backend import cuda
from gpuedu.ladder.blocking import Blocking


@cache
def make_register_tile(blocking: Blocking) -> Any:
    """The kernel for a blocking. A thread's rows and columns are a whole block of threads apart.

    Launch: ``threads`` threads, x over the columns of c's blocks and y over the rows. A step of k
    reads ``thread_rows`` + ``thread_columns`` words of shared memory for ``thread_rows`` x
    ``thread_columns`` multiply-adds. Each thread writes its own elements; two barriers a step, as
    in the tiled kernel, so there is no race.
    """
    ROWS, COLUMNS, DEPTH = blocking.tile
    OWN_ROWS, OWN_COLUMNS = blocking.thread_rows, blocking.thread_columns
    DOWN, ACROSS, THREADS = ROWS // OWN_ROWS, COLUMNS // OWN_COLUMNS, blocking.threads
    A_TURNS, B_TURNS = ROWS * DEPTH // THREADS, DEPTH * COLUMNS // THREADS
    PITCH = ROWS + 4  # the 32 elements of a that a warp stores go to 32 banks

    @cuda.jit
    def register_tile(a, b, c):
        tile_a = cuda.shared.array((DEPTH, PITCH), float32)
        tile_b = cuda.shared.array((DEPTH, COLUMNS), float32)
        total = cuda.local.array((OWN_ROWS, OWN_COLUMNS), float32)
        of_a = cuda.local.array(OWN_ROWS, float32)
        of_b = cuda.local.array(OWN_COLUMNS, float32)
        t = cuda.threadIdx.x
        top, left = cuda.blockIdx.y * ROWS, cuda.blockIdx.x * COLUMNS
        y, x = t // ACROSS, t % ACROSS
        for i in range(OWN_ROWS):
            for j in range(OWN_COLUMNS):
                total[i, j] = float32(0)

        for start in range(0, a.shape[1], DEPTH):
            for turn in range(A_TURNS):
                row, k = (t + turn * THREADS) // DEPTH, (t + turn * THREADS) % DEPTH
                is_in_a = top + row < a.shape[0] and start + k < a.shape[1]
                tile_a[k, row] = a[top + row, start + k] if is_in_a else float32(0)
            for turn in range(B_TURNS):
                k, column = (t + turn * THREADS) // COLUMNS, (t + turn * THREADS) % COLUMNS
                is_in_b = start + k < b.shape[0] and left + column < b.shape[1]
                tile_b[k, column] = b[start + k, left + column] if is_in_b else float32(0)
            cuda.syncthreads()
            for k in range(DEPTH):
                for i in range(OWN_ROWS):
                    of_a[i] = tile_a[k, y + i * DOWN]
                for j in range(OWN_COLUMNS):
                    of_b[j] = tile_b[k, x + j * ACROSS]
                for i in range(OWN_ROWS):
                    for j in range(OWN_COLUMNS):
                        total[i, j] += of_a[i] * of_b[j]
            cuda.syncthreads()

        for i in range(OWN_ROWS):
            for j in range(OWN_COLUMNS):
                row, column = top + y + i * DOWN, left + x + j * ACROSS
                if row < c.shape[0] and column < c.shape[1]:
                    c[row, column] = total[i, j]

    return register_tile
