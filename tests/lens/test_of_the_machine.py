"""Traces of the machine against the same launches counted by hand: every line, every measure."""

import numpy as np
import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.lens import lens
from gpuedu.simt.launch import simulate
from gpuedu.widgets import step_through
from tests.trace import samples


def strided(a, out, stride):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i * stride] * 2.0


def transpose(a, out):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]


def block_sum(a, out):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    s = 32
    while s > 0:
        cuda.syncthreads()
        if t < s:
            part[t] = part[t] + part[t + s]
        s //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def histogram(a, bins):
    i = cuda.grid(1)
    cuda.atomic.add(bins, a[i], 1)


def branches(a, out):
    i = cuda.grid(1)
    if i % 2 == 0:
        out[i] = a[i] + float32(1)
    else:
        out[i] = a[i] - float32(1)


def floats(*shape):
    return np.random.default_rng(5).random(shape, np.float32)


PAIRS = {
    "strided": lambda: (
        simulate(strided, 1, 64, floats(4096), floats(50), np.int64(8)),
        samples.strided(8, n=50),
    ),
    "transpose": lambda: (
        simulate(transpose, 1, (32, 32), floats(32, 32), floats(32, 32)),
        samples.transpose(),
    ),
    "block sum": lambda: (
        simulate(block_sum, 2, 64, floats(128), floats(2)),
        samples.block_sum(2),
    ),
    "histogram": lambda: (
        simulate(histogram, 1, 64, np.arange(64, dtype=np.int32) % 4, np.zeros(4, np.int32)),
        samples.histogram(4),
    ),
    "branches": lambda: (
        simulate(branches, 1, 64, floats(64), floats(64)),
        samples.branches(64),
    ),
}
MEASURES = (
    "global_requests",
    "shared_requests",
    "atomic_requests",
    "sectors",
    "ideal_sectors",
    "excess_sectors",
    "wavefronts",
    "ideal_wavefronts",
    "same_address_lanes",
    "global_bytes",
    "shared_bytes",
    "flop",
)


@pytest.mark.parametrize("name", PAIRS)
def test_the_machine_counts_as_a_hand_does(name):
    machine, hand = (lens(trace) for trace in PAIRS[name]())
    for measure in MEASURES:
        assert getattr(machine.totals, measure) == getattr(hand.totals, measure), measure
    assert (machine.read_bytes, machine.written_bytes) == (hand.read_bytes, hand.written_bytes)
    assert machine.flop == hand.flop
    assert machine.divergent == hand.divergent


@pytest.mark.parametrize("name", PAIRS)
def test_line_by_line_too(name):
    machine, hand = (_by_line(lens(trace)) for trace in PAIRS[name]())
    assert machine == hand


def _by_line(report):
    """The lines of a report by their text; one at which nothing is measured may be left out."""
    found = {
        line.text.strip(): [getattr(line.counts, measure) for measure in MEASURES]
        for line in report.lines
    }
    return {text: counts for text, counts in found.items() if any(counts)}


@pytest.mark.parametrize("name", PAIRS)
def test_costs_are_told_alike_and_no_hazard_is_invented(name):
    machine, hand = (lens(trace) for trace in PAIRS[name]())
    assert [f.kind for f in machine.findings] == [f.kind for f in hand.findings]


@pytest.mark.parametrize("name", PAIRS)
def test_every_access_is_seen_at_its_line_when_stepping(name):
    trace, _ = PAIRS[name]()
    walk = step_through(trace, 0).walk
    seen = [(f.place, r) for i in range(len(walk)) for f in [walk.at(i).frame] for r in f.requests]
    assert len(seen) == (trace.events.block == 0).sum()
    assert all(request.site.place == place for place, request in seen)
