from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.host import cuda
from gpuedu.simt.machine.fences import Handovers
from gpuedu.simt.machine.shadow import EPOCH_SHIFT, THREAD_BITS, Race

FLAG = 77


def code(thread: int, block: int, epoch: int = 1) -> int:
    return thread | block << THREAD_BITS | epoch << EPOCH_SHIFT


def handovers(*atomics: tuple[int, int, int, int]) -> Handovers:
    """Atomics as (address, code, time of the fence, epoch of the fence); old values are used."""
    made = Handovers()
    for atomic in atomics:
        enter(made, atomic, looks=True)
    return made


def enter(made: Handovers, atomic: tuple[int, int, int, int], *, looks: bool) -> None:
    made.add(*(np.array([n], np.int64) for n in atomic), looks=looks)


def is_ordered(
    made: Handovers, writer: int, written: int, reader: int, other_kind: str = "write"
) -> bool:
    one, at = np.array([0]), np.array([FLAG])
    sides = np.array([reader]), np.array([writer])
    race = Race(one, *sides, one, np.array([written]), other_kind, one)
    return bool(made.ordered(race, at)[0])


WRITER, READER = code(3, 0), code(5, 1)
RELEASE = (FLAG, WRITER, 11, 1)
ACQUIRE = (FLAG, READER, 0, -1)


def test_write_fence_atomic_atomic_read_is_in_order():
    assert is_ordered(handovers(RELEASE, ACQUIRE), WRITER, 10, READER)


@pytest.mark.parametrize(
    "atomics",
    [
        (),
        (RELEASE,),
        (ACQUIRE,),
        (ACQUIRE, RELEASE),  # the reader came first
        (RELEASE, (FLAG + 1, READER, 0, -1)),  # another flag
        ((FLAG, WRITER, 9, -1), ACQUIRE),  # the fence was before the write
        ((FLAG, WRITER, 0, -1), ACQUIRE),  # no fence at all
        ((FLAG, code(4, 0), 11, 1), ACQUIRE),  # released by a neighbor without a barrier
        (RELEASE, (FLAG, code(6, 1), 0, -1)),  # acquired by a neighbor without a barrier
    ],
)
def test_without_one_of_the_steps_it_is_not(atomics):
    assert not is_ordered(handovers(*atomics), WRITER, 10, READER)


def test_a_barrier_lets_one_thread_release_for_its_block():
    leader = (FLAG, code(0, 0, epoch=2), 11, 2)
    assert is_ordered(handovers(leader, ACQUIRE), WRITER, 10, READER)


def test_a_barrier_lets_one_thread_acquire_for_its_block():
    leader = (FLAG, code(0, 1, epoch=1), 0, -1)
    assert is_ordered(handovers(RELEASE, leader), WRITER, 10, code(5, 1, epoch=2))
    assert not is_ordered(handovers(RELEASE, leader), WRITER, 10, code(5, 1, epoch=1))


def test_an_atomic_whose_old_value_nobody_uses_acquires_nothing():
    made = handovers(RELEASE)
    enter(made, ACQUIRE, looks=False)
    assert not is_ordered(made, WRITER, 10, READER)


def test_the_releasing_atomic_is_handed_over_itself():
    assert is_ordered(handovers(RELEASE, ACQUIRE), WRITER, 12, READER, "atomic")


@pytest.mark.parametrize(
    "atomics",
    [
        (ACQUIRE, RELEASE),  # the reader came first
        (RELEASE, ACQUIRE, RELEASE),  # the writer came again
        ((FLAG, WRITER, 0, -1), ACQUIRE),  # no fence at all
        ((FLAG + 1, WRITER, 11, 1), (FLAG + 1, READER, 0, -1)),  # at another address
        (RELEASE, (FLAG, code(6, 1), 0, -1)),  # acquired by a neighbor without a barrier
    ],
)
def test_an_atomic_is_handed_over_only_by_what_comes_after(atomics):
    assert not is_ordered(handovers(*atomics), WRITER, 12, READER, "atomic")


