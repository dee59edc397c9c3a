from __future__ import annotations

import numpy as np

from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from gpuedu.simt.machine import watch
from gpuedu.trace import Trace
from tests.simt.python.reference import line_of


def mirror(a, out):
    s = cuda.shared.array(40, np.float32)
    t = cuda.threadIdx.x
    s[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    if t >= 36:
        out[cuda.grid(1)] = s[39 - t]


def run(**options: object) -> Trace:
    return simulate(mirror, 4, 40, np.ones(160, np.float32), np.ones(160, np.float32), **options)


def rows(trace: Trace) -> list[tuple]:
    """(array, operation, block, warp, epoch, {lane: element}) in order of execution."""
    e = trace.events
    return [
        (
            trace.sites[site].array,
            str(trace.sites[site].operation),
            int(block),
            int(warp),
            int(epoch),
            {lane: int(x) for lane, x in enumerate(elements) if x >= 0},
        )
        for site, block, warp, epoch, elements in zip(
            e.site, e.block, e.warp, e.epoch, e.element, strict=True
        )
    ]


def test_accesses_of_the_first_block_by_hand():
    first, second = range(32), range(8)
    assert rows(run()) == [
        ("a", "load", 0, 0, 0, {n: n for n in first}),
        ("a", "load", 0, 1, 0, {n: 32 + n for n in second}),
        ("s", "store", 0, 0, 0, {n: n for n in first}),
        ("s", "store", 0, 1, 0, {n: 32 + n for n in second}),
        ("s", "load", 0, 1, 1, {4: 3, 5: 2, 6: 1, 7: 0}),
        ("out", "store", 0, 1, 1, {4: 36, 5: 37, 6: 38, 7: 39}),
    ]


def test_several_blocks_are_watched_in_any_chunking(monkeypatch):
    wanted = (3, 1)
    together = run(watch=wanted)
    assert together.watched == wanted
    monkeypatch.setattr("gpuedu.simt.launch.CHUNK_THREADS", 64)
    alone = run(watch=wanted)
    for trace in (together, alone, run(watch=wanted, order="reversed")):
        assert sorted({block for _, _, block, *_ in rows(trace)}) == [1, 3]
        of_block = [row for row in rows(trace) if row[2] == 3]
        assert [row[5] for row in of_block if row[0] == "out"] == [{4: 156, 5: 157, 6: 158, 7: 159}]
        assert len(rows(trace)) == 12


def test_nothing_is_watched_where_nothing_is_asked():
    assert len(run(watch=()).events.step) == len(run(watch=(9,)).events.step) == 0


def test_writes_and_shared_memory_are_kept_without_the_rest():
    everything, accesses, writes = run(), run(keep="accesses"), run(keep="writes")
    assert rows(accesses) == rows(everything)
    assert rows(writes) == [row for row in rows(everything) if row[0] != "a"]
    assert len(everything.steps.line) > len(accesses.steps.line) == len(writes.steps.line) == 0
    for less in (accesses, writes):
        counted = [(site.requests.tolist(), site.sectors.tolist()) for site in less.sites]
        assert counted == [
            (one.requests.tolist(), one.sectors.tolist()) for one in everything.sites
        ]


def test_steps_by_hand():
    trace = run()
    s = trace.steps
    lines = [trace.lines[n].place.line for n in s.line]
    seen = list(zip(lines, s.warp.tolist(), s.epoch.tolist(), s.active.tolist(), strict=True))
    whole, eight, last_four = 0xFFFFFFFF, 0xFF, 0xF0
    store, guarded = line_of(mirror, "s[t] = a"), line_of(mirror, "out[cuda.grid(1)] =")
    assert (store, 0, 0, whole) in seen and (store, 1, 0, eight) in seen
    assert [row for row in seen if row[0] == guarded] == [(guarded, 1, 1, last_four)]


def test_lines_after_a_barrier_come_after_it_in_every_warp():
    def two_barriers(a):
        t = cuda.threadIdx.x
        a[t] = 1
        cuda.syncthreads()
        a[t] = 2
        cuda.syncthreads()
        a[t] = 3

    trace = simulate(two_barriers, 1, 64, np.zeros(64))
    s = trace.steps
    lines = [trace.lines[n].place.line for n in s.line]
    seen = list(zip(lines, s.warp.tolist(), s.epoch.tolist(), strict=True))
    for epoch, text in enumerate(("a[t] = 1", "a[t] = 2", "a[t] = 3")):
        line = line_of(two_barriers, text)
        assert [row for row in seen if row[0] == line] == [(line, 0, epoch), (line, 1, epoch)]
    assert s.epoch.tolist() == sorted(s.epoch.tolist())
    assert trace.events.epoch.tolist() == [0, 0, 1, 1, 2, 2]


def test_steps_and_accesses_share_one_order():
    trace = run()
    e, s = trace.events, trace.steps
    assert (np.diff(e.step) >= 0).all() and (np.diff(s.step) >= 0).all()
    guarded = line_of(mirror, "out[cuda.grid(1)] =")
    (begin,) = {
        int(step)
        for step, line in zip(s.step, s.line, strict=True)
        if trace.lines[line].place.line == guarded
    }
    after = [trace.sites[site].array for site in e.site[e.step > begin]]
    assert after == ["s", "out"]


def test_elements_count_from_the_array_that_was_passed():
    def copy(a, out):
        i = cuda.grid(1)
        out[i] = a[i]

    whole = np.arange(64)
    trace = simulate(copy, 1, 32, whole[10:42], np.zeros(32))
    assert rows(trace)[0][5] == {n: n for n in range(32)}


def test_elements_of_a_reversed_array_count_from_its_lowest_address():
    def copy(a, out):
        i = cuda.grid(1)
        out[i] = a[i]

    trace = simulate(copy, 1, 32, np.arange(32)[::-1], np.zeros(32))
    assert rows(trace)[0][5] == {n: 31 - n for n in range(32)}


def test_the_limit_truncates_and_says_so(monkeypatch):
    monkeypatch.setattr(watch, "MAX_ENTRIES", 3)
    trace = run()
    assert trace.truncated
    assert len(rows(trace)) == 5  # three accesses: of two warps, two warps, one
    assert trace.events_truncated
    assert not run(watch=()).truncated


def test_each_block_has_its_own_limit(monkeypatch):
    monkeypatch.setattr(watch, "MAX_ENTRIES", 3)

    def copy(a, out):
        i = cuda.grid(1)
        out[i] = a[i]

    trace = simulate(copy, 4, 32, np.zeros(128), np.zeros(128), watch=range(4))
    assert not trace.truncated
    assert len(rows(trace)) == 8


def test_all_blocks_together_have_one_of_lanes(monkeypatch):
    monkeypatch.setattr(watch, "MAX_LANES", 64)
    assert run().events_truncated


def test_a_loop_without_accesses_truncates_lines_alone(monkeypatch):
    monkeypatch.setattr(watch, "MAX_ENTRIES", 50)

    def turns(out):
        k = 0
        while k < 100:
            k += 1
        out[cuda.grid(1)] = k

    trace = simulate(turns, 1, 32, np.zeros(32))
    assert trace.truncated
    assert not trace.events_truncated
