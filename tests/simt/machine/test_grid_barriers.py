"""Barriers at which all blocks of a launch meet, in Python and in CUDA C."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy
from gpuedu.backend import cuda
from gpuedu.errors import GpueduError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel

BLOCKS, THREADS = 70, 96


@cuda.jit
def from_the_other_end(x, out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    x[i] = i
    grid.sync()
    out[i] = x[x.size - 1 - i]


@cuda.jit
def without(x, out):
    i = cuda.grid(1)
    x[i] = i
    cuda.syncthreads()
    out[i] = x[x.size - 1 - i]


def arrays():
    return np.zeros(BLOCKS * THREADS, np.int32), np.zeros(BLOCKS * THREADS, np.int32)


@pytest.mark.parametrize("order", [None, "reversed"])
def test_what_all_blocks_wrote_before_is_there_after(order):
    x, out = arrays()
    assert not simulate(from_the_other_end, BLOCKS, THREADS, x, out, order=order).hazards
    np.testing.assert_array_equal(out, x[::-1])


def test_a_barrier_of_a_block_does_not_order_blocks():
    assert simulate(without, BLOCKS, THREADS, *arrays()).hazards


def test_a_loop_of_rows_each_from_the_row_before():
    @cuda.jit
    def rows(m):
        column = cuda.grid(1)
        grid = cuda.cg.this_grid()
        for row in range(1, m.shape[0]):
            m[row, column] = m[row - 1, m.shape[1] - column - 1] + 1
            grid.sync()

    m = np.zeros((20, 256), np.int32)
    m[0] = np.arange(256)
    trace = simulate(rows, 8, 32, m)
    assert not trace.hazards
    assert trace.barriers[0].arrivals.tolist() == [19] * 8
    np.testing.assert_array_equal(m[19], np.arange(256)[::-1] + 19)


def test_a_race_after_the_barrier_is_still_one():
    @cuda.jit
    def races(out):
        cuda.cg.this_grid().sync()
        out[0] = cuda.blockIdx.x

    assert simulate(races, 2, 32, np.zeros(1, np.int32)).hazards


@pytest.mark.parametrize("first", [True, False])
def test_a_block_that_does_not_come_is_told(first):
    @cuda.jit
    def leaves(out, first):
        if (cuda.blockIdx.x == 0) == first:
            cuda.cg.this_grid().sync()
        out[cuda.grid(1)] = 1

    trace = simulate(leaves, 3, 32, np.zeros(96, np.int32), first)
    assert not trace.complete
    assert "barrier" in trace.hazards[0].message or "wait" in trace.hazards[0].message


def test_a_block_that_has_ended_is_told():
    @cuda.jit
    def ends(out):
        if cuda.blockIdx.x == 1:
            return
        cuda.cg.this_grid().sync()
        out[cuda.grid(1)] = 1

    trace = simulate(ends, 3, 32, np.zeros(96, np.int32))
    assert trace.hazards
    assert not trace.complete


def test_more_blocks_than_the_device_holds_are_refused():
    with pytest.raises(GpueduError, match="holds only 2112 of 128 threads"):
        simulate(from_the_other_end, 2113, 128, *(np.zeros(2113 * 128, np.int32),) * 2)


CODE = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int* x, int* out) {
    auto grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    x[i] = i;
    SYNC
    out[i] = x[n - 1 - i];
}"""


@pytest.mark.parametrize("sync", ["grid.sync();", "cg::sync(grid);"])
def test_a_grids_sync_in_cuda_c(sync):
    x, out = arrays()
    code = CODE.replace("SYNC", sync)
    assert not simulate(CudaCKernel(code, "k"), BLOCKS, THREADS, x, out).hazards
    np.testing.assert_array_equal(out, x[::-1])
    assert simulate(CudaCKernel(CODE.replace("SYNC", ""), "k"), BLOCKS, THREADS, *arrays()).hazards


def test_a_raw_kernel_has_to_ask_for_it():
    code = CODE.replace("SYNC", "grid.sync();")
    x, out = (cupy.zeros(64, cupy.int32) for _ in range(2))
    cupy.RawKernel(code, "k", enable_cooperative_groups=True)((2,), (32,), (x, out))
    np.testing.assert_array_equal(out.get(), np.arange(64)[::-1])
    with pytest.raises(GpueduError, match="enable_cooperative_groups"):
        cupy.RawKernel(code, "k")((2,), (32,), (x, out))
    module = cupy.RawModule(code=code, enable_cooperative_groups=True)
    module.get_function("k")((2,), (32,), (x, out))