# In kernels


def last_block_adds_up(a, part, count, out):
    t = cuda.threadIdx.x
    s = cuda.shared.array(32, np.int64)
    s[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    is_last = cuda.shared.array(1, np.int32)
    if t == 0:
        total = 0
        for k in range(32):
            total += s[k]
        part[cuda.blockIdx.x] = total
        cuda.threadfence()
        is_last[0] = cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if is_last[0] and t == 0:
        for k in range(cuda.gridDim.x):
            out[0] += part[k]


@pytest.mark.parametrize("order", [None, "reversed", [2, 0, 4, 1, 3]])
def test_the_last_block_may_read_what_the_others_handed_over(order):
    a = np.arange(160)
    out = np.zeros(1, np.int64)
    arguments = a, np.zeros(5, np.int64), np.zeros(1, np.int32), out
    trace = simulate(last_block_adds_up, 5, 32, *arguments, order=order)
    assert trace.findings == ()
    assert out[0] == a.sum()


def test_the_same_without_the_fence_is_a_race():
    def no_fence(a, part, count, out):
        t = cuda.threadIdx.x
        if t == 0:
            part[cuda.blockIdx.x] = a[cuda.blockIdx.x]
            if cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1:
                for k in range(cuda.gridDim.x):
                    out[0] += part[k]

    arguments = (np.zeros(n, np.int64) for n in (5, 5, 1, 1))
    trace = simulate(no_fence, 5, 32, *arguments)
    assert {f.kind for f in trace.hazards} == {"data-race"}


def test_readers_in_other_blocks_count_as_well_as_the_last():
    def everyone_reads_then_one_writes(g, count, out):
        t = cuda.threadIdx.x
        if t < 2:
            out[2 * cuda.blockIdx.x + t] = g[0]
        if t == 0:
            cuda.threadfence()
            if cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1:
                g[0] = 1

    arguments = (np.zeros(n, np.int64) for n in (1, 1, 10))
    trace = simulate(everyone_reads_then_one_writes, 5, 32, *arguments)
    # Thread 1 of each block read without a fence of its own: only thread 0 handed over.
    assert {f.kind for f in trace.hazards} == {"data-race"}


@pytest.mark.parametrize("order", [None, "reversed", [2, 0, 4, 1, 3]])
def test_the_last_block_may_reset_the_counter(order):
    def last_resets(part, count):
        part[cuda.blockIdx.x] = 1.0
        cuda.threadfence()
        if cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1:
            count[0] = 0

    count = np.zeros(1, np.int64)
    assert simulate(last_resets, 5, 1, np.zeros(5), count, order=order).findings == ()
    assert count[0] == 0


GUIDE = """extern "C" __global__ void sum(const float* x, float* parts, unsigned int* count) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = x[blockIdx.x];
        __threadfence();
        is_last = atomicInc(count, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        for (int k = 1; k < gridDim.x; ++k) parts[0] += parts[k];
        *count = 0;
    }
}"""


@pytest.mark.parametrize("order", [None, "reversed", [2, 0, 4, 1, 3]])
def test_the_example_of_the_programming_guide_is_clean(order):
    parts, count = np.zeros(5, np.float32), np.zeros(1, np.uint32)
    arguments = np.arange(5, dtype=np.float32), parts, count
    trace = simulate(CudaCKernel(GUIDE, "sum"), 5, 32, *arguments, order=order)
    assert trace.findings == () and (parts[0], count[0]) == (10, 0)


def test_a_block_that_is_last_by_its_number_may_not():
    def by_number(count):
        cuda.threadfence()
        cuda.atomic.add(count, 0, 1)
        if cuda.blockIdx.x == cuda.gridDim.x - 1:
            count[0] = 0

    trace = simulate(by_number, 5, 1, np.full(1, 3))
    assert {f.kind for f in trace.hazards} == {"data-race"}
