"""What a block hands around in shared memory, read from real launches."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.lens.requests import NothingWatchedError
from gpuedu.lens.rounds import Exchange, Round, Store, exchange_of, links
from gpuedu.simt import simulate


def fold(x, out):
    part = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    part[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    half = cuda.blockDim.x
    while half > 1:
        half //= 2
        if t < half:
            part[t] += part[t + half]
        cuda.syncthreads()
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def exchange(kernel, threads=32, blocks=1, block=0) -> Exchange:
    x, out = np.ones(threads * blocks, np.float32), np.zeros(threads * blocks, np.float32)
    return exchange_of(simulate(kernel, blocks, threads, x, out, watch=range(blocks)), block)


@pytest.mark.parametrize(("threads", "block"), [(32, 0), (64, 1)])
def test_a_fold_takes_half_as_many_places_in_each_round(threads, block):
    found = exchange(fold, threads, blocks=2, block=block)
    assert (found.array, found.places, found.block) == ("part", 64, block)
    rounds = threads.bit_length() - 1
    assert [one.epoch for one in found.rounds] == list(range(rounds + 1))
    assert list(links(found).values()) == [0, *(threads >> k for k in range(1, rounds + 1))]


def test_a_store_knows_its_thread_and_what_it_had_read():
    second = exchange(fold, 64).rounds[2]
    store = second.stores[3]
    assert (store.thread, store.target, store.sources) == (3, 3, (3, 19))


def test_a_value_that_is_read_earlier_goes_into_the_next_store():
    def shift(x, out):
        part = cuda.shared.array(32, np.float32)
        t = cuda.threadIdx.x
        part[t] = x[t]
        cuda.syncthreads()
        before = part[(t + 31) % 32]
        cuda.syncthreads()
        part[t] = before
        cuda.syncthreads()
        out[t] = part[t]

    found = exchange(shift)
    assert [one.epoch for one in found.rounds] == [0, 2]
    assert [store.sources for store in found.rounds[1].stores[:2]] == [(31,), (0,)]
    assert links(found) == {0: 0, 1: 32}


def test_two_stores_without_a_barrier_are_two_rounds_of_one_epoch():
    def twice(x, out):
        part = cuda.shared.array(32, np.float32)
        t = cuda.threadIdx.x
        part[t] = x[t]
        part[t] += 1
        out[t] = part[t]

    found = exchange(twice)
    assert [one.epoch for one in found.rounds] == [0, 0]
    assert found.rounds[1].stores[5].sources == (5,)
    assert links(found) == {0: 0, 1: 0}


def test_two_rows_that_take_turns_are_laid_over_one():
    def by_turns(x, out):
        part = cuda.shared.array((2, 32), np.float32)
        t = cuda.threadIdx.x
        part[0, t] = x[t]
        cuda.syncthreads()
        part[1, t] = part[0, 31 - t]
        cuda.syncthreads()
        out[t] = part[1, t]

    found = exchange(by_turns)
    assert found.places == 32
    assert found.rounds[1].stores[0].sources == (31,)
    assert {store.target for store in found.rounds[1].stores} == set(range(32))


def test_of_two_arrays_the_one_with_more_stores_is_told():
    def with_flag(x, out):
        flag = cuda.shared.array(1, np.float32)
        part = cuda.shared.array(32, np.float32)
        t = cuda.threadIdx.x
        if t == 0:
            flag[0] = 1
        part[t] = x[t]
        cuda.syncthreads()
        out[t] = part[t] + flag[0]

    assert exchange(with_flag).array == "part"


def test_a_kernel_without_shared_memory_has_nothing_to_show():
    def copy(x, out):
        out[cuda.grid(1)] = x[cuda.grid(1)]

    with pytest.raises(NothingWatchedError, match="block 0 stores nothing"):
        exchange(copy)


def test_a_place_that_all_read_is_told_from_places_that_are_handed_around():
    crowd = tuple(Store(t, t, (0,)) for t in range(8))
    assert Round(1, crowd).read_by_all == 0
    assert Round(1, crowd[:7]).read_by_all is None
    assert Round(1, tuple(Store(t, t, (t, 7 - t)) for t in range(8))).read_by_all is None
    assert Round(1, (*crowd, Store(9, 9, ()))).read_by_all is None
