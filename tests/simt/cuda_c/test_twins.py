"""A kernel in CUDA C does what its twin in Python does: results, accesses, work, hazards."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.trace import Space, Trace
from tests.simt.cuda_c.twins import PAIRS, Pair


def launched(pair: Pair, *, in_c: bool) -> tuple[Trace, list[np.ndarray]]:
    arguments = pair.arguments(np.random.default_rng(7))
    kernel, given = pair.python, list(arguments)
    if in_c:
        name = pair.code.partition("__global__ void ")[2].partition("(")[0]
        kernel = CudaCKernel(pair.code, name)
        given += pair.numbers
    trace = simulate(
        kernel, pair.grid, pair.block, *given, dynamic_shared_bytes=pair.dynamic_shared_bytes
    )
    return trace, arguments


def memory_counts(trace: Trace) -> Counter:
    """What each array's accesses add up to, by operation; local arrays live in registers."""
    counts: Counter = Counter()
    for site in trace.sites:
        if site.space is Space.LOCAL:
            continue
        key = (site.array, str(site.operation), site.itemsize)
        for name in ("requests", "lanes", "sectors", "ideal_sectors", "wavefronts"):
            counts[(*key, name)] += int(getattr(site, name).sum())
        counts[(*key, "ideal_wavefronts")] += int(site.ideal_wavefronts.sum())
        counts[(*key, "same_address_lanes")] += int(site.same_address_lanes.sum())
    return +counts


def flop(trace: Trace) -> Counter:
    found: Counter = Counter()
    for line in trace.lines:
        found.update(line.flop)
    return +found


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_both_give_one_result(pair: Pair):
    _, python = launched(pair, in_c=False)
    _, cuda_c = launched(pair, in_c=True)
    for one, other in zip(python, cuda_c, strict=True):
        np.testing.assert_array_equal(one, other)
    before = pair.arguments(np.random.default_rng(7))
    assert any((one != old).any() for one, old in zip(cuda_c, before, strict=True))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_both_touch_memory_alike(pair: Pair):
    python, cuda_c = launched(pair, in_c=False)[0], launched(pair, in_c=True)[0]
    counts = memory_counts(cuda_c)
    assert counts == memory_counts(python) and counts
    used = [
        {(use.array, use.read_bytes, use.written_bytes) for use in trace.arrays if use.size_bytes}
        for trace in (python, cuda_c)
    ]
    assert used[0] == used[1]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_both_do_the_same_work_without_a_hazard(pair: Pair):
    python, cuda_c = launched(pair, in_c=False)[0], launched(pair, in_c=True)[0]
    assert flop(python) == flop(cuda_c)
    assert [f.kind for f in python.findings if f.level == "hazard"] == []
    assert cuda_c.hazards == ()
    arrivals = [sum(int(b.arrivals.sum()) for b in t.barriers) for t in (python, cuda_c)]
    assert arrivals[0] == arrivals[1]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_threads_part_as_often(pair: Pair):
    python, cuda_c = launched(pair, in_c=False)[0], launched(pair, in_c=True)[0]
    parted = [sum(int(b.divergent.sum()) for b in t.branches) for t in (python, cuda_c)]
    assert parted[0] == parted[1]
