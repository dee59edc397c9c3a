"""How a block's threads shared the work, counted on small kernels whose counts are known."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.cooperation.block_work import (
    barriers_and_memory,
    line_of,
    partly_active_warps,
    rounds_of,
)
from gpuedu.simt import simulate


def work_of(kernel, blocks=1, threads=128):
    x = np.zeros(blocks * threads, np.float32)
    trace = simulate(kernel, blocks, threads, x, watch=range(blocks))
    return {**rounds_of(trace), **partly_active_warps(trace), **barriers_and_memory(trace)}


def test_every_second_lane_leaves_every_warp_partly_active():
    def seconds(x):
        if cuda.threadIdx.x % 2 == 0:
            x[cuda.grid(1)] = 1

    found = work_of(seconds)
    assert found["partly"] == 4
    assert line_of(found, "partly").endswith("`x[cuda.grid(1)] = 1`")


@pytest.mark.parametrize(("working", "partly"), [(64, 0), (80, 1)])
def test_the_first_threads_leave_one_warp_at_most(working, partly):
    def firsts(x):
        if cuda.threadIdx.x < working:
            x[cuda.grid(1)] = 1

    assert work_of(firsts)["partly"] == partly


def test_warps_count_together_only_between_the_same_barriers():
    def by_turns(x):
        for warp in range(4):
            if cuda.threadIdx.x == 32 * warp:
                x[cuda.grid(1)] = 1
            cuda.syncthreads()

    found = work_of(by_turns)
    assert (found["partly"], found["barriers"]) == (1, 4)


def test_where_it_was_is_told_by_block_and_barriers():
    def last_block(x):
        cuda.syncthreads()
        if cuda.blockIdx.x == 2 and cuda.threadIdx.x % 2 == 0:
            x[cuda.grid(1)] = 1

    found = work_of(last_block, blocks=3)
    assert (found["partly.block"], found["partly.epoch"]) == (2, 1)


def test_rounds_are_the_turns_of_the_warp_that_repeats_most():
    def walk(x):
        for k in range(cuda.threadIdx.x // 32 * 5):
            x[cuda.grid(1)] += k

    found = work_of(walk)
    assert found["rounds"] == 15
    assert line_of(found, "rounds").endswith("`x[cuda.grid(1)] += k`")


def test_waits_are_lanes_of_a_block_that_meet_at_one_address():
    def meet(x):
        cuda.atomic.add(x, cuda.threadIdx.x // 64, 1)

    assert work_of(meet, blocks=2)["waits"] == 128


def test_shared_memory_is_counted_in_bytes():
    def two(x):
        a = cuda.shared.array(32, np.float32)
        b = cuda.shared.array(4, np.float64)
        t = cuda.threadIdx.x
        if t < 4:
            a[t] = 1
            b[t] = 2
            x[t] = a[t] + b[t]

    assert work_of(two)["shared_bytes"] == 160
