"""Verdicts on learning rates: references, PyTorch's schedulers, what a card says of a slip."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
import torch

from gpuedu.exercises.batch_and_learning_rate.lr_finder import judge as lr_finder
from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge import sweeps
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import (
    Bench,
    Swept,
    Task,
    is_same,
)
from gpuedu.experiments import loss_by_schedule, rate_finder, read_results
from tests.exercises.batch_and_learning_rate import rate_answers as right
from tests.exercises.batch_and_learning_rate.batch_answers import fault, lost
from tests.exercises.batch_and_learning_rate.rate_answers import REFERENCE, hand_in


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points(exercise):
    for seed in range(3):
        report = hand_in(exercise, seed)
        assert report.state == "solved", (seed, lost(report))


# lr-finder


def test_smoothed_losses_are_weighted_means():
    losses = [3.0, 1.0, 2.0, 5.0]
    for count, value in enumerate(sweeps.smooth(losses), 1):
        weights = 0.9 ** np.arange(count)[::-1]
        assert value == pytest.approx(np.average(losses[:count], weights=weights), rel=1e-12)


def test_a_sweep_stops_where_the_reference_does():
    rng = np.random.default_rng(3)
    for _ in range(200):
        losses = np.exp(rng.normal(0, 0.5, 40).cumsum() * rng.uniform(0.1, 1)).tolist()
        called = []

        def take_step(rate, losses=losses, called=called):
            called.append(rate)
            return losses[len(called) - 1]

        right.sweep(take_step, 1e-3, 1.0, 40)
        assert len(called) == sweeps.stops_after(losses)


@pytest.mark.parametrize("seed", range(5))
def test_every_way_to_stop_wrongly_is_caught_by_a_case(seed):
    cases = lr_finder.JUDGE.cases(np.random.default_rng(seed))
    scripts = [case.inputs["losses"] for case in cases if case.inputs["ask"] == "sweep"]
    for rule in sweeps.STOPS:
        assert any(sweeps.stops_after(one, rule) != sweeps.stops_after(one) for one in scripts)


def test_a_sweep_that_nan_does_not_stop_is_told_so():
    def blind(take_step, low, high, count):
        rates, smoothed, average = [], [], 0.0
        for k in range(count):
            rate = low * (high / low) ** (k / (count - 1))
            average = BETA * average + (1 - BETA) * take_step(rate)
            value = average / (1 - BETA ** (k + 1))
            if smoothed and value > 2 * min(smoothed):
                break
            rates.append(rate)
            smoothed.append(value)
        return rates, smoothed

    BETA = right.BETA
    report = hand_in("lr-finder", sweep=blind)
    assert lost(report) == ["finite"]
    assert "is nan" in fault(report, "finite") and "NaN is False" in fault(report, "finite")


@pytest.mark.parametrize(
    "goes_on",
    [
        lambda value, lowest: value <= 2 * lowest,
        lambda value, lowest: not (math.isnan(value) or value > 2 * lowest),
    ],
    ids=["below the limit", "no NaN"],
)
def test_a_first_loss_of_infinity_stops_a_sweep(goes_on):
    def theirs(take_step, low, high, count):
        rates, smoothed, average = [], [], 0.0
        for k, rate in enumerate(sweeps.ladder(low, high, count)):
            average = right.BETA * average + (1 - right.BETA) * take_step(rate)
            value = average / (1 - right.BETA ** (k + 1))
            if not goes_on(value, min([value, *smoothed])):
                break
            rates.append(rate)
            smoothed.append(value)
        return rates, smoothed

    report = hand_in("lr-finder", sweep=theirs)
    assert lost(report) == ["finite"]
    assert "the loss of step 1 is inf" in fault(report, "finite")
    assert "inf is not above inf" in fault(report, "finite")


def test_rates_that_are_multiplied_are_told_from_those_that_are_not_set():
    def multiplies(model, optimiser, step, low, high, count):
        kept = copy.deepcopy((model.state_dict(), optimiser.state_dict()))

        def take_step(rate):
            for group in optimiser.param_groups:
                group["lr"] *= rate
            return step()

        try:
            return right.suggest(*right.sweep(take_step, low, high, count))
        finally:
            model.load_state_dict(kept[0])
            optimiser.load_state_dict(kept[1])

    report = hand_in("lr-finder", find_rate=multiplies)
    assert lost(report) == ["groups"]
    assert "5 times apart" in fault(report, "groups")
    assert "multiplied" in fault(report, "groups")


def test_a_sweep_that_returns_something_else_is_named():
    nothing = hand_in("lr-finder", sweep=lambda take_step, *_: None)
    assert "two lists" in fault(nothing, "ladder") and "`return`" in fault(nothing, "ladder")
    uneven = hand_in("lr-finder", sweep=lambda take_step, *_: ([0.1, 0.2], [1.0]))
    assert "2 rates and 1 losses" in fault(uneven, "ladder")
    texts = hand_in("lr-finder", sweep=lambda take_step, *_: (["0.1"], [1.0]))
    assert "a rate in what `sweep` returned" in fault(texts, "ladder")


def test_too_many_steps_and_a_rate_that_is_no_number_are_named():
    def twice(take_step, low, high, count):
        for _ in range(2 * count):
            take_step(low)

    assert "more than 2 times, with `count` = 2" in fault(
        hand_in("lr-finder", sweep=twice), "ladder"
    )
    none = hand_in("lr-finder", sweep=lambda take_step, *_: take_step(None))
    assert "the rate that `take_step` got" in fault(none, "ladder")


@pytest.mark.parametrize("number", range(len(sweeps.SMOOTHINGS)))
def test_each_way_to_smooth_wrongly_is_named(number):
    kind, says = sweeps.SMOOTHINGS[number]

    def theirs(take_step, low, high, count):
        rates = sweeps.ladder(low, high, count)
        losses = [take_step(rate) for rate in rates]
        return rates, kind(losses)

    report = hand_in("lr-finder", sweep=theirs)
    assert "smooth" in lost(report) and says in fault(report, "smooth")


def test_the_bench_tells_what_has_changed():
    bench = Bench(Task())
    before = bench.state()
    assert bench.changed_since(before) == []
    bench.optimiser.param_groups[1]["lr"] = 7.0
    assert bench.changed_since(before) == ["the learning rates"]
    bench.step()
    assert len(bench.changed_since(before)) == 4
    assert not is_same({"a": torch.ones(1)}, {"a": torch.zeros(1)})


def test_a_new_optimiser_has_no_state_to_be_kept():
    bench = Bench(Task(used=False))
    assert bench.state()["the optimiser's state, such as momentum"] == {}
    kept = copy.deepcopy(bench.optimiser.state_dict())
    before = bench.state()
    bench.step()
    bench.optimiser.load_state_dict(kept)
    assert "the optimiser's state, such as momentum" not in bench.changed_since(before)


def test_what_was_not_put_back_is_named():
    def forgets(model, optimiser, step, low, high, count):
        kept = model.state_dict()
        found = right.sweep(lambda rate: step(), low, high, count)
        model.load_state_dict(kept)
        return right.suggest(*found)

    report = hand_in("lr-finder", find_rate=forgets)
    assert lost(report) == ["groups", "restored", "broken"]
    assert "the weights" in fault(report, "restored")
    assert "not copies" in fault(report, "restored")
    assert "have rates 0.1 and 0.02" in fault(report, "groups")
    assert "did you set" in fault(report, "groups")


def test_the_draft_stops_at_the_third_step():
    losses, average, lowest = 0, 0.0, math.inf
    while average <= right.LIMIT * lowest:
        lowest = min(lowest, average) if losses else math.inf
        average = right.BETA * average + (1 - right.BETA)
        losses += 1
    assert lr_finder.JUDGE.predictions["lr-finder"].truth == losses == 3


def test_the_experiment_sweeps_as_the_reference_does():
    for batch in rate_finder.BATCHES:
        rates, smoothed = right.sweep(
            Swept(batch, 4), rate_finder.LOWEST, rate_finder.HIGHEST, rate_finder.RUNGS
        )
        lowest = 2 * right.suggest(rates, smoothed)
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


# experiments


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
