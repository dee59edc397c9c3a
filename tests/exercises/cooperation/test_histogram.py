"""The verdict of histogram: what its card says, and what it lets pass."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gpuedu.exercises.contract import Level
from gpuedu.exercises.cooperation.histogram import judge
from tests.exercises.cooperation.reports import fault, lost, report_of, report_on, undecided


def test_where_lanes_met_is_told_once_and_takes_no_points():
    report = report_of("histogram", "right", "skips_zeros")
    (told,) = report.findings
    assert (report.state, told.level) == ("solved", Level.NOTE)
    assert "95% of 1,200 values" in told.message
    updates = int(re.search(r"updated (\d+) times", told.message)[1])
    assert 16 < updates < 128  # a block leaves out bins that it found empty


def test_straight_atomics_are_right_and_too_many():
    report = report_of("histogram", "wrong", "straight")
    assert lost(report) == ["few-updates"]
    told = fault(report, "few-updates").message
    assert "`hist` was updated 1,200 times; with 4 blocks and 64 bins, 256 would do" in told
    assert "lanes met on one address" in told


def test_counts_that_a_race_decides_are_not_judged():
    report = report_of("histogram", "wrong", "no_first_barrier")
    assert lost(report) == ["counts", "any-bins", "no-race"]
    assert undecided(report) == ["counts", "any-bins"]


def test_counts_that_are_never_set_to_0_are_told_by_the_place_that_nobody_wrote():
    report = report_of("histogram", "wrong", "not_cleared")
    assert lost(report) == ["counts", "any-bins"]
    assert "which nobody has written" in fault(report, "counts").message


def test_one_warp_of_the_block_is_not_all_threads():
    """In blocks of half a warp, its other lanes do not even exist."""
    report = report_of("histogram", "wrong", "one_warp_counts")
    assert lost(report) == ["any-bins", "shared-out"]
    assert "asks for `values` 10 times" in fault(report, "shared-out").message


def test_a_launch_that_hangs_has_no_right_counts():
    report = report_of("histogram", "wrong", "barrier_in_the_loop")
    assert {"counts", "any-bins"} <= set(undecided(report))
    assert "undefined, and a GPU may hang" in fault(report, "no-race").message


def test_doing_nothing_earns_nothing():
    idle = "@cuda.jit\ndef histogram(values, hist):\n    if values.size < 0:\n        hist[0] = 1\n"
    assert report_on("histogram", idle).points == 0


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
    assert any(0 < case.inputs["values"].size < case.inputs["block"] for case in cases)
