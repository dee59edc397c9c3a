"""Small kernels with one planted fault each: the machine's verdict and the sanitizer's tool for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpuedu.backend import cuda
from gpuedu.simt import simulate
from gpuedu.trace import Trace
from tests.gpu.case import blank, floats, integers

BLOCK = 64
BINS = 16


@dataclass(frozen=True)
class Fault:
    """One faulty kernel and its launch.

    ``kind`` is the one hazard that the machine must find; None where it cannot, with the reason in
    ``why_not_machine``. ``tool`` is compute-sanitizer's tool that looks for such faults;
    ``why_not_tool`` says why it may be silent. ``allocated_only`` are the positions of arguments
    that a GPU gets unwritten memory for.
    """

    kernel: Callable[..., None]
    kind: str | None
    tool: str
    arguments: Callable[[], tuple[object, ...]]
    grid: int = 2
    block: int = BLOCK
    why_not_machine: str = ""
    why_not_tool: str = ""
    allocated_only: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The kernel's name."""
        return self.kernel.__name__


def reads_past_the_end(a, out):
    i = cuda.grid(1)
    out[i] = a[i + 1]


def writes_past_the_end(a, out):
    i = cuda.grid(1)
    out[i] = a[i]


def reads_left_of_the_array(a, out):
    i = cuda.grid(1)
    out[i] = a[i - 1]


def misses_a_barrier(a, out):
    tile = cuda.shared.array(BLOCK, np.float32)
    t = cuda.threadIdx.x
    tile[t] = a[cuda.grid(1)]
    out[cuda.grid(1)] = tile[BLOCK - 1 - t]


def counts_without_atomics(a, out):
    bins = cuda.shared.array(BINS, np.int32)
    t = cuda.threadIdx.x
    if t < BINS:
        bins[t] = 0
    cuda.syncthreads()
    bins[a[cuda.grid(1)]] += 1
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(out, t, bins[t])


def adds_to_one_sum(a, out):
    i = cuda.grid(1)
    out[0] += a[i]


def forgets_to_fill_the_tile(a, out):
    tile = cuda.shared.array(BLOCK, np.float32)
    t = cuda.threadIdx.x
    if t < BLOCK // 2:
        tile[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = tile[t]


def adds_to_what_was_there(a, out):
    i = cuda.grid(1)
    out[i] += a[i]


def barrier_in_a_branch(a, out):
    i = cuda.grid(1)
    if cuda.threadIdx.x < 20:
        cuda.syncthreads()
    out[i] = a[i]


def _pair(read: int, written: int) -> Callable[[], tuple[object, ...]]:
    return lambda: (floats(read), blank(written))


def _counting() -> tuple[object, ...]:
    return integers(2 * BLOCK, high=BINS), blank(BINS, dtype=np.int32)


_SIZE = 2 * BLOCK

FAULTS: tuple[Fault, ...] = (
    # One element short: right behind 512 whole bytes lies the other array, and memcheck sees no fault
    # in an address that any array has.
    Fault(reads_past_the_end, "out-of-bounds", "memcheck", _pair(_SIZE - 1, _SIZE)),
    Fault(writes_past_the_end, "out-of-bounds", "memcheck", _pair(_SIZE, _SIZE - 1)),
    Fault(
        reads_left_of_the_array,
        "negative-index",
        "memcheck",
        _pair(_SIZE, _SIZE),
        why_not_tool="Numba's compiler lets index -1 mean the last element, so the read is inside",
    ),
    Fault(misses_a_barrier, "data-race", "racecheck", _pair(_SIZE, _SIZE)),
    Fault(counts_without_atomics, "data-race", "racecheck", _counting),
    Fault(
        adds_to_one_sum,
        "data-race",
        "racecheck",
        _pair(_SIZE, 1),
        why_not_tool="racecheck watches shared memory only; this race is on global memory",
    ),
    Fault(
        forgets_to_fill_the_tile,
        "uninitialised-read",
        "initcheck",
        _pair(_SIZE, _SIZE),
        why_not_tool="older tools than that of CUDA 13 watch global memory only",
    ),
    Fault(
        adds_to_what_was_there,
        None,
        "initcheck",
        _pair(_SIZE, _SIZE),
        why_not_machine="`simulate` is given host arrays, which always hold something",
        allocated_only=(1,),
    ),
    Fault(
        barrier_in_a_branch,
        "divergent-barrier",
        "synccheck",
        _pair(_SIZE, _SIZE),
        why_not_tool="threads that end count as arrived since Volta; some versions say nothing then",
    ),
)


def trace_of(fault: Fault) -> Trace:
    """What the machine saw."""
    return simulate(fault.kernel, fault.grid, fault.block, *fault.arguments())


def found_by_machine(fault: Fault) -> tuple[set[str], set[int]]:
    """The kinds of hazards that the machine finds, and the lines that they name."""
    hazards = trace_of(fault).hazards
    places = [place for found in hazards for place in (found.place, found.other_place) if place]
    return {found.kind for found in hazards}, {place.line for place in places}
