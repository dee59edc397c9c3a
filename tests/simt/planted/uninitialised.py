"""Reads of shared and local memory that nobody wrote."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

BLOCK = 64
HALO = BLOCK + 2
BINS = 16


@plant("uninitialised-read", 2, BLOCK, lambda: (floats(128), zeros(128)))
def never_fills_the_tile(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    out[i] = a[i] + tile[cuda.threadIdx.x]  # <- uninitialised-read


@plant("uninitialised-read", 2, BLOCK, lambda: (floats(128), zeros(128)))
def fills_the_tile_but_not_its_halo(a, out):
    tile = cuda.shared.array(HALO, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t + 1] = a[i]
    if t == 0 and i > 0:
        tile[0] = a[i - 1]
    if t == BLOCK - 1 and i + 1 < a.size:
        tile[BLOCK + 1] = a[i + 1]
    cuda.syncthreads()
    out[i] = tile[t] + tile[t + 2]  # <- uninitialised-read


@plant("uninitialised-read", 2, BLOCK, lambda: (floats(100), zeros(2)))
def sums_the_whole_tile_of_a_partial_block(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i < a.size:
        tile[t] = a[i]
    cuda.syncthreads()
    if t == 0:
        total = float32(0.0)
        for k in range(BLOCK):
            total += tile[k]  # <- uninitialised-read
        out[cuda.blockIdx.x] = total


@plant("uninitialised-read", 1, BLOCK, lambda: (floats(64), zeros(64)))
def only_even_threads_fill_the_tile(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    if t % 2 == 0:
        tile[t] = a[t]
    cuda.syncthreads()
    out[t] = tile[BLOCK - 1 - t]  # <- uninitialised-read


@plant("uninitialised-read", 1, 32, lambda: (floats(32), zeros(32)))
def accumulates_into_a_raw_local_array(a, out):
    total = cuda.local.array(2, float32)
    t = cuda.threadIdx.x
    for k in range(4):
        total[k % 2] += a[(t + k) % 32]  # <- uninitialised-read
    out[t] = total[0] - total[1]


@plant("uninitialised-read", 1, 32, lambda: (floats(32), zeros(32)))
def fills_a_local_row_and_reads_a_column(a, out):
    block = cuda.local.array((3, 3), float32)
    t = cuda.threadIdx.x
    for k in range(3):
        block[0, k] = a[t] * k
    out[t] = block[1, 0] if t == 17 else block[0, 1]  # <- uninitialised-read


@plant(
    "uninitialised-read", 2, BLOCK, lambda: (ints(128, high=BINS), zeros(2, BINS, dtype=np.int32))
)
def counts_into_a_raw_shared_histogram(a, out):
    bins = cuda.shared.array(BINS, int32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    cuda.atomic.add(bins, a[i], 1)  # <- uninitialised-read
    cuda.syncthreads()
    if t < BINS:
        out[cuda.blockIdx.x, t] = t


@plant("uninitialised-read", 3, BLOCK, lambda: (floats(192), zeros(192)))
def only_the_first_block_fills_its_tile(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        tile[t] = a[i]
    cuda.syncthreads()
    out[i] = tile[BLOCK - 1 - t]  # <- uninitialised-read


@plant("uninitialised-read", 1, BLOCK, lambda: (floats(64), zeros(64)))
def fills_one_of_two_tiles_on_a_line(a, out):
    one, two = cuda.shared.array(BLOCK, float32), cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    one[t] = a[t]
    cuda.syncthreads()
    out[t] = one[BLOCK - 1 - t] + two[t]  # <- uninitialised-read


@plant(
    "uninitialised-read",
    1,
    BLOCK,
    lambda: (floats(64), zeros(64)),
    dynamic_shared_bytes=2 * BLOCK * 4,
)
def reads_the_second_half_of_dynamic_memory(a, out):
    buffer = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    buffer[t] = a[t]
    cuda.syncthreads()
    out[t] = buffer[t + 1]  # <- uninitialised-read


@cuda.jit(device=True)
def _window_sum(a, t):
    window = cuda.local.array(4, float32)
    for k in range(1, 4):
        window[k] = a[t]
    total = float32(0.0)
    for k in range(4):
        total += window[k]  # <- uninitialised-read
    return total


@plant("uninitialised-read", 1, 8, lambda: (floats(8), zeros(8)), helpers=(_window_sum,))
def device_function_starts_its_loop_at_one(a, out):
    t = cuda.threadIdx.x
    out[t] = _window_sum(a, t)


@plant("uninitialised-read", (2, 1), (8, 8), lambda: (floats(8, 12), zeros(12, 8)))
def reads_back_cells_that_the_guard_left_out(a, out):
    tile = cuda.shared.array((8, 9), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if x < a.shape[1]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    if cuda.blockIdx.x * 8 + ty < out.shape[0] + 1:
        value = tile[tx, ty]  # <- uninitialised-read
        if cuda.blockIdx.x * 8 + ty < out.shape[0]:
            out[cuda.blockIdx.x * 8 + ty, tx] = value


@plant(None, 2, BLOCK, lambda: (floats(100), zeros(2)))
def fills_a_partial_tile_with_zeros(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = a[i] if i < a.size else float32(0.0)
    cuda.syncthreads()
    if t == 0:
        total = float32(0.0)
        for k in range(BLOCK):
            total += tile[k]
        out[cuda.blockIdx.x] = total


@plant(None, 2, BLOCK, lambda: (floats(100), zeros(100)))
def reads_only_the_part_it_filled(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i < a.size:
        tile[t] = a[i]
    cuda.syncthreads()
    filled = min(BLOCK, a.size - cuda.blockIdx.x * BLOCK)
    if t < filled:
        out[i] = tile[filled - 1 - t]


@plant(None, 1, 32, lambda: (floats(32), zeros(32)))
def fills_a_local_array_before_it_is_read(a, out):
    window = cuda.local.array((2, 2), float32)
    t = cuda.threadIdx.x
    for k in range(4):
        window[k // 2, k % 2] = a[(t + k) % 32]
    out[t] = window[0, 0] * window[1, 1] - window[0, 1] * window[1, 0]


@plant(None, 2, BLOCK, lambda: (floats(128), zeros(128)), dynamic_shared_bytes=2 * BLOCK * 4)
def splits_dynamic_memory_by_slices(a, out):
    buffer = cuda.shared.array(0, float32)
    one = buffer[:BLOCK]
    two = buffer[BLOCK : 2 * BLOCK]
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    one[t] = a[i]
    two[BLOCK - 1 - t] = 2 * a[i]
    cuda.syncthreads()
    out[i] = one[BLOCK - 1 - t] + two[t]


@plant(None, 2, 40, lambda: (floats(80), zeros(80)))
def two_tiles_on_one_line(a, out):
    one, two = cuda.shared.array(40, float32), cuda.shared.array(40, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    one[t] = a[i]
    two[t] = -a[i]
    cuda.syncthreads()
    out[i] = one[39 - t] + two[(t + 1) % 40]


@plant("uninitialised-read", 1, 40, lambda: (floats(40), zeros(40)))
def one_branch_leaves_its_local_array_raw(a, out):
    pair = cuda.local.array(2, float32)
    t = cuda.threadIdx.x
    pair[0] = a[t]
    if t % 3 != 1:
        pair[1] = -a[t]
    out[t] = pair[0] + pair[1]  # <- uninitialised-read


@plant("uninitialised-read", 1, BLOCK, lambda: (floats(64), zeros(64)))
def loop_over_a_raw_tile(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    if t > 0:
        tile[t] = a[t]
    cuda.syncthreads()
    total = float32(0.0)
    for value in tile:  # <- uninitialised-read
        total += value
    out[t] = total


@plant(None, 1, BLOCK, lambda: (floats(64), zeros(64)), dynamic_shared_bytes=2 * BLOCK * 4)
def two_dtypes_share_dynamic_memory_by_halves(a, out):
    numbers = cuda.shared.array(0, float32)
    counts = cuda.shared.array(0, int32)[BLOCK:]
    t = cuda.threadIdx.x
    numbers[t] = a[t]
    counts[BLOCK - 1 - t] = t
    cuda.syncthreads()
    out[t] = numbers[BLOCK - 1 - t] + counts[t]
