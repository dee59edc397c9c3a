from __future__ import annotations

import numpy as np

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.host import cuda
from gpuedu.simt.machine.findings import Findings, describe
from gpuedu.trace import Finding, Level, Place, Thread
from tests.simt.python.reference import line_of


def finding(level: Level, kind: str, line: int, **more: object) -> Finding:
    return Finding(level, kind, "message", "remedy", Place("k", line), **more)


def test_the_same_kind_at_the_same_place_is_counted_and_the_first_kept():
    found = Findings()
    first = Thread((0, 0, 0), (7, 0, 0))
    found.add(finding(Level.HAZARD, "data-race", 3, who=first, count=2))
    found.add(finding(Level.HAZARD, "data-race", 3, count=5))
    (one,) = found.all()
    assert (one.count, one.who) == (7, first)


def test_places_kinds_arrays_and_partners_keep_findings_apart():
    found = Findings()
    for entry in (
        finding(Level.HAZARD, "data-race", 3),
        finding(Level.HAZARD, "data-race", 4),
        finding(Level.HAZARD, "out-of-bounds", 3),
        finding(Level.HAZARD, "data-race", 3, array="b"),
        finding(Level.HAZARD, "data-race", 3, other_place=Place("k", 9)),
    ):
        found.add(entry)
    assert len(found.all()) == 5


def test_hazards_come_first_and_else_the_order_stays():
    found = Findings()
    kinds = [(Level.NOTE, "a"), (Level.HAZARD, "b"), (Level.COST, "c"), (Level.HAZARD, "d")]
    for line, (level, kind) in enumerate(kinds):
        found.add(finding(level, kind, line))
    assert [f.kind for f in found.all()] == ["b", "d", "c", "a"]


def test_threads_in_words():
    assert describe(Thread((2, 0, 0), (5, 0, 0))) == "thread 5 of block 2"
    assert describe(Thread((2, 1, 0), (5, 0, 3))) == "thread (5, 0, 3) of block (2, 1)"
    assert describe(None) == "a thread"


def test_lanes_out_of_bounds_are_counted_over_blocks_and_turns():
    def beyond(out):
        i = cuda.grid(1)
        for k in range(2):
            out[2 * i + k] = i

    trace = simulate(beyond, 3, 32, np.zeros(180))
    (one,) = trace.hazards
    assert one.place.line == line_of(beyond, "out[2 * i + k]")
    assert one.count == 12  # 192 indices of 96 threads in two turns, 180 elements
    assert one.index == (180,) and one.who == Thread((2, 0, 0), (26, 0, 0))
    assert "`out[180]`" in one.message and "180 elements" in one.message and one.remedy


def test_an_index_of_two_dimensions_is_told_in_both():
    def beyond(out):
        x, y = cuda.grid(2)
        out[y, x] = 1

    (one,) = simulate(beyond, 1, (8, 4), np.zeros((3, 8))).hazards
    assert one.index == (3, 0) and one.who.thread == (0, 3, 0)
    assert one.count == 8 and "(3, 8)" in one.message


def test_the_index_of_a_race_is_in_the_arrays_own_dimensions():
    def collide(out):
        t = cuda.threadIdx.x
        out[2, t // 32 + 1] = t

    (one,) = simulate(collide, 1, 40, np.zeros((3, 4))).hazards
    assert one.kind == "data-race"
    assert one.index in ((2, 1), (2, 2))
    assert one.count == 31 + 7


def test_the_index_of_a_race_in_a_reversed_array():
    def collide(a):
        t = cuda.threadIdx.x
        a[7] = t

    (one,) = simulate(collide, 1, 32, np.zeros(10)[::-1]).hazards
    assert one.index == (7,)


def test_the_index_of_a_race_through_a_row():
    def collide(a):
        t = cuda.threadIdx.x
        row = a[1 + t // 32]
        row[3] = t

    (one,) = simulate(collide, 1, 40, np.zeros((4, 5))).hazards
    assert one.index in ((3,), (1, 3), (2, 3))


def test_uninitialised_elements_are_told_by_index():
    def partly(out):
        t = cuda.threadIdx.x
        s = cuda.shared.array((4, 8), np.float32)
        if t != 21:
            s[t // 8, t % 8] = t
        cuda.syncthreads()
        out[t] = s[t // 8, t % 8]

    (one,) = simulate(partly, 1, 32, np.zeros(32)).hazards
    assert (one.kind, one.index, one.who.thread) == ("uninitialised-read", (2, 5), (21, 0, 0))
    assert one.count == 1


def test_an_unwritten_element_of_a_local_array():
    def partly(out):
        t = cuda.threadIdx.x
        own = cuda.local.array(3, np.float32)
        own[t % 3] = t
        out[t] = own[1]

    (one,) = simulate(partly, 1, 32, np.zeros(32)).hazards
    assert (one.kind, one.index, one.count) == ("uninitialised-read", (1,), 21)  # 11 wrote it


def in_c(body: str, *arguments, dynamic: int = 0, threads: int = 32) -> Finding:
    code = f'extern "C" __global__ void k(float* x, int n) {{ int t = threadIdx.x; {body} }}'
    trace = simulate(
        CudaCKernel(code, "k"),
        1,
        threads,
        np.zeros(16, np.float32),
        np.int32(16),
        dynamic_shared_bytes=dynamic,
    )
    return next(found for found in trace.hazards if found.kind == "out-of-bounds")


def test_forgotten_dynamic_shared_memory_is_told_in_bytes():
    found = in_c("extern __shared__ float s[]; s[t] = 1;", dynamic=32)
    assert found.array == "s" and found.index == (8,)
    assert "gave each block 32 bytes of dynamic shared memory" in found.remedy


def test_a_static_array_that_is_too_small_is_to_be_made_larger():
    found = in_c("__shared__ float s[16]; s[t] = 1;")
    assert found.remedy.startswith("make `s` as large as its largest index requires")


def test_an_index_below_zero_is_told_by_how_it_came_about():
    assert "guard the first elements" in in_c("x[t - 20] = 1;").remedy
    assert "an unsigned number went below zero" in in_c("x[threadIdx.x - 1u] = 1;").remedy
    assert "`if (i < n)`" in in_c("x[t] = 1;").remedy


def test_an_index_that_is_too_large_is_told_by_its_dimension_and_array():
    def rows(a, out):
        k = cuda.threadIdx.x
        out[k] = a[0, k]

    trace = simulate(rows, 1, 32, np.zeros((40, 20)), np.zeros(32))
    (one,) = trace.hazards
    assert one.remedy.startswith("keep the second index of `a`, here 20, below `a.shape[1]`")
    assert "the bound of the loop" in one.remedy
