from __future__ import annotations

import gc

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays import memory
from gpuedu.arrays.errors import HostTooSmallError
from gpuedu.arrays.memory import watch_memory


def test_arrays_hold_memory_while_something_refers_to_them(pool):
    array = cp.zeros(1000)
    view = array[10:].T
    assert (pool.used_bytes(), pool.total_bytes()) == (8192, 8192)
    del array
    assert pool.used_bytes() == 8192
    del view
    assert (pool.used_bytes(), pool.total_bytes(), pool.n_free_blocks()) == (0, 8192, 1)
    assert pool.free_bytes() == 8192
    pool.free_all_blocks()
    assert (pool.total_bytes(), pool.n_free_blocks()) == (0, 0)


def test_an_array_in_a_cycle_is_freed_by_the_collector(pool):
    cycle = [cp.zeros(64)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert pool.used_bytes() == 0


def test_an_empty_array_needs_nothing(pool):
    array = cp.zeros((0, 5))
    assert array.data.ptr == 0 and pool.total_bytes() == 0
    assert array.sum().get() == 0


def test_the_peak_counts_temporaries(pool):
    x = cp.ones(1024, np.float32)
    with watch_memory() as peak:
        y = (x + 1) * (x + 2)
    assert peak.extra_bytes == peak.peak_bytes - peak.start_bytes == 3 * 4096
    with watch_memory() as peak:
        y *= 2
        y += x
    assert peak.extra_bytes == 0
    with watch_memory() as outer, watch_memory() as inner:
        _ = cp.exp(y)
    assert outer.extra_bytes == inner.extra_bytes == 4096


def test_a_limit_stops_an_allocation_and_leaves_all_as_it_was(pool):
    pool.set_limit(size=8192)
    held = cp.zeros(512)
    with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="Out of memory allocating 8,192"):
        cp.zeros(1024)
    with pytest.raises(MemoryError):
        cp.concatenate([held, held])
    assert (pool.used_bytes(), pool.total_bytes(), pool.get_limit()) == (4096, 4096, 8192)
    cp.zeros(512)


def test_the_default_pool_is_the_default():
    pool = cp.get_default_memory_pool()
    before = pool.used_bytes()
    array = cp.zeros(10_000)
    assert pool.used_bytes() - before == 80384
    del array


def test_allocators_can_be_chosen(pool):
    other = cp.cuda.MemoryPool()
    with cp.cuda.using_allocator(other.malloc):
        array = cp.ones(3)
        assert cp.cuda.get_allocator() == other.malloc
    assert (other.used_bytes(), pool.used_bytes()) == (512, 0)
    with cp.cuda.using_allocator(None), watch_memory() as peak:
        bare = cp.ones(3)
    assert peak.extra_bytes == 24 and pool.total_bytes() == 0
    assert float((array + bare).sum()) == 6
    pointer = cp.cuda.alloc(100)
    assert pointer.mem.size == 100 and int(pointer + 4) == pointer.ptr + 4 == pointer.mem.ptr + 4
    assert (pointer + 8 - 8).ptr == pointer.ptr and "MemoryPointer" in repr(pointer)


def test_set_allocator_lasts():
    other = cp.cuda.MemoryPool()
    before = cp.cuda.get_allocator()
    cp.cuda.set_allocator(other.malloc)
    try:
        array = cp.ones(3)
        assert other.used_bytes() == 512 and array.data.mem.device.id == 0
    finally:
        cp.cuda.set_allocator(before)


def test_what_this_computer_cannot_hold_is_refused_before_it_tries(pool, monkeypatch):
    monkeypatch.setattr(memory, "available_memory_bytes", lambda: 100 * 2**20)
    with pytest.raises(HostTooSmallError, match="this computer stands in for it"):
        cp.empty(2**25)
    assert pool.used_bytes() == pool.total_bytes() == 0


def test_kept_memory_is_not_free_on_the_device(pool):
    free, total = cp.cuda.Device().mem_info
    array = cp.zeros(2**16)
    assert cp.cuda.runtime.memGetInfo() == (free - 2**19, total)
    del array
    assert cp.cuda.Device().mem_info[0] == free - 2**19
    pool.free_all_blocks()
    assert cp.cuda.Device().mem_info[0] == free
