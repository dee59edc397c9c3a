"""Correct kernels on global memory that a careless detector would blame."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

BLOCK = 64


def _permuted():
    return (
        floats(128),
        np.random.default_rng(3).permutation(np.arange(128, dtype=np.int64)),
        zeros(128),
    )


def _halves():
    a = floats(128)
    return a[:64], a[64:]


def _interleaved():
    a = floats(128)
    return a[::2], a[1::2]


@plant(None, 4, 32, lambda: (ints(128, high=9), zeros(1)), note="same-value-write")
def many_raise_one_flag(a, found):
    i = cuda.grid(1)
    if a[i] == 4:
        found[0] = 1  # <- same-value-write


@plant(None, 4, 32, lambda: (ints(128, high=10), zeros(10, dtype=np.int32)))
def histogram_by_global_atomics(a, bins):
    i = cuda.grid(1)
    cuda.atomic.add(bins, a[i], 1)


@plant(None, 3, 40, lambda: (floats(100), np.full(1, -1, np.float32)))
def maximum_by_atomics(a, out):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.max(out, 0, a[i])


@plant(None, 3, 40, lambda: (floats(120), zeros(3), zeros(1, dtype=np.int32), zeros(1)))
def last_block_adds_the_partial_sums(a, partial, ticket, out):
    tile = cuda.shared.array(40, float32)
    last = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    b = cuda.blockIdx.x
    tile[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    if t == 0:
        total = float32(0.0)
        for k in range(40):
            total += tile[k]
        partial[b] = total
        cuda.threadfence()
        last[0] = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t < 1:
        grand = float32(0.0)
        for k in range(cuda.gridDim.x):
            grand += partial[k]
        out[0] = grand


@plant(None, 3, 40, lambda: (floats(120), zeros(120), zeros(1, dtype=np.int32), zeros(40)))
def last_block_reads_what_all_threads_wrote(a, squares, ticket, out):
    last = cuda.shared.array(1, int32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    squares[i] = a[i] * a[i]
    cuda.syncthreads()
    if t == 0:
        cuda.threadfence()
        last[0] = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0]:
        out[t] = squares[t] + squares[40 + t] + squares[80 + t]


@plant(None, 2, 40, lambda: (floats(80), zeros(80), zeros(1, dtype=np.int32), zeros(1)))
def every_thread_fences_and_takes_a_ticket(a, squares, ticket, out):
    i = cuda.grid(1)
    squares[i] = a[i] * a[i]
    cuda.threadfence()
    if cuda.atomic.add(ticket, 0, 1) == squares.size - 1:
        grand = float32(0.0)
        for k in range(squares.size):
            grand += squares[k]
        out[0] = grand


@plant(None, 3, 40, lambda: (floats(120), zeros(3), zeros(1, dtype=np.int32), zeros(1)))
def last_block_resets_the_ticket(a, partial, ticket, out):
    last = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        partial[cuda.blockIdx.x] = a[cuda.grid(1)]
        cuda.threadfence()
        last[0] = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if last[0] and t == 5:
        out[0] = partial[0] + partial[1] + partial[2]
        ticket[0] = 0


@plant(None, 4, 32, _permuted)
def scatters_by_a_permutation(a, where, out):
    i = cuda.grid(1)
    out[where[i]] = a[i]


@plant(None, 2, 32, _halves)
def two_halves_of_one_array(a, out):
    i = cuda.grid(1)
    out[i] = a[i] + 1


@plant(None, 2, 32, _interleaved)
def two_interleaved_views_of_one_array(a, out):
    i = cuda.grid(1)
    out[i] = a[i] - out[i]


@plant(None, 4, 32, lambda: (floats(128),))
def updates_its_own_element_in_place(a):
    i = cuda.grid(1)
    a[i] = 2 * a[i]
    a[i] += 1


@plant(None, 1, BLOCK, lambda: (floats(129), zeros(64)))
def shifts_in_place_in_one_block_with_a_barrier(a, out):
    t = cuda.threadIdx.x
    right = a[t + 1]
    cuda.syncthreads()
    a[t] = right
    cuda.syncthreads()
    out[t] = a[BLOCK - 1 - t]


@plant(None, 2, 40, lambda: (floats(80), zeros(80), zeros(80)))
def hands_over_through_global_memory_in_a_block(a, middle, out):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    middle[i] = 2 * a[i]
    cuda.syncthreads()
    out[i] = middle[cuda.blockIdx.x * 40 + 39 - t]


@plant(None, 1, BLOCK, lambda: (floats(64), zeros(64), zeros(1, dtype=np.int32)))
def compacts_by_an_atomic_position(a, out, used):
    t = cuda.threadIdx.x
    if a[t] > 30:
        position = cuda.atomic.add(used, 0, 1)
        out[position] = 1


@plant(None, 1, 64, lambda: (zeros(64, dtype=np.int8), ints(64, high=100)))
def neighbors_write_bytes_of_one_word(out, a):
    t = cuda.threadIdx.x
    out[t] = a[t]


@plant(
    None,
    4,
    32,
    lambda: (zeros(1, dtype=np.int32), zeros(4, dtype=np.int32), floats(4)),
    ambiguous=True,
)
def flag_handed_over_without_waiting(flag, seen, data):
    b = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        if b == 0:
            data[0] = 5
            cuda.threadfence()
            cuda.atomic.exch(flag, 0, 1)
        elif cuda.atomic.add(flag, 0, 0) == 1:
            seen[b] = int32(data[0])


@plant(None, 1, 40, lambda: (floats(40), zeros(40)))
def loop_over_an_array(a, out):
    t = cuda.threadIdx.x
    total = float32(0.0)
    for value in a:
        if value > 20:
            break
        total += value
    out[t] = total + t


@plant(None, 2, 32, lambda: (floats(64), zeros(2)))
def last_writer_is_the_first(a, out):
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    if t == 0:
        out[cuda.blockIdx.x] = a[i]
    cuda.syncthreads()
    if t == 31:
        out[cuda.blockIdx.x] += a[i]
    cuda.syncthreads()
    if t == 7:
        out[cuda.blockIdx.x] = out[cuda.blockIdx.x] * 2
