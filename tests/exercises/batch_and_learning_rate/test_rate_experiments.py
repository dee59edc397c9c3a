"""Experiments about learning rates: the same again, and what their results tell."""

from __future__ import annotations

import math

import pytest
import torch

from gpuedu.exercises.batch_and_learning_rate.lr_finder import judge as lr_finder
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import Swept
from gpuedu.experiments import loss_by_schedule, rate_finder, read_results
from tests.exercises.stored import solution_answers


def test_the_experiment_sweeps_as_the_solution_does():
    right = solution_answers("lr-finder")
    for batch in rate_finder.BATCHES:
        rates, smoothed = right["sweep"](
            Swept(batch, 4), rate_finder.LOWEST, rate_finder.HIGHEST, rate_finder.RUNGS
        )
        lowest = 2 * right["suggest"](rates, smoothed)
        # Rates that differ in their last digit may make other losses near the cliff.
        assert rate_finder.lowest_at(batch, 4) == pytest.approx(lowest, rel=0.2)


def test_the_results_tell_of_50_sweeps_and_of_half():
    values = read_results("rate-finder").values
    for found in values["batches"].values():
        assert len(found["rates"]) == values["seeds"] == 50
        assert set(found["losses"]) == set(rate_finder.SHARES) == set(values["shares"])
    assert lr_finder.JUDGE.predictions["lr-finder-share"].truth == "half"


def test_a_sweep_of_few_rates_finds_a_higher_one_and_from_200_on_it_settles():
    for found in read_results("rate-finder").values["batches"].values():
        medians = {int(count): row[1] for count, row in found["by_count"].items()}
        assert tuple(medians) == rate_finder.COUNTS
        assert medians[12] > 3 * medians[200]
        assert 0.7 < medians[400] / medians[200] < 1.4


def test_a_run_is_the_same_again_and_a_schedule_is_followed():
    one, other = (rate_finder.Trial(128, 3).follow([0.1] * 5) for _ in range(2))
    assert one == other
    assert rate_finder.Trial(1024, 0).finish(1e6, passes=2) == pytest.approx(3 * math.log(10))
    share = loss_by_schedule.SCHEDULES["warm-up, cosine"]
    assert share(0.0) == 0.0 and share(0.25) == 1.0 and share(1.0) == pytest.approx(0.0)


def test_the_decay_saves_what_a_constant_rate_loses():
    found = read_results("loss-by-schedule").values["settings"]["true labels"]
    at = found["peaks"].index(1.78)
    assert found["losses"]["constant"]["median"][at] > 2
    assert found["losses"]["cosine"]["median"][at] < 0.5


def test_with_noisy_labels_a_fall_is_better_than_any_constant_rate():
    losses = read_results("loss-by-schedule").values["settings"]["wrong labels"]["losses"]
    lowest = {name: min(row["median"]) for name, row in losses.items()}
    assert lowest["cosine"] < 0.9 * lowest["constant"]
    assert lowest["warm-up, cosine"] == pytest.approx(lowest["cosine"], rel=0.05)


def test_three_in_ten_labels_are_drawn_at_random():
    true, wrong = (rate_finder.Trial(16, 0, share).batches.split for share in (0.0, 0.3))
    changed = (true.targets != wrong.targets).float().mean().item()
    assert 0.2 < changed < 0.34 and torch.equal(true.inputs, wrong.inputs)
