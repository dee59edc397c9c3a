"""Warp operations whose mask does not fit the lanes that take part, and such that do."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

FULL = 0xFFFFFFFF
LOW_HALF = 0x0000FFFF


@plant("warp-sync-mask", 1, 32, lambda: (floats(32), zeros(32)))
def shuffle_inside_a_branch_with_the_full_mask(a, out):
    t = cuda.threadIdx.x
    value = a[t]
    if t < 16:
        value += cuda.shfl_down_sync(FULL, value, 1)  # <- warp-sync-mask
    out[t] = value


@plant("warp-sync-mask", 1, 32, lambda: (floats(32), zeros(32)))
def caller_is_not_in_its_own_mask(a, out):
    t = cuda.threadIdx.x
    out[t] = cuda.shfl_xor_sync(LOW_HALF, a[t], 1)  # <- warp-sync-mask


@plant("warp-sync-mask", 1, 32, lambda: (floats(32), zeros(32)))
def half_a_warp_reads_from_the_other_half(a, out):
    t = cuda.threadIdx.x
    value = a[t]
    if t < 16:
        value = cuda.shfl_sync(LOW_HALF, value, 20)  # <- warp-sync-mask
    out[t] = value


@plant("warp-sync-mask", 1, 40, lambda: (floats(40), zeros(40)))
def shuffle_reads_lanes_that_the_last_warp_lacks(a, out):
    t = cuda.threadIdx.x
    out[t] = a[t] + cuda.shfl_xor_sync(FULL, a[t], 8)  # <- warp-sync-mask


@plant("warp-sync-mask", 1, 64, lambda: (floats(50), zeros(2)))
def shuffle_after_some_lanes_returned(a, out):
    i = cuda.grid(1)
    if i >= a.size:
        return
    value = a[i]
    value += cuda.shfl_down_sync(FULL, value, 16)  # <- warp-sync-mask
    if i % 32 == 0:
        out[i // 32] = value


@plant("warp-sync-mask", 1, 32, lambda: (ints(32, high=9), zeros(32, dtype=np.int32)))
def vote_inside_a_branch_with_the_full_mask(a, out):
    t = cuda.threadIdx.x
    if a[t] > 3:
        out[t] = cuda.ballot_sync(FULL, a[t] > 5)  # <- warp-sync-mask


@plant("warp-sync-mask", 1, 32, lambda: (ints(32, high=9), zeros(32, dtype=np.int32)))
def any_by_the_lanes_of_a_loop(a, out):
    t = cuda.threadIdx.x
    k = 0
    while k < a[t]:
        if cuda.any_sync(FULL, k == 3):  # <- warp-sync-mask
            out[t] += 1
        k += 1


@plant("warp-sync-mask", 1, 32, lambda: (ints(32, high=4), zeros(32, dtype=np.int32)))
def match_inside_a_branch_with_the_full_mask(a, out):
    t = cuda.threadIdx.x
    if t != 9:
        out[t] = cuda.match_any_sync(FULL, a[t])  # <- warp-sync-mask


@plant("warp-sync-mask", 2, 32, lambda: (floats(64), zeros(64)))
def syncwarp_for_lanes_that_never_come(a, out):
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    if t % 2 == 0:
        cuda.syncwarp()  # <- warp-sync-mask
    out[i] = a[i]


@plant("warp-sync-mask", 2, 64, lambda: (floats(128), zeros(128)))
def only_one_warp_of_the_second_block_diverges(a, out):
    i = cuda.grid(1)
    value = a[i]
    if i != 75:
        value = cuda.shfl_up_sync(FULL, value, 1)  # <- warp-sync-mask
    out[i] = value


@plant(None, 1, 64, lambda: (floats(64), zeros(2)))
def warp_sum_by_shuffles(a, out):
    t = cuda.threadIdx.x
    value = a[t]
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(FULL, value, offset)
    if t % 32 == 0:
        out[t // 32] = value


@plant(None, 1, 32, lambda: (floats(32), zeros(1)))
def warp_sum_in_shared_memory_with_syncwarp(a, out):
    tile = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncwarp()
    width = 16
    while width > 0:
        if t < width:
            tile[t] += tile[t + width]
        cuda.syncwarp()
        width //= 2
    if t == 0:
        out[0] = tile[0]


@plant(None, 1, 32, lambda: (floats(32), zeros(32)))
def half_a_warp_shuffles_under_its_own_mask(a, out):
    t = cuda.threadIdx.x
    value = a[t]
    if t < 16:
        value += cuda.shfl_xor_sync(LOW_HALF, value, 3)
    out[t] = value


@plant(None, 1, 32, lambda: (floats(32), zeros(32)))
def half_a_warp_synchronizes_under_its_own_mask(a, out):
    tile = cuda.shared.array(16, float32)
    t = cuda.threadIdx.x
    if t < 16:
        tile[t] = a[t]
        cuda.syncwarp(LOW_HALF)
        out[t] = tile[15 - t]
    else:
        out[t] = a[t]


@plant(None, 1, 32, lambda: (ints(32, high=9), zeros(32, dtype=np.int32)))
def ballot_names_the_lanes_of_the_branch(a, out):
    t = cuda.threadIdx.x
    mask = cuda.ballot_sync(FULL, a[t] > 3)
    if a[t] > 3:
        out[t] = cuda.popc(cuda.ballot_sync(mask, a[t] > 5))


@plant(None, 2, 64, lambda: (ints(128, high=4), zeros(128, dtype=np.int32)))
def shuffle_lets_a_lane_write_for_its_neighbor(a, out):
    i = cuda.grid(1)
    lane = cuda.laneid
    value = cuda.shfl_sync(FULL, a[i], 31 - lane)
    out[i] = value + (10 if cuda.all_sync(FULL, a[i] < 4) else 0)


@plant(None, 1, 96, lambda: (floats(96), zeros(1)))
def block_sum_by_warps(a, out):
    sums = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    value = a[t]
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(FULL, value, offset)
    if t % 32 == 0:
        sums[t // 32] = value
    cuda.syncthreads()
    if t < 32:
        value = sums[t] if t < 3 else float32(0.0)
        for offset in (16, 8, 4, 2, 1):
            value += cuda.shfl_down_sync(FULL, value, offset)
        if t == 0:
            out[0] = value


@plant(None, 1, 32, lambda: (floats(32), zeros(32)))
def shuffle_orders_the_lanes_it_names(a, out):
    tile = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    rank = cuda.shfl_up_sync(FULL, t, 1)
    out[t] = tile[31 - t] + rank


@plant(None, 2, 32, lambda: (ints(64, high=3), zeros(64, dtype=np.int32)))
def leader_of_each_value_adds_for_all(a, out):
    i = cuda.grid(1)
    peers = cuda.match_any_sync(FULL, a[i])
    leader = cuda.ffs(peers) - 1
    if cuda.laneid == leader:
        cuda.atomic.add(out, int32(a[i]), int32(cuda.popc(peers)))


@plant(None, 1, 64, lambda: (floats(64), zeros(64, dtype=np.int32)), is_large=True)
def active_mask_names_the_lanes_of_the_branch(a, out):
    t = cuda.threadIdx.x
    if a[t] > 30:
        mask = cuda.activemask()
        out[t] = cuda.popc(cuda.ballot_sync(mask, t % 2 == 0))


@plant(None, 2, 64, lambda: (floats(192), zeros(192)))
def shuffles_in_a_turn_that_one_block_alone_takes(a, out):
    total = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    for start in range(cuda.blockIdx.x * 64, a.size, cuda.gridDim.x * 64):
        if t == 0:
            total[0] = 0
        cuda.syncthreads()
        cuda.atomic.add(total, 0, cuda.shfl_xor_sync(FULL, a[start + t], 16))
        cuda.syncthreads()
        out[start + t] = a[start + t] / total[0]
        cuda.syncthreads()
