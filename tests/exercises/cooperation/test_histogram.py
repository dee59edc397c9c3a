"""The verdict of ``histogram``: what its card says, and what it lets pass."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.contract import Level
from gpuedu.exercises.cooperation.judge import histogram as judge
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load


@cuda.jit
def private(values, hist):
    part = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    for b in range(t, 256, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    while i < values.size:
        cuda.atomic.add(part, values[i], 1)
        i += cuda.gridsize(1)
    cuda.syncthreads()
    for b in range(t, hist.size, cuda.blockDim.x):
        if part[b]:
            cuda.atomic.add(hist, b, part[b])


@cuda.jit
def straight(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(hist, values[i], 1)


@cuda.jit
def early(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])


@cuda.jit
def last_block_wins(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        hist[b] = part[b]


@cuda.jit
def all_bins_each(values, hist):
    part = cuda.shared.array(256, np.int32)
    for b in range(cuda.threadIdx.x, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(hist.size):
        cuda.atomic.add(hist, b, part[b])


@cuda.jit
def one_warp(values, hist):
    part = cuda.shared.array(256, np.int32)
    t = cuda.threadIdx.x
    for b in range(t, hist.size, cuda.blockDim.x):
        part[b] = 0
    cuda.syncthreads()
    if t < 32:
        for i in range(cuda.blockIdx.x * 32 + t, values.size, 32 * cuda.gridDim.x):
            cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    for b in range(t, hist.size, cuda.blockDim.x):
        cuda.atomic.add(hist, b, part[b])


@cuda.jit
def stuck(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(hist, values[i], 1)
        cuda.syncthreads()


@cuda.jit
def idle(values, hist):
    if values.size < 0:
        hist[0] = 1


def hand_in(kernel, seed=0):
    return examine(load("histogram"), (kernel,), seed)


def lost(report):
    return {name for name, holds in report.held().items() if not holds}


def fault(report, name):
    (found,) = (r.fault for r in report.results if r.property.name == name)
    return found


def test_another_right_kernel_is_solved_on_five_seeds():
    for seed in range(5):
        report = hand_in(private, seed)
        assert report.state == "solved", (seed, lost(report))


def test_where_lanes_met_is_told_once_and_takes_no_points():
    (told,) = hand_in(private).findings
    assert told.level is Level.NOTE
    assert "95% of 1,200 values" in told.message
    updates = int(re.search(r"updated (\d+) times", told.message)[1])
    assert 16 < updates < 128  # a block leaves out bins that it found empty


def test_straight_atomics_are_right_and_too_many():
    report = hand_in(straight)
    assert lost(report) == {"few-updates"}
    told = fault(report, "few-updates").message
    assert "`hist` was updated 1,200 times; with 4 blocks and 64 bins, 256 would do" in told
    assert "lanes met on one address" in told


def test_a_missing_barrier_is_asked_for_by_its_two_lines():
    report = hand_in(early)
    assert lost(report) == {"no-race"}
    found = fault(report, "no-race")
    assert "coming to line" in found.cause
    assert "still at line" in found.cause


def test_a_block_that_overwrites_the_others_is_named():
    report = hand_in(last_block_wins)
    assert {"counts", "no-race"} <= lost(report)
    assert "The block that comes last" in fault(report, "no-race").cause


def test_counts_added_by_every_thread_are_named():
    report = hand_in(all_bins_each)
    assert "as often as a block has threads" in fault(report, "counts").cause
    assert "32,768 times" in fault(report, "few-updates").message


def test_one_warp_of_the_block_is_not_all_threads():
    report = hand_in(one_warp)
    assert lost(report) == {"shared-out"}
    assert "asks for `values` 10 times" in fault(report, "shared-out").message


def test_a_launch_that_hangs_has_no_right_counts():
    report = hand_in(stuck)
    assert {"counts", "any-bins", "no-race"} <= lost(report)
    assert "undefined, and a GPU may hang" in fault(report, "no-race").message


def test_doing_nothing_earns_nothing():
    report = hand_in(idle)
    assert report.points == 0


@pytest.mark.parametrize("seed", range(3))
def test_cases_are_crowded_as_they_say(seed):
    for case in judge.cases(np.random.default_rng(seed)):
        values = case.inputs["values"]
        if values.size < 900:
            continue
        most = np.bincount(values).max() / values.size
        assert case.inputs["share"] - 0.05 < most < case.inputs["share"] + 0.08, case.label


def test_some_cases_have_more_bins_than_threads_and_some_less_values():
    cases = judge.cases(np.random.default_rng(1))
    assert {case.decides[0] for case in cases} == {"counts", "any-bins"}
    assert any(case.inputs["values"].size == 0 for case in cases)
    assert any(0 < case.inputs["values"].size < case.inputs["threads"] for case in cases)
