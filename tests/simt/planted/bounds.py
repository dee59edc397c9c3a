"""Accesses outside an array, and computed negative indices, which Numba wraps silently."""

from __future__ import annotations

import numpy as np
from numba import cuda, float32, int32

from tests.simt.planted.table import floats, ints, plant, zeros

WIDTH = 64


@plant("out-of-bounds", 2, 64, lambda: (floats(100), zeros(100)))
def forgets_the_guard(a, out):
    i = cuda.grid(1)
    out[i] = 2 * a[i]  # <- out-of-bounds


@plant("out-of-bounds", 2, 64, lambda: (floats(100), zeros(128)))
def reads_past_the_end_and_writes_inside(a, out):
    i = cuda.grid(1)
    out[i] = a[i]  # <- out-of-bounds


@plant("out-of-bounds", 1, 100, lambda: (floats(100), zeros(100)))
def reads_right_neighbor_of_the_last(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[i + 1]  # <- out-of-bounds


@plant("out-of-bounds", (2, 2), (8, 8), lambda: (floats(16, 16), zeros(16, 16)))
def row_overflows_into_the_next_row(a, out):
    column, row = cuda.grid(2)
    out[row, column] = a[row, column + 1]  # <- out-of-bounds


@plant("out-of-bounds", (3, 2), (8, 8), lambda: (floats(16, 24), zeros(16, 24)))
def swaps_row_and_column(a, out):
    x, y = cuda.grid(2)
    out[y, x] = a[x, y]  # <- out-of-bounds


@plant("out-of-bounds", 1, (4, 4, 4), lambda: (floats(4, 4, 3), zeros(4, 4, 4)))
def leaves_the_third_dimension(a, out):
    x, y, z = cuda.grid(3)
    out[x, y, z] = a[x, y, z]  # <- out-of-bounds


@plant("out-of-bounds", 2, WIDTH, lambda: (floats(128), zeros(128)))
def shared_tile_without_room_for_the_halo(a, out):
    tile = cuda.shared.array(WIDTH, float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    tile[t] = a[i]
    cuda.syncthreads()
    right = float32(0.0)
    if i + 1 < a.size:
        right = tile[t + 1]  # <- out-of-bounds
    out[i] = right


@plant("out-of-bounds", 1, 32, lambda: (floats(32), zeros(32)))
def local_array_one_too_short(a, out):
    window = cuda.local.array(4, float32)
    i = cuda.grid(1)
    total = float32(0.0)
    for k in range(5):
        window[k] = a[(i + k) % 32]  # <- out-of-bounds
    for k in range(4):
        total += window[k]
    out[i] = total


@plant("out-of-bounds", 1, 64, lambda: (floats(64), np.r_[ints(63, high=64), 64], zeros(64)))
def gathers_with_one_bad_index(a, where, out):
    i = cuda.grid(1)
    out[i] = a[where[i]]  # <- out-of-bounds


@plant("out-of-bounds", 2, 32, lambda: (floats(100), zeros(101)))
def grid_stride_loop_runs_one_too_far(a, out):
    i = cuda.grid(1)
    while i <= a.size:
        out[i] = a[i]  # <- out-of-bounds
        i += cuda.gridsize(1)


@cuda.jit(device=True)
def _second_next(values, i):
    return values[i + 2]  # <- out-of-bounds


@plant("out-of-bounds", 1, 33, lambda: (floats(34), zeros(33)), helpers=(_second_next,))
def device_function_leaves_the_array(a, out):
    i = cuda.grid(1)
    out[i] = _second_next(a, i)


@plant("out-of-bounds", 2, 32, lambda: (np.r_[ints(63, high=10), 10], zeros(10, dtype=np.int32)))
def counts_a_value_without_a_bin(a, bins):
    i = cuda.grid(1)
    cuda.atomic.add(bins, a[i], 1)  # <- out-of-bounds


@plant("out-of-bounds", 2, 64, lambda: (floats(100), zeros(128)))
def tests_the_value_before_the_index(a, out):
    i = cuda.grid(1)
    if a[i] > 3 and i < a.size:  # <- out-of-bounds
        out[i] = 1


@plant("out-of-bounds", 1, 64, lambda: (floats(200)[:50], zeros(64)))
def leaves_a_view_but_not_its_memory(a, out):
    i = cuda.grid(1)
    out[i] = a[i]  # <- out-of-bounds


@plant("out-of-bounds", 1, 40, lambda: (floats(100)[::3], zeros(40)))
def leaves_a_strided_view(a, out):
    i = cuda.grid(1)
    out[i] = a[i]  # <- out-of-bounds


@plant("out-of-bounds", 3, 32, lambda: (floats(96), zeros(95)))
def only_the_last_thread_writes_outside(a, out):
    i = cuda.grid(1)
    value = a[i]
    if value > 0:
        out[i] = value  # <- out-of-bounds


@plant("out-of-bounds", 1, 32, lambda: (floats(10), zeros(32)))
def so_negative_that_wrapping_does_not_help(a, out):
    i = cuda.grid(1)
    out[i] = a[i - 50]  # <- out-of-bounds


@plant("out-of-bounds", 1, 32, lambda: (floats(32), zeros(32)), dynamic_shared_bytes=31 * 4)
def dynamic_shared_memory_too_small(a, out):
    buffer = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    buffer[t] = a[t]  # <- out-of-bounds
    cuda.syncthreads()
    out[t] = buffer[30 - t % 31]


@plant("out-of-bounds", 1, 8, lambda: (ints(8, 8, high=9), zeros(8, dtype=np.int32)))
def inner_loop_uses_the_outer_extent(a, out):
    row = cuda.grid(1)
    total = int32(0)
    for k in range(a.shape[0] + 1):
        if k == a.shape[1] and row != 3:
            break
        total += a[row, k]  # <- out-of-bounds
    out[row] = total


@plant("negative-index", 2, 64, lambda: (floats(128), zeros(128)))
def reads_left_neighbor_of_the_first(a, out):
    i = cuda.grid(1)
    out[i] = a[i] - a[i - 1]  # <- negative-index


@plant("negative-index", (2, 2), (8, 8), lambda: (floats(16, 16), zeros(16, 16)))
def stencil_wraps_at_the_top(a, out):
    x, y = cuda.grid(2)
    out[y, x] = a[y - 1, x]  # <- negative-index


@plant("negative-index", (2, 2), (8, 8), lambda: (floats(16, 16), zeros(16, 16)))
def stencil_wraps_at_the_left(a, out):
    x, y = cuda.grid(2)
    out[y, x] = a[y, x - 1]  # <- negative-index


@plant("negative-index", 1, 64, lambda: (floats(64), np.r_[-1, ints(63, high=64)], zeros(64)))
def gathers_with_minus_one_for_missing(a, where, out):
    i = cuda.grid(1)
    out[i] = a[where[i]]  # <- negative-index


@plant("negative-index", 2, 64, lambda: (floats(100), zeros(128)))
def reverses_without_a_guard(a, out):
    i = cuda.grid(1)
    out[i] = a[a.size - 1 - i]  # <- negative-index


@plant("negative-index", 1, 64, lambda: (floats(64), zeros(64)))
def shared_tile_wraps(a, out):
    tile = cuda.shared.array(WIDTH, float32)
    t = cuda.threadIdx.x
    tile[t] = a[t]
    cuda.syncthreads()
    out[t] = tile[t - 1]  # <- negative-index


@plant("negative-index", 1, 64, lambda: (floats(64), zeros(64)))
def writes_to_a_wrapped_index(a, out):
    t = cuda.threadIdx.x
    if t % 2 == 0:
        out[t - 1] = a[t]  # <- negative-index


@plant("negative-index", 1, 32, lambda: (ints(32, high=5), zeros(5, dtype=np.int32)))
def atomic_on_a_wrapped_index(a, bins):
    t = cuda.threadIdx.x
    cuda.atomic.add(bins, a[t] - 1, 1)  # <- negative-index


@plant(None, 2, 64, lambda: (floats(100), zeros(100)))
def guards_by_short_circuit(a, out):
    i = cuda.grid(1)
    if i < a.size and a[i] > 3:
        out[i] = a[i]


@plant(None, 2, 64, lambda: (floats(100), zeros(100)))
def guards_by_conditional_expression(a, out):
    i = cuda.grid(1)
    left = a[i - 1] if 0 < i <= a.size else float32(0.0)
    right = a[i + 1] if i + 1 < a.size else float32(0.0)
    if i < a.size:
        out[i] = left + right


@plant(None, 2, 64, lambda: (floats(100), zeros(100)))
def guards_by_or(a, out):
    i = cuda.grid(1)
    if i >= a.size or a[i] < 3:
        return
    out[i] = a[i]


@plant(None, 2, 64, lambda: (floats(128), zeros(128)))
def asks_for_the_last_by_a_written_minus_one(a, out):
    i = cuda.grid(1)
    out[i] = a[i] + a[-1]


@plant(None, (3, 2), (8, 8), lambda: (floats(13, 21), zeros(21, 13)))
def transposes_with_a_guard(a, out):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        out[x, y] = a[y, x]


@plant(None, 2, 32, lambda: (floats(100), zeros(100)))
def grid_stride_loop(a, out):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        out[i] = a[i] + 1


@plant(None, 1, 32, lambda: (floats(65)[::2], zeros(66)[1::2]))
def strided_views(a, out):
    i = cuda.grid(1)
    out[i] = a[i + 1]
