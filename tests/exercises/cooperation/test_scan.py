"""Verdicts on scan: each launch is told apart, and a slip in one is not blamed on another."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.cooperation.scan.judge import cases, scan_of_blocks
from gpuedu.exercises.registry import load
from tests.exercises.cooperation.reports import fault, lost, report_of, undecided

VALUES = ["block", "totals", "everywhere"]


def test_the_truth_is_a_sum_for_each_element_and_block():
    for case in cases(np.random.default_rng(4)):
        x, threads = case.inputs["x"], case.inputs["block"]
        scanned, totals = scan_of_blocks(case.inputs)
        last = x.size - 1
        assert scanned[last] == x[last // threads * threads :].sum()
        assert totals[0] == x[:threads].sum()
        assert len(totals) == case.inputs["grid"]
        assert totals.sum() == x.sum()


def test_a_wrong_first_launch_is_not_blamed_on_the_third():
    report = report_of("scan", "wrong", "one_round_short")
    assert lost(report) == [*VALUES, "rounds"]
    assert undecided(report) == ["everywhere", "rounds"]


def test_a_wrong_third_launch_is_not_blamed_on_the_first():
    assert lost(report_of("scan", "wrong", "adds_its_own")) == ["everywhere"]


def test_a_hazard_says_in_which_launch_it_was():
    said = fault(report_of("scan", "wrong", "first_block_from_the_end"), "inside").message
    assert "in the third launch, thread 0 of block 0 reads `upto[-1]`" in said
    said = fault(report_of("scan", "wrong", "no_guard"), "inside").message
    assert "in the second launch, on `totals`, thread 1 of block 0" in said


def test_values_that_a_race_decides_are_not_judged_though_they_are_right_here():
    report = report_of("scan", "wrong", "in_place")
    assert (lost(report), undecided(report)) == ([*VALUES, "ordered"], VALUES)


def test_a_kernel_that_hands_nothing_around_earns_nothing():
    report = report_of("scan", "wrong", "scan_left_out")
    assert report.points == 0
    assert {"inside", "ordered", "barrier"} < set(undecided(report))


def test_a_loop_without_end_is_stopped_in_the_first_launch():
    report = report_of("scan", "wrong", "d_never_changes")
    assert "launch, on" not in fault(report, "barrier").message
    assert {*VALUES, "rounds"} <= set(undecided(report))


def test_the_prediction_is_what_one_block_of_totals_can_hold():
    assert load("scan").judge.predictions["scan"].truth == 256 * 256
