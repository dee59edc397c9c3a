"""What a launch asked of memory, from the trace to the judge."""

from __future__ import annotations

import numpy as np
import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.exercises.kernels.launching import TruncatedError, run_kernel
from gpuedu.exercises.kernels.traffic import (
    array_traffic,
    handed_on,
    loads_by_block,
    read_traffic,
    shared_traffic,
)


@cuda.jit
def copy_by_eight(src, dst):
    first = 8 * cuda.grid(1)
    for i in range(first, min(first + 8, src.size)):
        dst[i] = src[i]


@cuda.jit
def two_reads(src, dst):
    i = cuda.grid(1)
    if i < src.size:
        dst[i] = src[i] + src[(i + 1) % src.size]


@cuda.jit
def column(src, dst):
    tile = cuda.shared.array((32, 32), float32)
    t = cuda.threadIdx.x
    for k in range(32):
        tile[k, t] = src[32 * k + t]
    cuda.syncthreads()
    dst[t] = tile[t, 0]


@cuda.jit
def count(src, dst):
    i = cuda.grid(1)
    if i < src.size:
        cuda.atomic.add(dst, i // 16, src[i])


@cuda.jit
def alone(src, dst):
    if cuda.grid(1) == 0:
        for i in range(src.size):
            dst[i] = src[i]


@cuda.jit
def often(src, dst):
    for turn in range(100):
        for i in range(64):
            dst[cuda.threadIdx.x] = src[i] + turn


@cuda.jit
def atomic_reads(src, dst):
    i = cuda.grid(1)
    if i < src.size:
        dst[i] = src[i] + cuda.atomic.add(src, i, 0)


def launch(kernel, n, blocks, threads, **options):
    rng = np.random.default_rng(3)
    src, dst = rng.normal(0, 1, n).astype(np.float32), np.zeros(n, np.float32)
    return run_kernel(kernel, blocks, threads, src, dst, watch=range(blocks), **options)


def test_a_stride_of_eight_asks_for_a_sector_a_lane():
    trace = launch(copy_by_eight, 512, 2, 32)
    loads, stores = (read_traffic(array_traffic(trace, position)) for position in (0, 1))
    assert (loads.requests, loads.lanes, loads.sectors, loads.ideal_sectors) == (16, 512, 512, 64)
    assert loads.sectors_ratio == 8
    assert loads.used_share == 1 / 8
    assert loads.worst.sectors_per_request == 32
    line = copy_by_eight.py_func.__code__.co_firstlineno + 4
    assert loads.worst.told == f"the load `src[i]` on line {line}"
    assert stores.of("store").requests == 16
    assert not stores.of("load").accesses


def test_neighbors_are_ideal_and_have_no_worst_access():
    trace = launch(count, 64, 1, 64)
    loads = read_traffic(array_traffic(trace, 0))
    assert loads.sectors_ratio == loads.used_share == 1
    assert loads.worst is None
    assert loads.least_used is None


def test_one_thread_alone_is_seen_by_the_used_share_only():
    loads = read_traffic(array_traffic(launch(alone, 64, 1, 64), 0))
    assert loads.sectors_ratio == 1
    assert loads.used_share == 1 / 8
    assert loads.least_used.text == "src[i]"


def test_a_column_of_shared_memory_meets_in_one_bank():
    trace = launch(column, 1024, 1, 32)
    shared = read_traffic(shared_traffic(trace))
    assert shared.conflicts == 31
    assert shared.of("store").conflicts == 0
    assert shared.worst.text == "tile[t, 0]"
    assert shared.worst.wavefronts_per_request == 32
    assert read_traffic(array_traffic(trace, 1)).requests == 1


def test_lanes_that_meet_in_an_atomic_are_averaged():
    bins = read_traffic(array_traffic(launch(count, 64, 2, 32), 1))
    assert bins.requests == 2
    assert bins.same_address_lanes == 16
    assert read_traffic([]).same_address_lanes == 1


def test_loads_are_counted_by_block_and_element():
    loads = loads_by_block(launch(two_reads, 70, 3, 32), 0, 70)
    assert loads.shape == (3, 70)
    assert loads.sum(axis=1).tolist() == [64, 64, 12]
    assert loads[0, [0, 1, 31, 32, 33]].tolist() == [1, 2, 2, 1, 0]
    assert loads[2, [0, 64, 65]].tolist() == [1, 1, 2]


def test_an_atomic_loads_what_it_changes():
    assert loads_by_block(launch(atomic_reads, 40, 2, 32), 0, 40).sum(axis=0).tolist() == [2] * 40


def test_a_launch_without_loads_counts_none():
    assert not loads_by_block(launch(two_reads, 0, 1, 32), 0, 0).size


def test_too_many_accesses_are_refused_not_miscounted():
    trace = launch(often, 64, 1, 32, max_turns=10_000)
    assert trace.truncated
    with pytest.raises(TruncatedError, match="often"):
        loads_by_block(trace, 0, 64)


@cuda.jit
def own_places(src, dst):
    tile = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    tile[t] = src[cuda.grid(1)]
    cuda.syncthreads()
    dst[cuda.grid(1)] = tile[t]


@cuda.jit
def turned(src, dst):
    tile = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    tile[t] = src[cuda.grid(1)]
    cuda.syncthreads()
    dst[cuda.grid(1)] = tile[63 - t]


@cuda.jit
def all_cleared(src, dst):
    tile = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    for i in range(64):
        tile[i] = 0
    cuda.syncthreads()
    tile[t] = src[cuda.grid(1)]
    cuda.syncthreads()
    if t == 0:
        for i in range(64):
            dst[cuda.blockIdx.x] += tile[i]


@cuda.jit
def added_up(src, dst):
    total = cuda.shared.array(1, float32)
    t = cuda.threadIdx.x
    if t == 0:
        total[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(total, 0, src[cuda.grid(1)])
    cuda.syncthreads()
    if t == 0:
        dst[cuda.blockIdx.x] = total[0]


@pytest.mark.parametrize(
    ("kernel", "taken"),
    [(own_places, 0), (turned, 64), (all_cleared, 63), (added_up, 1), (copy_by_eight, 0)],
)
def test_what_threads_take_from_others_in_shared_memory(kernel, taken):
    assert handed_on(launch(kernel, 128, 2, 64)) == taken
