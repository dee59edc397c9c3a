"""Data races on shared memory that loops make: a round overtakes the one before it."""

from __future__ import annotations

from numba import cuda, float32

from tests.simt.planted.table import floats, plant, zeros

BLOCK = 64


@plant("data-race", 1, 32, lambda: (floats(32), zeros(1)))
def reduces_a_warp_without_syncwarp(a, out):
    tile = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncwarp()
    width = 16
    while width > 0:
        if t < width:
            tile[t] += tile[t + width]  # <- data-race
        width //= 2
    cuda.syncwarp()
    if t == 0:
        out[0] = tile[0]


@plant("data-race", 1, BLOCK, lambda: (floats(256), zeros(64)))
def forgets_the_second_barrier_of_a_tile_loop(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    total = float32(0.0)
    for start in range(0, a.size, BLOCK):
        tile[t] = a[start + t]  # <- data-race
        cuda.syncthreads()
        for k in range(BLOCK):
            total += tile[k] * k  # <- data-race
    out[t] = total


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def scans_in_place_with_one_barrier(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    offset = 1
    while offset < BLOCK:
        left = tile[t - offset] if t >= offset else float32(0.0)  # <- data-race
        tile[t] += left  # <- data-race
        cuda.syncthreads()
        offset *= 2
    out[t] = tile[t]


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(1)))
def tree_reduction_without_its_inner_barrier(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    width = BLOCK // 2
    while width > 0:
        if t < width:
            tile[t] += tile[t + width]  # <- data-race
        width //= 2
    cuda.syncthreads()
    if t == 0:
        out[0] = tile[0]


@plant("data-race", 1, BLOCK, lambda: (floats(6, 64), zeros(64)))
def ping_pong_that_forgets_to_swap(a, out):
    buffers = cuda.shared.array((2, BLOCK), float32)
    t = cuda.threadIdx.x
    total = float32(0.0)
    for row in range(a.shape[0]):
        buffers[0, t] = a[row, t]  # <- data-race
        cuda.syncthreads()
        total += buffers[0, BLOCK - 1 - t]  # <- data-race
    out[t] = total


@plant("data-race", 1, 96, lambda: (floats(96), zeros(96)))
def shuffle_does_not_order_other_warps(a, out):
    sums = cuda.shared.array(3, float32)
    t = cuda.threadIdx.x
    value = a[t]
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
    if t % 32 == 0:
        sums[t // 32] = value  # <- data-race
    cuda.syncwarp()
    out[t] = sums[0] if t < 33 else float32(0.0)  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def last_pass_lacks_its_barrier(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    for width in range(3):
        other = tile[(t + 1) % BLOCK]  # <- data-race
        if width < 2:
            cuda.syncthreads()
        tile[t] = other + width  # <- data-race
        cuda.syncthreads()
    out[t] = tile[t]


@plant("data-race", 1, BLOCK, lambda: (floats(64), zeros(64)))
def loop_over_a_tile_that_is_still_filled(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    tile[t] = 0
    cuda.syncthreads()
    tile[t] = a[t]  # <- data-race
    total = float32(0.0)
    for value in tile:  # <- data-race
        total += value
    out[t] = total


@plant("data-race", 1, BLOCK, lambda: (floats(40, 64), zeros(64)))
def ring_buffer_one_barrier_short(a, out):
    ring = cuda.shared.array((3, BLOCK), float32)
    t = cuda.threadIdx.x
    total = float32(0.0)
    for step in range(a.shape[0]):
        ring[step % 3, t] = a[step, t]  # <- data-race
        if step != 25 and step != 26 and step != 27:
            cuda.syncthreads()
        if step != 25 and step != 26:
            total += ring[step % 3, BLOCK - 1 - t]  # <- data-race
    out[t] = total
