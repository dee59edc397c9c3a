"""Data races on global memory: within a block, and between blocks."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

BLOCK = 32


def _same_twice():
    a = floats(128)
    return a, a


def _shifted_views():
    a = floats(129)
    return a[:-1], a[1:]


def _two_dtypes():
    a = zeros(64)
    return a, a.view(np.int32)[::-1]


def _wide_and_narrow():
    a = zeros(32, dtype=np.float64)
    return a, a.view(np.float32)


def _one_duplicate():
    where = np.random.default_rng(5).permutation(np.arange(128, dtype=np.int64))
    where[97] = where[13]
    return floats(128), where, zeros(128)


@plant("data-race", 4, BLOCK, lambda: (floats(128), zeros(1)))
def every_thread_writes_its_own_value(a, out):
    out[0] = a[cuda.grid(1)]  # <- data-race


@plant("data-race", 4, 1, lambda: (floats(4), zeros(1)))
def every_block_writes_its_own_value(a, out):
    out[0] = a[cuda.blockIdx.x]  # <- data-race


@plant("data-race", 4, BLOCK, lambda: (floats(128), zeros(1)))
def sums_without_an_atomic(a, out):
    out[0] += a[cuda.grid(1)]  # <- data-race


@plant("data-race", 4, BLOCK, lambda: (zeros(1, dtype=np.int32),))
def counts_threads_without_an_atomic(count):
    count[0] += 1  # <- data-race


@plant("data-race", 4, BLOCK, lambda: (ints(128, high=10), zeros(10, dtype=np.int32)))
def histogram_without_atomics(a, bins):
    i = cuda.grid(1)
    bins[a[i]] += 1  # <- data-race


@plant("data-race", 4, BLOCK, lambda: (floats(129),))
def shifts_in_place(a):
    i = cuda.grid(1)
    a[i] = a[i + 1]  # <- data-race


@plant("data-race", 4, BLOCK, lambda: (floats(129),))
def shifts_in_place_with_a_barrier_of_the_block(a):
    i = cuda.grid(1)
    right = a[i + 1]  # <- data-race
    cuda.syncthreads()
    a[i] = right  # <- data-race


@plant("data-race", 4, BLOCK, _same_twice)
def one_array_under_two_names(a, out):
    i = cuda.grid(1)
    if i + 1 < a.size:
        out[i] = a[i + 1]  # <- data-race


@plant("data-race", 4, BLOCK, _shifted_views)
def two_views_of_one_array(a, out):
    i = cuda.grid(1)
    out[i] = 2 * a[i]  # <- data-race


@plant("data-race", 2, BLOCK, _two_dtypes)
def two_dtypes_of_one_memory(a, bits):
    i = cuda.grid(1)
    a[i] = i  # <- data-race
    bits[i] = 1 - i  # <- data-race


@plant("data-race", 1, 32, _wide_and_narrow)
def half_of_another_threads_number(wide, narrow):
    t = cuda.threadIdx.x
    if t < 16:
        wide[t] = 1.5 + t  # <- data-race
    elif t == 16:
        narrow[3] = 7  # <- data-race


@plant("data-race", 4, BLOCK, _one_duplicate)
def scatters_with_one_duplicate(a, where, out):
    i = cuda.grid(1)
    out[where[i]] = a[i]  # <- data-race


@plant("data-race", 4, BLOCK, lambda: (floats(128), zeros(100)))
def clamps_the_index_instead_of_returning(a, out):
    i = cuda.grid(1)
    out[min(i, out.size - 1)] = a[i]  # <- data-race


@plant("data-race", 2, BLOCK, lambda: (floats(128), zeros(128)))
def grid_stride_by_the_block_instead_of_the_grid(a, out):
    i = cuda.grid(1)
    while i < a.size:
        out[i] = a[i] + cuda.blockIdx.x  # <- data-race
        i += cuda.blockDim.x


@plant("data-race", (2, 2), (8, 8), lambda: (floats(16, 16), zeros(16)))
def all_of_a_row_write_one_cell(a, out):
    x, y = cuda.grid(2)
    out[y] = a[y, x]  # <- data-race


@plant("data-race", 2, BLOCK, lambda: (floats(64), zeros(2)))
def reads_an_atomic_sum_too_early(a, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, a[i])  # <- data-race
    if i == 40:
        out[1] = out[0]  # <- data-race


@plant("data-race", 2, BLOCK, lambda: (floats(64), np.full(1, 9.0, np.float32)))
def one_thread_zeroes_the_sum_meanwhile(a, out):
    i = cuda.grid(1)
    if i == 0:
        out[0] = 0  # <- data-race
    cuda.syncthreads()
    if i >= BLOCK:
        cuda.atomic.add(out, 0, a[i])  # <- data-race


@plant("data-race", 2, 40, lambda: (floats(80), zeros(80), zeros(80)))
def barrier_does_not_order_other_blocks(a, middle, out):
    i = cuda.grid(1)
    middle[i] = 2 * a[i]  # <- data-race
    cuda.syncthreads()
    out[i] = middle[middle.size - 1 - i]  # <- data-race


@plant("data-race", 3, 40, lambda: (floats(120), zeros(3), zeros(1, dtype=np.int32), zeros(1)))
def last_block_without_a_fence(a, partial, ticket, out):
    last = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    b = cuda.blockIdx.x
    if t == 0:
        total = float32(0.0)
        for k in range(40):
            total += a[b * 40 + k]
        partial[b] = total  # <- data-race
        last[0] = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 0:
        grand = float32(0.0)
        for k in range(cuda.gridDim.x):
            grand += partial[k]  # <- data-race
        out[0] = grand


@plant("data-race", 3, 1, lambda: (zeros(3), zeros(1, dtype=np.int32)))
def first_block_resets_the_ticket(partial, ticket):
    partial[cuda.blockIdx.x] = 1
    cuda.threadfence()
    if cuda.atomic.add(ticket, 0, 1) == 0:  # <- data-race
        ticket[0] = 0  # <- data-race


@plant("data-race", 3, 1, lambda: (zeros(3), np.full(1, 9, np.int32)))
def ticket_is_reset_before_it_is_drawn(partial, ticket):
    partial[cuda.blockIdx.x] = 1
    cuda.threadfence()
    if cuda.blockIdx.x == 2:
        ticket[0] = 0  # <- data-race
    cuda.atomic.add(ticket, 0, 1)  # <- data-race


@plant("data-race", 3, 1, lambda: (floats(3), zeros(3), zeros(1, dtype=np.int32), zeros(1)))
def fence_before_the_data_and_a_reset(a, partial, ticket, out):
    b = cuda.blockIdx.x
    cuda.threadfence()
    partial[b] = a[b]  # <- data-race
    if cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1:
        out[0] = partial[0] + partial[1] + partial[2]  # <- data-race
        ticket[0] = 0


@plant("data-race", 3, 40, lambda: (floats(120), zeros(120), zeros(1, dtype=np.int32), zeros(1)))
def ticket_before_the_block_is_done(a, squares, ticket, out):
    last = cuda.shared.array(1, int32)
    i = cuda.grid(1)
    squares[i] = a[i] * a[i]  # <- data-race
    cuda.threadfence()
    if cuda.threadIdx.x == 0:
        last[0] = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and cuda.threadIdx.x == 0:
        grand = float32(0.0)
        for k in range(squares.size):
            grand += squares[k]  # <- data-race
        out[0] = grand


@plant("data-race", 2, 64, lambda: (zeros(128, dtype=np.int8), np.array([3, 3, 90, 7], np.int32)))
def few_threads_meet_on_a_byte(out, where):
    i = cuda.grid(1)
    if i % 40 == 1:
        out[where[i // 40]] = i  # <- data-race


@cuda.jit(device=True)
def _store(values, k, value):
    values[k] = value  # <- data-race


@plant("data-race", 2, BLOCK, lambda: (floats(64), zeros(32)), helpers=(_store,))
def two_blocks_store_through_a_device_function(a, out):
    _store(out, cuda.threadIdx.x, a[cuda.grid(1)])


@plant("data-race", 1, 32, lambda: (zeros(40),))
def loop_rounds_overtake_each_other(out):
    t = cuda.threadIdx.x
    for k in range(4):
        out[t + k] = t  # <- data-race


@plant("data-race", (1, 1, 2), (4, 2, 2), lambda: (floats(4, 2, 4), zeros(4, 2)))
def layers_write_over_each_other(a, out):
    x, y, z = cuda.grid(3)
    out[x, y] = a[x, y, z]  # <- data-race


@plant("data-race", 2, 32, lambda: (floats(64), zeros(4)))
def compare_and_swap_beside_a_plain_write(a, out):
    i = cuda.grid(1)
    if i == 33:
        out[2] = a[i]  # <- data-race
    elif i < 32:
        cuda.atomic.max(out, 2, a[i])  # <- data-race
