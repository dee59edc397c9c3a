"""Verdicts on warp-sum: what a card says, and what it leaves open."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.registry import load
from gpuedu.simt import simulate
from tests.exercises.cooperation.reports import fault, lost, report_of, report_on, undecided
from tests.exercises.stored import stored_answers


def test_the_predicted_barriers_are_those_of_the_kernel():
    kernel = stored_answers("warp-sum", "right", "butterfly")["sum_by_warps"]
    x, sums = np.ones(256, np.float32), np.zeros(1, np.float32)
    trace = simulate(kernel.py_func, 1, 256, x, sums)
    barriers = sum(int(site.arrivals[0]) for site in trace.barriers)
    assert barriers == load("warp-sum").judge.predictions["warp-sum"].truth


def test_a_device_function_without_return_is_told_without_our_kernel():
    found = fault(report_of("warp-sum", "wrong", "nothing_returned"), "warp")
    assert "call_on_lanes" not in found.message
    assert "`return`" in found.cause


def test_a_kernel_that_needs_what_is_not_returned_hears_of_the_return_too():
    said = fault(report_of("warp-sum", "wrong", "nothing_returned"), "sum").cause
    assert "returns nothing" not in said
    assert "return its value" in said


def test_a_shuffle_that_some_lanes_never_reach_is_told_and_its_sums_are_not_judged():
    report = report_of("warp-sum", "wrong", "guarded_shuffle")
    assert (lost(report), undecided(report)) == (["sum", "together"], ["sum"])
    assert "thread 6 of block 2" in fault(report, "together").message


def test_many_barriers_and_much_memory_are_told_with_their_number():
    said = fault(report_of("warp-sum", "wrong", "the_tree_again"), "little").message
    assert "4096 bytes" in said
    tree = """
    @cuda.jit
    def sum_by_warps(x, sums):
        part = cuda.shared.array(64, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        total = warp_sum(x[i] if i < x.size else np.float32(0))
        part[t // 32] = 0
        cuda.syncthreads()
        cuda.syncthreads()
        if t % 32 == 0:
            part[t // 32] = total
        cuda.syncthreads()
        if t == 0:
            sums[cuda.blockIdx.x] = 0
            for w in range(cuda.blockDim.x // 32):
                sums[cuda.blockIdx.x] += part[w]
    """
    report = report_on("warp-sum", "\n".join(line[4:] for line in tree.splitlines()))
    assert "passes 3 barriers" in fault(report, "little").message


def test_a_step_for_each_lane_is_told_though_the_sum_is_right():
    report = report_of("warp-sum", "wrong", "thirty_one_steps")
    assert lost(report) == ["little"]
    assert "and five steps are enough" in fault(report, "little").message


def test_one_thread_that_adds_the_warps_is_noted_and_earns_all():
    report = report_of("warp-sum", "right", "one_thread_adds_the_warps")
    assert report.state == "solved"
    assert any("in five steps" in seen.message for seen in report.findings)
