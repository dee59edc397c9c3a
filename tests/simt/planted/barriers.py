"""Barriers that part of a block never reaches, loops without end, and barriers used well."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

BLOCK = 64


@plant("divergent-barrier", 2, BLOCK, lambda: (floats(128), zeros(128)))
def barrier_inside_a_branch(a, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x < 20:
        cuda.syncthreads()  # <- divergent-barrier
    out[i] = a[i]


@plant("divergent-barrier", 1, BLOCK, lambda: (floats(64), zeros(64)))
def barrier_for_one_warp_of_two(a, out):
    t = cuda.threadIdx.x
    if t // 32 == 1:
        cuda.syncthreads()  # <- divergent-barrier
    out[t] = a[t]


@plant("divergent-barrier", 3, 40, lambda: (floats(100), zeros(100)))
def barrier_behind_the_guard_of_the_last_block(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i]
        cuda.syncthreads()  # <- divergent-barrier
    if i < a.size:
        out[i] += 1


@plant("divergent-barrier", 1, BLOCK, lambda: (ints(64, high=5), zeros(64)))
def barrier_in_a_loop_of_uneven_length(a, out):
    t = cuda.threadIdx.x
    for _ in range(a[t]):
        cuda.syncthreads()  # <- divergent-barrier
    out[t] = 1


@plant("divergent-barrier", 1, BLOCK, lambda: (floats(64), zeros(64)))
def continue_jumps_over_the_barrier(a, out):
    t = cuda.threadIdx.x
    total = float32(0.0)
    for k in range(3):
        if k == 1 and t == 7:
            continue
        total += a[t]
        cuda.syncthreads()  # <- divergent-barrier
    out[t] = total


@plant("divergent-barrier", 1, BLOCK, lambda: (floats(64), zeros(64)))
def break_leaves_the_others_waiting(a, out):
    t = cuda.threadIdx.x
    k = 0
    while k < 5:
        if a[t] > 60 and k == 2:
            break
        cuda.syncthreads()  # <- divergent-barrier
        k += 1
    out[t] = k


@cuda.jit(device=True)
def _meet():
    cuda.syncthreads()  # <- divergent-barrier


@plant("divergent-barrier", 1, 32, lambda: (zeros(32),), helpers=(_meet,))
def barrier_in_a_device_function_called_by_some(out):
    t = cuda.threadIdx.x
    if t != 31:
        _meet()
    out[t] = t


@plant("divergent-barrier", 1, BLOCK, lambda: (ints(64, high=9), zeros(64, dtype=np.int32)))
def counting_barrier_inside_a_branch(a, out):
    t = cuda.threadIdx.x
    many = 0
    if a[t] > 2:
        many = cuda.syncthreads_count(1)  # <- divergent-barrier
    out[t] = t + 0 * many


@plant("divergent-barrier", 4, BLOCK, lambda: (floats(256), zeros(256)))
def barrier_for_part_of_the_third_block(a, out):
    i = cuda.grid(1)
    if i < 150:
        cuda.syncthreads()  # <- divergent-barrier
    out[i] = a[i]


@plant("runaway-loop", 1, 32, lambda: (zeros(32),))
def loop_whose_condition_never_changes(out):
    t = cuda.threadIdx.x
    k = 0
    while k < 10:  # <- runaway-loop
        out[t] = k


@plant("runaway-loop", 1, 32, lambda: (zeros(32, dtype=np.int32),))
def loop_that_one_thread_never_leaves(out):
    t = cuda.threadIdx.x
    k = t
    while k != 30:  # <- runaway-loop
        k += 2 if t % 2 == 0 or t < 31 else 0
        if t % 2 == 1 and t < 31:
            k = 30
    out[t] = k


@plant("runaway-loop", 1, 1, lambda: (zeros(1, dtype=np.float64),))
def loop_that_waits_for_an_exact_float(out):
    x = 0.0
    while x != 1.0:  # <- runaway-loop
        x += 0.3
    out[0] = x


@plant("spin-in-warp", 1, 32, lambda: (zeros(1, dtype=np.int32), zeros(1)))
def spin_lock_taken_by_every_lane(lock, total):
    while cuda.atomic.cas(lock, 0, 0, 1) != 0:  # <- spin-in-warp
        pass
    cuda.threadfence()
    cuda.atomic.add(total, 0, 1.0)
    cuda.threadfence()
    cuda.atomic.exch(lock, 0, 0)


@plant("spin-in-warp", 1, 32, lambda: (zeros(1, dtype=np.int32), zeros(32)))
def lanes_wait_for_a_lane_of_their_warp(flag, out):
    t = cuda.threadIdx.x
    if t != 5:
        while cuda.atomic.add(flag, 0, 0) == 0:  # <- spin-in-warp
            pass
    else:
        cuda.threadfence()
        cuda.atomic.exch(flag, 0, 1)
    out[t] = 1


@plant(None, 2, BLOCK, lambda: (floats(100), zeros(100)))
def threads_without_work_return_before_the_barrier(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if i >= a.size:
        return
    tile[t] = a[i]
    cuda.syncthreads()
    filled = min(BLOCK, a.size - cuda.blockIdx.x * BLOCK)
    out[i] = tile[filled - 1 - t]


@plant(None, 2, BLOCK, lambda: (floats(128), zeros(128)))
def barrier_in_a_branch_that_the_block_takes_together(a, out):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if cuda.blockIdx.x == 1:
        tile[t] = a[i]
        cuda.syncthreads()
        out[i] = tile[BLOCK - 1 - t]
    else:
        out[i] = a[i]


@plant(None, 2, BLOCK, lambda: (floats(128), zeros(128), np.array([3, 5], np.int32)))
def barrier_in_a_loop_whose_length_differs_by_block(a, out, rounds):
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    value = a[i]
    for _ in range(rounds[cuda.blockIdx.x]):
        tile[t] = value
        cuda.syncthreads()
        value = tile[(t + 1) % BLOCK]
        cuda.syncthreads()
    out[i] = value


@plant(None, 2, BLOCK, lambda: (floats(128), zeros(128)))
def branch_decided_by_a_value_that_the_block_shares(a, out):
    first = cuda.shared.array(1, float32)
    tile = cuda.shared.array(BLOCK, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if t == 0:
        first[0] = a[i]
    cuda.syncthreads()
    if first[0] > 50:
        tile[t] = a[i]
        cuda.syncthreads()
        out[i] = tile[t ^ 1]
    else:
        out[i] = -a[i]


@plant(None, 1, BLOCK, lambda: (floats(64), zeros(64)))
def returns_in_one_branch_and_waits_in_the_other(a, out):
    tile = cuda.shared.array(32, float32)
    t = cuda.threadIdx.x
    if t >= 32:
        out[t] = a[t]
        return
    tile[t] = a[t]
    cuda.syncthreads()
    out[t] = tile[31 - t]


@plant(None, 2, 40, lambda: (ints(80, high=9), zeros(80, dtype=np.int32)))
def counting_barriers(a, out):
    i = cuda.grid(1)
    wanted = 1 if a[i] > 4 else 0
    many = cuda.syncthreads_count(wanted)
    every = cuda.syncthreads_and(wanted)
    some = cuda.syncthreads_or(wanted)
    out[i] = many * 100 + every * 10 + (1 if some else 0)


@plant(None, 1, BLOCK, lambda: (ints(64, high=40), zeros(64, dtype=np.int32)))
def loops_of_uneven_length_that_end(a, out):
    t = cuda.threadIdx.x
    n = int32(a[t])
    rounds = 0
    while n > 0:
        if n % 3 == 0:
            n //= 3
        elif n % 7 == 6:
            break
        else:
            n -= 1
        rounds += 1
    out[t] = rounds


@plant(None, 3, 40, lambda: (floats(100), zeros(100)))
def while_true_with_a_break(a, out):
    i = cuda.grid(1)
    while True:
        if i >= a.size:
            break
        out[i] = a[i]
        i += cuda.gridsize(1)


@plant("divergent-barrier", 1, BLOCK, lambda: (floats(64), zeros(64)))
def a_barrier_in_each_branch(a, out):
    t = cuda.threadIdx.x
    if t < 32:
        out[t] = a[t]
        cuda.syncthreads()  # <- divergent-barrier
    else:
        out[t] = -a[t]
        cuda.syncthreads()  # <- divergent-barrier
    out[t] += 1
