"""The last rungs in Numba: vector loads, and a second buffer filled ahead of its use.

a is (M, K), b is (K, N), c is (M, N), all float32 and C-contiguous. Three habits make the compiler
produce what it does for CUDA C:

- Indices into shared memory are built from masked bits, ``(t >> 3) & 3``. Python's index -1 is the
  last element, so Numba adds a test to every index that could be negative; for masked bits the
  compiler sees that they cannot be. Only then does it join four neighboring loads into one of 16
  bytes.
- The steps of k are written one by one, with literal numbers. The compiler leaves a loop of this
  size rolled, and then computes addresses at run time that are constants here.
- ``WHOLE`` is a constant: the kernel for shapes of whole tiles has no guards at all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from numba import float32, int64

from gpuedu.backend import cuda
from gpuedu.ladder.blocking import VECTOR, Blocking, log2

_NOT_NEGATIVE = 0x7FFFFFFF
DEPTH = 8
"""Steps of k in a tile; ``multiply_tile`` has them unrolled."""


class Parts(NamedTuple):
    """Device functions that the kernels are built from, made for one blocking."""

    fetch: Callable[..., Any]
    keep: Callable[..., Any]
    multiply_tile: Callable[..., Any]
    write: Callable[..., Any]


@cache
def make_parts(blocking: Blocking, is_whole: bool) -> Parts:
    """The device functions for a blocking; without guards if ``is_whole``.

    ``fetch`` brings a thread's share of the next tiles into its registers, ``keep`` puts it into
    shared memory, ``multiply_tile`` does all steps of k of a tile, ``write`` puts the thread's
    results into c.
    """
    WHOLE = is_whole
    OWN_ROWS, OWN_COLUMNS = blocking.thread_rows, blocking.thread_columns
    ROW_GROUPS, COLUMN_GROUPS = OWN_ROWS // VECTOR, OWN_COLUMNS // VECTOR
    ROW_STEP, COLUMN_STEP = blocking.row_step, blocking.column_step
    A_TURNS = blocking.rows * DEPTH // blocking.threads
    B_TURNS = DEPTH * blocking.columns // blocking.threads
    A_STEP, B_STEP = blocking.threads // DEPTH, blocking.threads // blocking.columns

    @cuda.jit(device=True)
    def fetch(a, b, next_a, next_b, row, column, start, k_a, k_b):
        for turn in range(A_TURNS):
            at = row + turn * A_STEP
            if WHOLE:
                next_a[turn] = a[at, start + k_a]
            else:
                is_in_a = at < a.shape[0] and start + k_a < a.shape[1]
                next_a[turn] = a[at, start + k_a] if is_in_a else float32(0)
        for turn in range(B_TURNS):
            at = start + k_b + turn * B_STEP
            if WHOLE:
                next_b[turn] = b[at, column]
            else:
                is_in_b = at < b.shape[0] and column < b.shape[1]
                next_b[turn] = b[at, column] if is_in_b else float32(0)

    @cuda.jit(device=True)
    def keep(tile_a, tile_b, next_a, next_b, half, row, column, k_a, k_b):
        for turn in range(A_TURNS):
            tile_a[half, k_a, row + turn * A_STEP] = next_a[turn]
        for turn in range(B_TURNS):
            tile_b[half, k_b + turn * B_STEP, column] = next_b[turn]

    @cuda.jit(device=True)
    def multiply(tile_a, tile_b, total, of_a, of_b, half, k, row, column):
        for group in range(ROW_GROUPS):
            for i in range(VECTOR):
                of_a[group * VECTOR + i] = tile_a[half, k, row + group * ROW_STEP + i]
        for group in range(COLUMN_GROUPS):
            for j in range(VECTOR):
                of_b[group * VECTOR + j] = tile_b[half, k, column + group * COLUMN_STEP + j]
        for i in range(OWN_ROWS):
            for j in range(OWN_COLUMNS):
                total[i, j] += of_a[i] * of_b[j]

    @cuda.jit(device=True)
    def multiply_tile(tile_a, tile_b, total, of_a, of_b, half, row, column):
        # Of plain numbers Numba would compile `multiply` eight times, once for each.
        multiply(tile_a, tile_b, total, of_a, of_b, half, int64(0), row, column)
        multiply(tile_a, tile_b, total, of_a, of_b, half, int64(1), row, column)
        multiply(tile_a, tile_b, total, of_a, of_b, half, int64(2), row, column)
        multiply(tile_a, tile_b, total, of_a, of_b, half, int64(3), row, column)
        multiply(tile_a, tile_b, total, of_a, of_b, half, int64(4), row, column)
        multiply(tile_a, tile_b, total, of_a, of_b, half, int64(5), row, column)
        multiply(tile_a, tile_b, total, of_a, of_b, half, int64(6), row, column)
        multiply(tile_a, tile_b, total, of_a, of_b, half, int64(7), row, column)

    @cuda.jit(device=True)
    def write(c, total, row, column):
        for i in range(OWN_ROWS):
            for j in range(OWN_COLUMNS):
                at_row = row + i // VECTOR * ROW_STEP + i % VECTOR
                at_column = column + j // VECTOR * COLUMN_STEP + j % VECTOR
                if WHOLE or (at_row < c.shape[0] and at_column < c.shape[1]):
                    c[at_row, at_column] = total[i, j]

    return Parts(fetch, keep, multiply_tile, write)


@cache
def make_vector_loads(blocking: Blocking, is_whole: bool) -> Any:
    """One buffer, two barriers a step, and shared memory read 16 bytes at a time.

    Launch: ``threads`` threads in x; a block for each ``rows`` x ``columns`` of c. Each thread
    writes its own elements of c; no thread reads a tile before the first barrier or writes one
    before the second, so there is no race.
    """
    fetch, keep, multiply_tile, write = make_parts(blocking, is_whole)
    ROWS, COLUMNS, _ = blocking.tile
    OWN_ROWS, OWN_COLUMNS = blocking.thread_rows, blocking.thread_columns
    A_SHAPE, B_SHAPE = (1, DEPTH, ROWS + VECTOR), (1, DEPTH, COLUMNS)
    A_TURNS = ROWS * DEPTH // blocking.threads
    B_TURNS = DEPTH * COLUMNS // blocking.threads
    find = make_places(blocking)

    @cuda.jit(launch_bounds=blocking.launch_bounds)
    def vector_loads(a, b, c):
        tile_a = cuda.shared.array(A_SHAPE, float32, alignment=16)
        tile_b = cuda.shared.array(B_SHAPE, float32, alignment=16)
        total = cuda.local.array((OWN_ROWS, OWN_COLUMNS), float32)
        of_a, of_b = cuda.local.array(OWN_ROWS, float32), cuda.local.array(OWN_COLUMNS, float32)
        next_a, next_b = cuda.local.array(A_TURNS, float32), cuda.local.array(B_TURNS, float32)
        top, left = cuda.blockIdx.y * ROWS, cuda.blockIdx.x * COLUMNS
        row, column, row_a, k_a, k_b, column_b = find(cuda.threadIdx.x)
        for i in range(OWN_ROWS):
            for j in range(OWN_COLUMNS):
                total[i, j] = float32(0)

        for tile in range((a.shape[1] + DEPTH - 1) // DEPTH):
            start = (tile * DEPTH) & _NOT_NEGATIVE
            fetch(a, b, next_a, next_b, top + row_a, left + column_b, start, k_a, k_b)
            keep(tile_a, tile_b, next_a, next_b, 0, row_a, column_b, k_a, k_b)
            cuda.syncthreads()
            multiply_tile(tile_a, tile_b, total, of_a, of_b, 0, row, column)
            cuda.syncthreads()
        write(c, total, top + row, left + column)

    return vector_loads


@cache
def make_double_buffer(blocking: Blocking, is_whole: bool) -> Any:
    """While one half of shared memory is used, the next tiles are on their way to the other.

    Launch: as ``make_vector_loads``. One barrier a step: after it, all threads have filled the half
    that is read next, and none still reads the half that is filled next, so there is no race.
    """
    fetch, keep, multiply_tile, write = make_parts(blocking, is_whole)
    ROWS, COLUMNS, _ = blocking.tile
    OWN_ROWS, OWN_COLUMNS = blocking.thread_rows, blocking.thread_columns
    A_SHAPE, B_SHAPE = (2, DEPTH, ROWS + VECTOR), (2, DEPTH, COLUMNS)
    A_TURNS = ROWS * DEPTH // blocking.threads
    B_TURNS = DEPTH * COLUMNS // blocking.threads
    find = make_places(blocking)

    @cuda.jit(launch_bounds=blocking.launch_bounds)
    def double_buffer(a, b, c):
        tile_a = cuda.shared.array(A_SHAPE, float32, alignment=16)
        tile_b = cuda.shared.array(B_SHAPE, float32, alignment=16)
        total = cuda.local.array((OWN_ROWS, OWN_COLUMNS), float32)
        of_a, of_b = cuda.local.array(OWN_ROWS, float32), cuda.local.array(OWN_COLUMNS, float32)
        next_a, next_b = cuda.local.array(A_TURNS, float32), cuda.local.array(B_TURNS, float32)
        top, left = cuda.blockIdx.y * ROWS, cuda.blockIdx.x * COLUMNS
        row, column, row_a, k_a, k_b, column_b = find(cuda.threadIdx.x)
        for i in range(OWN_ROWS):
            for j in range(OWN_COLUMNS):
                total[i, j] = float32(0)
        fetch(a, b, next_a, next_b, top + row_a, left + column_b, 0, k_a, k_b)
        keep(tile_a, tile_b, next_a, next_b, 0, row_a, column_b, k_a, k_b)
        cuda.syncthreads()

        tiles = (a.shape[1] + DEPTH - 1) // DEPTH
        for tile in range(tiles):
            half = tile & 1
            if tile + 1 < tiles:
                start = ((tile + 1) * DEPTH) & _NOT_NEGATIVE
                fetch(a, b, next_a, next_b, top + row_a, left + column_b, start, k_a, k_b)
            multiply_tile(tile_a, tile_b, total, of_a, of_b, half, row, column)
            if tile + 1 < tiles:
                keep(tile_a, tile_b, next_a, next_b, half ^ 1, row_a, column_b, k_a, k_b)
            cuda.syncthreads()
        write(c, total, top + row, left + column)

    return double_buffer


@cache
def make_places(blocking: Blocking) -> Any:
    """The device function that gives a thread its places in a block's tiles, by shifts and masks.

    It returns the first row and column of c that the thread computes, its row and k in the tile of
    a that it fetches, and its k and column in that of b.
    """
    LANE_ROWS, LANE_COLUMNS = blocking.lane_rows, blocking.lane_columns
    WARPS_DOWN, WARPS_ACROSS = blocking.warps_down, blocking.warps_across
    WARP_ROWS, WARP_COLUMNS = blocking.warp_rows, blocking.warp_columns
    ACROSS_BITS, LANE_BITS = log2(WARPS_ACROSS), log2(LANE_COLUMNS)
    A_ROWS = blocking.threads // DEPTH
    B_ROWS, COLUMNS = blocking.threads // blocking.columns, blocking.columns
    DEPTH_BITS, COLUMN_BITS = log2(DEPTH), log2(COLUMNS)

    @cuda.jit(device=True)
    def find(t):
        lane_row, lane_column = (t >> LANE_BITS) & (LANE_ROWS - 1), t & (LANE_COLUMNS - 1)
        warp_row = (t >> (5 + ACROSS_BITS)) & (WARPS_DOWN - 1)
        warp_column = (t >> 5) & (WARPS_ACROSS - 1)
        return (
            warp_row * WARP_ROWS + lane_row * VECTOR,
            warp_column * WARP_COLUMNS + lane_column * VECTOR,
            (t >> DEPTH_BITS) & (A_ROWS - 1),
            t & (DEPTH - 1),
            (t >> COLUMN_BITS) & (B_ROWS - 1),
            t & (COLUMNS - 1),
        )

    return find
