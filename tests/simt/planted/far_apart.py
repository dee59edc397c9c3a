"""Faults that show only in a launch of many blocks: too large for the scalar oracle."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

BLOCK = 64
BLOCKS = 3000
THREADS = BLOCKS * BLOCK
BINS = 16


@plant("data-race", BLOCKS, BLOCK, lambda: (zeros(THREADS), zeros(1)), is_large=True)
def first_and_last_block_race(a, out):
    i = cuda.grid(1)
    a[i] = i  # <- data-race
    if i == 5:
        out[0] = a[a.size - 1]  # <- data-race


@plant("data-race", BLOCKS, BLOCK, lambda: (zeros(THREADS), zeros(THREADS)), is_large=True)
def every_block_reads_the_mirrored_one(a, out):
    i = cuda.grid(1)
    a[i] = i  # <- data-race
    out[i] = a[a.size - 1 - i]  # <- data-race


@plant("data-race", BLOCKS, BLOCK, lambda: (zeros(THREADS - BLOCK),), is_large=True)
def two_blocks_far_apart_write_one_row(out):
    i = cuda.grid(1)
    if i >= out.size:
        i -= out.size
    out[i] = cuda.blockIdx.x  # <- data-race


@plant("data-race", BLOCKS, BLOCK, lambda: (ints(THREADS, high=BINS), zeros(1)), is_large=True)
def blocks_overwrite_one_result(a, out):
    if cuda.threadIdx.x == 0:
        out[0] = cuda.blockIdx.x  # <- data-race


@plant("out-of-bounds", BLOCKS, BLOCK, lambda: (floats(THREADS), zeros(THREADS - 1)), is_large=True)
def the_very_last_thread_writes_outside(a, out):
    i = cuda.grid(1)
    out[i] = a[i]  # <- out-of-bounds


@plant("uninitialised-read", BLOCKS, BLOCK, lambda: (floats(THREADS), zeros(BLOCKS)), is_large=True)
def one_block_of_many_leaves_a_cell_raw(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i != 2500 * BLOCK + 40:
        tile[t] = a[i]
    cuda.syncthreads()
    if t == 0:
        out[cuda.blockIdx.x] = tile[40]  # <- uninitialised-read


@plant("divergent-barrier", BLOCKS, BLOCK, lambda: (zeros(THREADS),), is_large=True)
def one_block_of_many_is_split_by_its_barrier(out):
    i = cuda.grid(1)
    if i < 2500 * BLOCK + 40:
        cuda.syncthreads()  # <- divergent-barrier
    out[i] = i


@plant(None, BLOCKS, BLOCK, lambda: (zeros(THREADS), floats(THREADS)), is_large=True)
def many_blocks_of_their_own_elements(out, a):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = a[i]
    cuda.syncthreads()
    out[i] = tile[BLOCK - 1 - t] + a[a.size - 1 - i]


@plant(
    None,
    BLOCKS,
    BLOCK,
    lambda: (floats(THREADS), zeros(BLOCKS), zeros(1, dtype=np.int32), zeros(1)),
    is_large=True,
)
def last_of_many_blocks_adds_up(a, partial, ticket, out):
    last = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    b = cuda.blockIdx.x
    if t == 0:
        partial[b] = a[b * BLOCK]
        cuda.threadfence()
        last[0] = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        total = float32(0.0)
        for k in range(partial.size):
            total += partial[k]
        out[0] = total


@plant(
    "data-race",
    BLOCKS,
    BLOCK,
    lambda: (floats(THREADS), zeros(BLOCKS), zeros(1, dtype=np.int32), zeros(1)),
    is_large=True,
)
def last_of_many_blocks_without_a_fence(a, partial, ticket, out):
    last = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    b = cuda.blockIdx.x
    if t == 0:
        partial[b] = a[b * BLOCK]  # <- data-race
        last[0] = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        out[0] = partial[7]  # <- data-race


@plant(
    None,
    BLOCKS,
    BLOCK,
    lambda: (ints(THREADS, high=BINS), zeros(BINS, dtype=np.int32)),
    is_large=True,
)
def histogram_of_many_blocks(a, out):
    bins = cuda.shared.array(BINS, int32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if t < BINS:
        bins[t] = 0
    cuda.syncthreads()
    cuda.atomic.add(bins, a[i], 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(out, t, bins[t])


@plant(
    None,
    BLOCKS,
    BLOCK,
    lambda: (ints(THREADS, high=9), zeros(1)),
    note="same-value-write",
    is_large=True,
)
def many_blocks_raise_one_flag(a, found):
    i = cuda.grid(1)
    if a[i] == 4:
        found[0] = 1  # <- same-value-write
