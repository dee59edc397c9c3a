"""Launches that no device accepts."""

from __future__ import annotations

from numba import cuda, float32

from tests.simt.planted.table import floats, plant, zeros


@plant("invalid-launch", 1, 1025, lambda: (zeros(1025),))
def too_many_threads(out):
    out[cuda.grid(1)] = 1


@plant("invalid-launch", 1, (32, 8, 8), lambda: (zeros(32),))
def too_many_threads_in_three_dimensions(out):
    out[cuda.threadIdx.x] = 1


@plant("invalid-launch", 1, (1, 1, 65), lambda: (zeros(65),))
def block_too_deep(out):
    out[cuda.threadIdx.z] = 1


@plant("invalid-launch", 0, 32, lambda: (zeros(32),))
def no_blocks(out):
    out[cuda.grid(1)] = 1


@plant("invalid-launch", (2, 0), 32, lambda: (zeros(64),))
def no_blocks_in_the_second_dimension(out):
    out[cuda.grid(1)] = 1


@plant("invalid-launch", 2, 0, lambda: (zeros(32),))
def no_threads(out):
    out[cuda.grid(1)] = 1


@plant("invalid-launch", 2, -32, lambda: (zeros(32),))
def fewer_than_no_threads(out):
    out[cuda.grid(1)] = 1


@plant("invalid-launch", (1, 65536), 1, lambda: (zeros(1),))
def grid_too_tall(out):
    if cuda.blockIdx.y == 0:
        out[0] = 1


@plant("invalid-launch", 1, 32, lambda: (floats(32), zeros(32)))
def more_static_shared_memory_than_a_block_may_have(a, out):
    tile = cuda.shared.array((112, 112), float32)
    t = cuda.threadIdx.x
    tile[t, 0] = a[t]
    cuda.syncthreads()
    out[t] = tile[31 - t, 0]


@plant("invalid-launch", 1, 32, lambda: (floats(32), zeros(32)), dynamic_shared_bytes=300 * 1024)
def more_dynamic_shared_memory_than_an_sm_has(a, out):
    buffer = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    buffer[t] = a[t]
    cuda.syncthreads()
    out[t] = buffer[31 - t]


@plant("invalid-launch", 1, 32, lambda: (floats(32), zeros(32)), dynamic_shared_bytes=-4)
def less_than_no_shared_memory(a, out):
    out[cuda.threadIdx.x] = a[cuda.threadIdx.x]


@plant("invalid-launch", (1, 1, 1, 1), 32, lambda: (zeros(32),))
def grid_of_four_dimensions(out):
    out[cuda.grid(1)] = 1


@plant("invalid-launch", 1.5, 32, lambda: (zeros(64),))
def half_a_block(out):
    out[cuda.grid(1)] = 1
