"""Verdicts on block-sum: what a card says, and what it leaves open."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.registry import load
from tests.exercises.cooperation.reports import fault, lost, report_of, report_on, undecided

COSTS = ["rounds", "whole-warps", "no-conflict"]


@pytest.mark.parametrize("exercise", ["block-sum", "warp-sum"])
def test_sums_are_exact_in_float32_in_any_order(exercise):
    for seed in range(5):
        for case in load(exercise).judge.cases(np.random.default_rng(seed)):
            assert np.abs(case.inputs["x"].astype(np.int64)).sum() < 2**24


def test_the_given_kernel_is_right_and_the_prediction_is_what_it_does():
    report = report_on("block-sum", "block_sum = sum_pairs")
    assert lost(report) == ["whole-warps"]
    said = fault(report, "whole-warps").message
    truth = load("block-sum").judge.predictions["block-sum"].truth
    assert f"after 1 barrier, {truth} warps run line" in said
    assert "`part[t] += part[t + step]`" in said


def test_sums_that_a_race_decides_are_not_judged():
    report = report_of("block-sum", "wrong", "no_barrier_in_the_round")
    assert (lost(report), undecided(report)) == (["sum", "ordered"], ["sum"])


def test_sums_of_a_launch_that_was_stopped_are_not_judged():
    report = report_of("block-sum", "wrong", "half_never_changes")
    assert "sum" in undecided(report)
    assert "barrier" not in undecided(report)


def test_costs_of_a_wrong_sum_are_not_judged():
    report = report_of("block-sum", "wrong", "starts_at_a_quarter")
    assert (lost(report), undecided(report)) == (["sum", *COSTS], COSTS)


def test_costs_are_judged_where_only_the_last_block_is_wrong():
    report = report_of("block-sum", "wrong", "no_zero_past_the_end")
    assert lost(report) == ["sum", "inside"]


def test_a_kernel_that_hands_nothing_around_earns_nothing():
    report = report_of("block-sum", "wrong", "nothing_added")
    assert (report.points, len(undecided(report))) == (0, 6)


def test_atomics_on_one_address_are_told_with_their_number():
    said = fault(report_of("block-sum", "wrong", "atomic_into_one"), "rounds").message
    assert "255 additions of a block meet at one address" in said


def test_rounds_beyond_those_of_a_small_block_are_told_with_theirs():
    said = fault(report_of("block-sum", "wrong", "rounds_for_256"), "rounds").message
    assert "comes 8 times to line" in said
    assert "5 rounds are enough" in said
