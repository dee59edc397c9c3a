"""Data races on shared memory: between the warps of a block, and between the lanes of a warp."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

BLOCK = 64
LONGER = BLOCK + 1
TILE = 8
PADDED = TILE + 1
BINS = 16
LOW_HALF = 0x0000FFFF


@plant("data-race", 2, BLOCK, lambda: (floats(128), zeros(128)))
def reverses_without_a_barrier(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = a[i]  # <- data-race
    out[i] = tile[BLOCK - 1 - t]  # <- data-race


@plant("data-race", 2, 32, lambda: (floats(64), zeros(64)))
def trusts_lanes_to_be_in_step(a, out):
    tile = cuda.shared.array(32, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = a[i]  # <- data-race
    out[i] = tile[31 - t]  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def syncwarp_where_the_block_must_wait(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]  # <- data-race
    cuda.syncwarp()
    out[t] = tile[(t + 1) % BLOCK]  # <- data-race


@plant("data-race", 1, 32, lambda: (floats(32), zeros(32)))
def syncwarp_that_leaves_out_half_the_lanes(a, out):
    tile = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]  # <- data-race
    if t < 16:
        cuda.syncwarp(LOW_HALF)
        out[t] = tile[t + 16]  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def takes_a_fence_for_a_barrier(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]  # <- data-race
    cuda.threadfence_block()
    out[t] = tile[t ^ 1]  # <- data-race


@plant("data-race", (2, 2), (TILE, TILE), lambda: (floats(16, 16), zeros(16, 16)))
def transposes_a_tile_without_a_barrier(a, out):
    tile = cuda.shared.array((TILE, PADDED), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = a[y, x]  # <- data-race
    out[cuda.blockIdx.x * TILE + ty, cuda.blockIdx.y * TILE + tx] = tile[tx, ty]  # <- data-race


@plant("data-race", 1, (TILE, TILE), lambda: (floats(8, 8), zeros(8, 8)))
def writes_rows_over_each_other(a, out):
    tile = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[tx, tx] = a[ty, tx]  # <- data-race
    cuda.syncthreads()
    out[ty, tx] = tile[ty, ty]


@plant("data-race", 1, BLOCK, lambda: (ints(64, high=BINS), zeros(BINS, dtype=np.int32)))
def counts_while_others_still_zero(a, out):
    bins = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        bins[t] = 0  # <- data-race
    cuda.syncwarp()
    if t >= 32:
        cuda.atomic.add(bins, a[t], 1)  # <- data-race
    cuda.syncthreads()
    if t < BINS:
        out[t] = bins[t]


@plant("data-race", 1, BLOCK, lambda: (ints(64, high=BINS), zeros(BINS, dtype=np.int32)))
def reads_the_bins_while_others_still_count(a, out):
    bins = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        bins[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(bins, a[t], 1)  # <- data-race
    if t < BINS:
        out[t] = bins[t]  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (ints(64, high=BINS), zeros(BINS, dtype=np.int32)))
def counts_without_atomics(a, out):
    bins = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        bins[t] = 0
    cuda.syncthreads()
    bins[a[t]] += 1  # <- data-race
    cuda.syncthreads()
    if t < BINS:
        out[t] = bins[t]


@plant("data-race", 1, 32, lambda: (floats(32), zeros(32)))
def both_sides_of_a_branch_write_one_cell(a, out):
    cell = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    if t < 16:
        if t == 3:
            cell[0] = a[0]  # <- data-race
    elif t == 20:
        cell[0] = a[1]  # <- data-race
    cuda.syncthreads()
    out[t] = cell[0]


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def one_lane_writes_while_the_other_branch_reads(a, out):
    cells = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    cells[t] = a[t]
    cuda.syncthreads()
    if t % 2 == 0:
        cells[t] = 0  # <- data-race
    else:
        out[t] = cells[t - 1]  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def two_phases_share_one_cell(a, out):
    cell = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    if t == 0:
        cell[0] = a[0]
    cuda.syncthreads()
    value = cell[0]  # <- data-race
    if t == 40:
        cell[0] = a[1]  # <- data-race
    cuda.syncthreads()
    out[t] = value + cell[0]


@cuda.jit(device=True)
def _publish(tile, t, value):
    tile[t] = value  # <- data-race


@cuda.jit(device=True)
def _neighbor(tile, t):
    return tile[(t + 1) % tile.size]  # <- data-race


@plant(
    "data-race",
    1,
    40,
    lambda: (floats(40), zeros(40)),
    helpers=(_publish, _neighbor),
)
def device_functions_race(a, out):
    tile = cuda.shared.array(40, float32)
    t = cuda.threadIdx.x
    _publish(tile, t, a[t])
    out[t] = _neighbor(tile, t)


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def slices_of_one_tile_overlap(a, out):
    tile = cuda.shared.array(LONGER, float32)
    lower = tile[:BLOCK]
    upper = tile[1 : BLOCK + 1]
    t = cuda.threadIdx.x
    tile[t] = 0
    if t == 0:
        tile[BLOCK] = 0
    cuda.syncthreads()
    lower[t] = a[t]  # <- data-race
    out[t] = upper[t]  # <- data-race


@plant("data-race", 2, BLOCK, lambda: (floats(128), zeros(128)))
def race_only_in_the_second_block(a, out):
    cell = cuda.shared.array(1, float32)
    i = cuda.grid(1)
    if cuda.threadIdx.x == 0 or i == 100:
        cell[0] = a[i]  # <- data-race
    cuda.syncthreads()
    out[i] = cell[0]


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)), dynamic_shared_bytes=BLOCK * 4)
def two_names_for_dynamic_memory(a, out):
    numbers = cuda.shared.array(0, float32)
    counts = cuda.shared.array(0, int32)
    t = cuda.threadIdx.x
    numbers[t] = a[t]  # <- data-race
    counts[BLOCK - 1 - t] = t  # <- data-race
    cuda.syncthreads()
    out[t] = numbers[t]


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def one_thread_clears_while_others_fill(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    if t == 0:
        tile[:] = 0  # <- data-race
    tile[t] = a[t]  # <- data-race
    cuda.syncthreads()
    out[t] = tile[t]


@plant("data-race", 1, (TILE, TILE), lambda: (floats(8, 8), zeros(8, 8)))
def rows_taken_as_views_race(a, out):
    tile = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    own = tile[ty]
    next_row = tile[(ty + 1) % TILE]
    own[tx] = a[ty, tx]  # <- data-race
    out[ty, tx] = next_row[tx]  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def flag_of_equal_writes_read_too_early(a, out):
    found = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        found[0] = 0
    cuda.syncthreads()
    if a[t] == 20:
        found[0] = 1  # <- data-race
    out[t] = found[0]  # <- data-race
