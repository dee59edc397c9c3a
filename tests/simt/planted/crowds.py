"""Many threads touch one cell, and one of that crowd touches it again.

A detector that remembers one thread for each cell sees no race where it happens to remember the
thread that comes again; so the first, the last and one in the middle each get their turn.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int32

from tests.simt.planted.table import floats, plant, zeros

BLOCK = 64
LAST = BLOCK - 1


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def all_write_alike_then_the_last_differs(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    cell[0] = 1  # <- data-race
    if t == LAST:
        cell[0] = 2  # <- data-race
    cuda.syncthreads()
    out[t] = cell[0]


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def all_write_alike_then_the_first_differs(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    cell[0] = 1  # <- data-race
    if t == 0:
        cell[0] = 2  # <- data-race
    cuda.syncthreads()
    out[t] = cell[0]


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def all_write_alike_then_the_last_adds_atomically(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    cell[0] = 1  # <- data-race
    if t == LAST:
        cuda.atomic.add(cell, 0, 1)  # <- data-race
    cuda.syncthreads()
    out[t] = cell[0]


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def all_write_alike_then_the_last_reads(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    cell[0] = 1  # <- data-race
    if t == LAST:
        out[t] = cell[0]  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def all_read_then_the_last_writes(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == LAST:
        cell[0] = 1
    cuda.syncthreads()
    out[t] = cell[0]  # <- data-race
    if t == LAST:
        cell[0] = 2  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def all_read_then_the_first_writes(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        cell[0] = 1
    cuda.syncthreads()
    out[t] = cell[0]  # <- data-race
    if t == 0:
        cell[0] = 2  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def two_read_then_one_of_them_writes(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 33:
        cell[0] = 1
    cuda.syncthreads()
    if t == 5 or t == 33:
        out[t] = cell[0]  # <- data-race
    if t == 33:
        cell[0] = 2  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (zeros(1, dtype=np.int32),))
def all_add_atomically_then_the_last_writes(count):
    cuda.atomic.add(count, 0, 1)  # <- data-race
    if cuda.threadIdx.x == LAST:
        count[0] = 7  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (zeros(1, dtype=np.int32),))
def all_add_atomically_then_the_first_writes(count):
    cuda.atomic.add(count, 0, 1)  # <- data-race
    if cuda.threadIdx.x == 0:
        count[0] = 7  # <- data-race


@plant("data-race", 5, 32, lambda: (floats(1), zeros(160)))
def all_blocks_read_then_the_last_thread_writes(a, out):
    i = cuda.grid(1)
    out[i] = a[0]  # <- data-race
    if i == out.size - 1:
        a[0] = 0  # <- data-race


@plant("data-race", 5, 32, lambda: (floats(1), zeros(160)))
def all_blocks_read_then_the_first_thread_writes(a, out):
    i = cuda.grid(1)
    out[i] = a[0]  # <- data-race
    if i == 0:
        a[0] = 0  # <- data-race


@plant("data-race", 5, 32, lambda: (zeros(1),))
def all_blocks_write_alike_then_the_last_thread_differs(out):
    i = cuda.grid(1)
    out[0] = 1  # <- data-race
    if i == 159:
        out[0] = 2  # <- data-race


@plant("data-race", 1, 32, lambda: (zeros(32, dtype=np.int32),))
def half_is_ordered_and_half_is_not(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    if t == 0:
        cell[0] = 1
    cuda.syncwarp()
    out[t] = cell[0]  # <- data-race
    if t < 16:
        cuda.syncwarp(0x0000FFFF)
    if t == 0:
        cell[0] = 2  # <- data-race


@plant(None, 1, BLOCK, lambda: (zeros(64, dtype=np.int32),), note="same-value-write")
def all_write_alike_and_read_after_a_barrier(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    cell[0] = 1  # <- same-value-write
    cuda.syncthreads()
    out[t] = cell[0]
    cuda.syncthreads()
    if t == 40:
        cell[0] = 2
    cuda.syncthreads()
    out[t] += cell[0]


@plant(None, 1, BLOCK, lambda: (zeros(64, dtype=np.int32), zeros(64, dtype=np.int32)))
def the_only_reader_writes(a, out):
    cells = cuda.shared.array(BLOCK, int32)
    t = cuda.threadIdx.x
    cells[t] = t
    cuda.syncthreads()
    out[t] = cells[LAST - t]
    cells[LAST - t] = out[t] + 1
    a[t] = cells[LAST - t]


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def all_write_alike_then_the_last_reads_after_syncwarp(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    cell[0] = 1  # <- data-race
    cuda.syncwarp()
    if t == LAST:
        out[t] = cell[0]  # <- data-race


@plant("data-race", 1, BLOCK, lambda: (zeros(64, dtype=np.int32),))
def all_write_alike_then_the_first_reads_after_syncwarp(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    cell[0] = 1  # <- data-race
    cuda.syncwarp()
    if t == 0:
        out[t] = cell[0]  # <- data-race


@plant("data-race", 1, 96, lambda: (zeros(96, dtype=np.int32),))
def all_write_alike_then_the_middle_warp_reads(out):
    cell = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    for _ in range(3):
        cell[0] = 1  # <- data-race
    cuda.syncwarp()
    if t == 40:
        out[t] = cell[0]  # <- data-race


@plant("data-race", 3, BLOCK, lambda: (zeros(1), zeros(192)))
def all_blocks_write_alike_then_the_last_reads_after_its_barrier(flag, out):
    i = cuda.grid(1)
    for _ in range(2):
        flag[0] = 1  # <- data-race
    cuda.syncthreads()
    if i == 191:
        out[i] = flag[0]  # <- data-race


@plant("data-race", 3, BLOCK, lambda: (zeros(1), zeros(192)))
def all_blocks_write_alike_then_the_middle_one_reads_after_its_barrier(flag, out):
    i = cuda.grid(1)
    flag[0] = 1  # <- data-race
    cuda.syncthreads()
    if i == 70:
        out[i] = flag[0]  # <- data-race


@plant("data-race", 3, BLOCK, lambda: (floats(1), zeros(192)))
def all_blocks_read_then_the_last_writes_after_its_barrier(a, out):
    i = cuda.grid(1)
    out[i] = a[0]  # <- data-race
    cuda.syncthreads()
    if i == 191:
        a[0] = 0  # <- data-race


@plant("data-race", 3, BLOCK, lambda: (floats(1), zeros(192)))
def all_blocks_read_then_the_first_writes_after_its_barrier(a, out):
    i = cuda.grid(1)
    out[i] = a[0]  # <- data-race
    cuda.syncthreads()
    if i == 0:
        a[0] = 0  # <- data-race


@plant("data-race", 3, BLOCK, lambda: (zeros(1, dtype=np.int32), zeros(192)))
def all_blocks_add_atomically_then_the_last_reads_after_its_barrier(count, out):
    i = cuda.grid(1)
    cuda.atomic.add(count, 0, 1)  # <- data-race
    cuda.syncthreads()
    if i == 191:
        out[i] = count[0]  # <- data-race


@plant("data-race", 3, BLOCK, lambda: (zeros(1, dtype=np.int32), zeros(192)))
def all_blocks_add_atomically_then_the_first_reads_after_its_barrier(count, out):
    i = cuda.grid(1)
    cuda.atomic.add(count, 0, 1)  # <- data-race
    cuda.syncthreads()
    if i == 0:
        out[i] = count[0]  # <- data-race
