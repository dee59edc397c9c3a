"""Verdicts on scan: each launch is told apart, and a slip in one is not blamed on another."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.registry import load
from tests.exercises.cooperation import answers
from tests.exercises.cooperation.answers import fault, hand_in, lost


def wrong_scan(change):
    """The scan in place, with two barriers a round, and one thing another way."""
    short = change == "short"
    exclusive = change == "exclusive"
    last_element = change == "last element"

    @cuda.jit
    def scan_block(x, out, totals):
        part = cuda.shared.array(256, np.int32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        d = 1
        while d < (cuda.blockDim.x // 2 if short else cuda.blockDim.x):
            before = part[t - d] if t >= d else 0
            cuda.syncthreads()
            part[t] += before
            cuda.syncthreads()
            d *= 2
        if i < x.size:
            out[i] = part[t] - x[i] if exclusive else part[t]
        if t == cuda.blockDim.x - 1 and (i < x.size or not last_element):
            totals[cuda.blockIdx.x] = part[t]

    return scan_block


def test_the_same_kernel_without_a_change_is_right():
    assert hand_in("scan", wrong_scan(""), answers.add_before).state == "solved"


@pytest.mark.parametrize(
    ("change", "prop", "says"),
    [
        ("short", "block", "sum of 128 elements at most"),
        ("exclusive", "block", "its own is included"),
        ("last element", "totals", "filled in part"),
    ],
)
def test_a_slip_in_the_first_launch_is_named(change, prop, says):
    report = hand_in("scan", wrong_scan(change), answers.add_before)
    assert says in fault(report, prop).cause


def test_a_wrong_first_launch_is_not_blamed_on_the_third():
    report = hand_in("scan", wrong_scan("short"), answers.add_before)
    assert "mend that first" in fault(report, "everywhere").cause


@pytest.mark.parametrize(
    ("shift", "says"),
    [(0, "also added its own sum"), (2, "The first block is right")],
)
def test_a_wrong_place_of_upto_is_named(shift, says):
    @cuda.jit
    def add_before(upto, out):
        i, b = cuda.grid(1), cuda.blockIdx.x
        if b >= shift and i < out.size:
            out[i] += upto[b - shift]

    report = hand_in("scan", answers.scan_block, add_before)
    assert lost(report) == ["everywhere"]
    assert says in fault(report, "everywhere").cause


def test_threads_that_do_not_add_are_named():
    @cuda.jit
    def add_before(upto, out):
        if cuda.blockIdx.x > 0 and cuda.threadIdx.x == 0:
            out[cuda.grid(1)] += upto[cuda.blockIdx.x - 1]

    report = hand_in("scan", answers.scan_block, add_before)
    assert "as the first launch left them" in fault(report, "everywhere").cause


def test_nothing_added_is_named():
    @cuda.jit
    def add_before(upto, out):
        pass

    report = hand_in("scan", answers.scan_block, add_before)
    assert "Nothing was added" in fault(report, "everywhere").cause


def test_a_hazard_says_in_which_launch_it_was():
    @cuda.jit
    def add_before(upto, out):
        out[cuda.grid(1)] += upto[cuda.blockIdx.x - 1]

    said = fault(hand_in("scan", answers.scan_block, add_before), "inside").message
    assert "in the third launch, thread 0 of block 0 reads `upto[-1]`" in said


def test_the_scan_in_place_loses_the_race_though_its_result_is_right_here():
    @cuda.jit
    def scan_block(x, out, totals):
        part = cuda.shared.array(256, np.int32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        d = 1
        while d < cuda.blockDim.x:
            if t >= d:
                part[t] += part[t - d]
            cuda.syncthreads()
            d *= 2
        if i < x.size:
            out[i] = part[t]
        if t == cuda.blockDim.x - 1:
            totals[cuda.blockIdx.x] = part[t]

    report = hand_in("scan", scan_block, answers.add_before)
    assert lost(report) == ["ordered"]
    assert "between the reading of all and the writing of all" in fault(report, "ordered").cause


def test_blocks_that_write_to_the_same_front_are_named():
    @cuda.jit
    def scan_block(x, out, totals):
        part = cuda.shared.array(1, np.int32)
        t = cuda.threadIdx.x
        if t == 0:
            part[0] = 0
            for k in range(cuda.grid(1), min(x.size, cuda.grid(1) + cuda.blockDim.x)):
                part[0] += x[k]
                out[k - cuda.blockIdx.x * cuda.blockDim.x] = part[0]
            totals[cuda.blockIdx.x] = part[0]

    report = hand_in("scan", scan_block, answers.add_before)
    assert "Blocks write over each other" in fault(report, "block").cause


def test_the_prediction_is_what_one_block_of_totals_can_hold():
    assert load("scan").judge.predictions["scan"].truth == 256 * 256


def test_block_0_that_looks_before_itself_is_named():
    @cuda.jit
    def add_before(upto, out):
        if cuda.grid(1) < out.size:
            out[cuda.grid(1)] += upto[cuda.blockIdx.x - 1]

    report = hand_in("scan", answers.scan_block, add_before)
    assert "Block 0 has no block before it" in fault(report, "everywhere").cause


def test_a_loop_without_end_is_stopped_in_the_first_launch():
    @cuda.jit
    def scan_block(x, out, totals):
        part = cuda.shared.array(256, np.int32)
        i, t, d = cuda.grid(1), cuda.threadIdx.x, 1
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        while d < cuda.blockDim.x:
            before = part[t - d] if t >= d else 0
            cuda.syncthreads()
            part[t] += before
            cuda.syncthreads()
        if i < x.size:
            out[i] = part[t]

    report = hand_in("scan", scan_block, answers.add_before)
    assert "barrier" in lost(report)
    assert "from one turn to the next" in fault(report, "barrier").cause
    assert "launch, on" not in fault(report, "barrier").message
