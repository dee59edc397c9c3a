"""How a block's threads shared the work, counted on small kernels whose counts are known."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.cooperation.teams import observe_teams
from gpuedu.simt import simulate


def teams(kernel, blocks=1, threads=128):
    x = np.zeros(blocks * threads, np.float32)
    return observe_teams(simulate(kernel, blocks, threads, x, watch=range(blocks)))


def test_every_second_lane_leaves_every_warp_partly_active():
    def seconds(x):
        if cuda.threadIdx.x % 2 == 0:
            x[cuda.grid(1)] = 1

    found = teams(seconds)
    assert (found["partly"], found["partly_text"]) == (4, "x[cuda.grid(1)] = 1")


@pytest.mark.parametrize(("working", "partly"), [(64, 0), (80, 1)])
def test_the_first_threads_leave_one_warp_at_most(working, partly):
    def firsts(x):
        if cuda.threadIdx.x < working:
            x[cuda.grid(1)] = 1

    assert teams(firsts)["partly"] == partly


def test_warps_count_together_only_between_the_same_barriers():
    def by_turns(x):
        for warp in range(4):
            if cuda.threadIdx.x == 32 * warp:
                x[cuda.grid(1)] = 1
            cuda.syncthreads()

    found = teams(by_turns)
    assert (found["partly"], found["barriers"]) == (1, 4)


def test_where_it_was_is_told_by_block_and_barriers():
    def last_block(x):
        cuda.syncthreads()
        if cuda.blockIdx.x == 2 and cuda.threadIdx.x % 2 == 0:
            x[cuda.grid(1)] = 1

    found = teams(last_block, blocks=3)
    assert (found["partly_block"], found["partly_epoch"]) == (2, 1)


def test_rounds_are_the_turns_of_the_warp_that_repeats_most():
    def walk(x):
        for k in range(cuda.threadIdx.x // 32 * 5):
            x[cuda.grid(1)] += k

    found = teams(walk)
    assert (found["rounds"], found["rounds_text"]) == (15, "x[cuda.grid(1)] += k")


def test_waits_are_lanes_of_a_block_that_meet_at_one_address():
    def meet(x):
        cuda.atomic.add(x, cuda.threadIdx.x // 64, 1)

    assert teams(meet, blocks=2)["waits"] == 128


def test_shared_memory_is_counted_in_bytes():
    def two(x):
        a = cuda.shared.array(32, np.float32)
        b = cuda.shared.array(4, np.float64)
        t = cuda.threadIdx.x
        if t < 4:
            a[t] = 1
            b[t] = 2
            x[t] = a[t] + b[t]

    assert teams(two)["shared_bytes"] == 160
