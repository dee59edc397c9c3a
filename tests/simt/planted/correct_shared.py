"""Correct kernels on shared memory that a careless detector would blame."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

BLOCK = 64
HALO = BLOCK + 2
TILE = 8
PADDED = TILE + 1
BINS = 16


@plant(None, 1, BLOCK, lambda: (floats(64), zeros(64)), note="same-value-write")
def the_whole_block_writes_one_constant(a, out):
    cell = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    cell[0] = 2.5  # <- same-value-write
    cuda.syncthreads()
    out[t] = a[t] * cell[0]


@plant(None, 3, 40, lambda: (ints(100, high=BINS), zeros(BINS, dtype=np.int32)))
def histogram_private_to_a_block(a, out):
    bins = cuda.shared.array(BINS, int32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if t < BINS:
        bins[t] = 0
    cuda.syncthreads()
    if i < a.size:
        cuda.atomic.add(bins, a[i], 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(out, t, bins[t])


@plant(None, 3, BLOCK, lambda: (floats(170), zeros(3)))
def tree_reduction(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = a[i] if i < a.size else float32(0.0)
    cuda.syncthreads()
    width = BLOCK // 2
    while width > 0:
        if t < width:
            tile[t] += tile[t + width]
        cuda.syncthreads()
        width //= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


@plant(None, 3, BLOCK, lambda: (floats(170), zeros(3)))
def interleaved_reduction(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = a[i] if i < a.size else float32(0.0)
    stride = 1
    while stride < BLOCK:
        cuda.syncthreads()
        if t % (2 * stride) == 0:
            tile[t] += tile[t + stride]
        stride *= 2
    if t == 0:
        out[cuda.blockIdx.x] = tile[0]


@plant(None, 1, BLOCK, lambda: (floats(256), zeros(64)))
def tile_loop_with_both_barriers(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    total = float32(0.0)
    for start in range(0, a.size, BLOCK):
        tile[t] = a[start + t]
        cuda.syncthreads()
        for k in range(BLOCK):
            total += tile[k] * k
        cuda.syncthreads()
    out[t] = total


@plant(None, 1, BLOCK, lambda: (floats(5, 64), zeros(64)))
def double_buffering_with_one_barrier_a_round(a, out):
    buffers = cuda.shared.array((2, BLOCK), float32)
    t = cuda.threadIdx.x
    total = float32(0.0)
    for row in range(a.shape[0]):
        buffers[row % 2, t] = a[row, t]
        cuda.syncthreads()
        total += buffers[row % 2, BLOCK - 1 - t]
    out[t] = total


@plant(None, 1, BLOCK, lambda: (floats(64), zeros(64)))
def ping_pong_scan(a, out):
    one, two = cuda.shared.array(BLOCK, float32), cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    one[t] = a[t]
    cuda.syncthreads()
    offset = 1
    forth = True
    while offset < BLOCK:
        if forth:
            two[t] = one[t] + (one[t - offset] if t >= offset else float32(0.0))
        else:
            one[t] = two[t] + (two[t - offset] if t >= offset else float32(0.0))
        cuda.syncthreads()
        forth = not forth
        offset *= 2
    out[t] = one[t] if forth else two[t]


@plant(None, 1, BLOCK, lambda: (floats(64), zeros(64)))
def scan_in_place_with_two_barriers(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    offset = 1
    while offset < BLOCK:
        left = tile[t - offset] if t >= offset else float32(0.0)
        cuda.syncthreads()
        tile[t] += left
        cuda.syncthreads()
        offset *= 2
    out[t] = tile[t]


@plant(None, (2, 3), (TILE, TILE), lambda: (floats(20, 13), zeros(13, 20)))
def transposes_through_a_padded_tile(a, out):
    tile = cuda.shared.array((TILE, PADDED), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x = cuda.blockIdx.x * TILE + tx
    y = cuda.blockIdx.y * TILE + ty
    if x < a.shape[1] and y < a.shape[0]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * TILE + tx
    y = cuda.blockIdx.x * TILE + ty
    if x < out.shape[1] and y < out.shape[0]:
        out[y, x] = tile[tx, ty]


@plant(None, 2, BLOCK, lambda: (floats(120), zeros(120)))
def stencil_with_a_filled_halo(a, out):
    tile = cuda.shared.array(HALO, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t + 1] = a[i] if i < a.size else float32(0.0)
    if t == 0:
        tile[0] = a[i - 1] if i > 0 else float32(0.0)
    if t == BLOCK - 1:
        tile[BLOCK + 1] = a[i + 1] if i + 1 < a.size else float32(0.0)
    cuda.syncthreads()
    if i < a.size:
        out[i] = tile[t] - 2 * tile[t + 1] + tile[t + 2]


@plant(None, (2, 2), (TILE, TILE), lambda: (floats(13, 11), floats(11, 14), zeros(13, 14)))
def matmul_by_tiles(a, b, out):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0.0)
    for start in range(0, a.shape[1], TILE):
        inside = row < a.shape[0] and start + tx < a.shape[1]
        left[ty, tx] = a[row, start + tx] if inside else float32(0.0)
        inside = start + ty < b.shape[0] and column < b.shape[1]
        right[ty, tx] = b[start + ty, column] if inside else float32(0.0)
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = total


@plant(None, 1, BLOCK, lambda: (floats(64), zeros(64)))
def one_cell_reused_in_turns(a, out):
    cell = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    total = float32(0.0)
    for k in range(4):
        if t == 7 * k:
            cell[0] = a[t]
        cuda.syncthreads()
        total += cell[0]
        cuda.syncthreads()
    out[t] = total


@plant(None, 1, 96, lambda: (floats(96), zeros(96)))
def warps_work_on_rows_of_their_own(a, out):
    tile = cuda.shared.array((3, 32), float32)
    t = cuda.threadIdx.x
    row = t // 32
    lane = t % 32
    tile[row, lane] = a[t]
    cuda.syncwarp()
    value = tile[row, 31 - lane]
    cuda.syncwarp()
    tile[row, lane] = value * 2
    cuda.syncwarp()
    out[t] = tile[row, (lane + 5) % 32]


@plant(None, 2, (4, 4, 4), lambda: (floats(8, 4, 4), zeros(8, 4, 4)))
def neighbors_in_three_dimensions(a, out):
    tile = cuda.shared.array((4, 4, 4), float32)
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    tile[x, y, z] = a[cuda.blockIdx.x * 4 + x, y, z]
    cuda.syncthreads()
    out[cuda.blockIdx.x * 4 + x, y, z] = tile[3 - x, y, z] + tile[x, 3 - y, z] + tile[z, x, y]


@cuda.jit(device=True)
def _load(tile, a, i, t):
    tile[t] = a[i]
    cuda.syncthreads()


@plant(None, 2, 40, lambda: (floats(80), zeros(80)), helpers=(_load,))
def barrier_inside_a_device_function(a, out):
    tile = cuda.shared.array(40, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    _load(tile, a, i, t)
    out[i] = tile[39 - t]


@plant(None, 1, BLOCK, lambda: (floats(64), zeros(64)), note="same-value-write")
def every_thread_clears_the_whole_tile(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[:] = 0  # <- same-value-write
    cuda.syncthreads()
    if t < 40:
        tile[t] = a[t]
    cuda.syncthreads()
    out[t] = tile[BLOCK - 1 - t]


@plant(None, 1, (TILE, TILE), lambda: (floats(8, 8), zeros(8, 8)))
def rows_taken_as_views(a, out):
    tile = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    own = tile[ty]
    next_row = tile[(ty + 1) % TILE]
    own[tx] = a[ty, tx]
    cuda.syncthreads()
    out[ty, tx] = next_row[tx]


@plant(None, 1, BLOCK, lambda: (floats(40, 64), zeros(64)))
def ring_buffer_of_two(a, out):
    ring = cuda.shared.array((2, BLOCK), float32)
    t = cuda.threadIdx.x
    total = float32(0.0)
    for step in range(a.shape[0]):
        ring[step % 2, t] = a[step, t]
        cuda.syncthreads()
        total += ring[step % 2, BLOCK - 1 - t]
    out[t] = total
