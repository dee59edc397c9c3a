"""Verdicts on learning rates: references, PyTorch's schedulers, what a card says of a slip."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
import torch
from torch.optim import lr_scheduler

from gpuedu.exercises.batch_and_learning_rate.lr_finder import judge as lr_finder
from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge import sweeps
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import (
    Bench,
    Swept,
    Task,
    is_same,
)
from gpuedu.exercises.batch_and_learning_rate.schedule import judge as schedule
from gpuedu.exercises.batch_and_learning_rate.schedule.judge import schedules
from gpuedu.exercises.batch_and_learning_rate.schedule.plans import RULES, SHAPES, Plan
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


# schedule


def torchs(plan: Plan) -> list[float]:
    """The rates of PyTorch's own schedulers over a run, put together to the same plan."""
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=plan.peak)
    top = max(0, plan.warmup - 1)
    falls = plan.steps - 1 - top
    if plan.shape == "cosine":
        fall = lr_scheduler.CosineAnnealingLR(optimiser, T_max=falls, eta_min=plan.low)
    else:
        fall = lr_scheduler.LinearLR(optimiser, 1.0, plan.low / plan.peak, total_iters=falls)
    whole = fall
    if top:
        rise = lr_scheduler.LinearLR(optimiser, 1 / plan.warmup, 1.0, total_iters=top)
        whole = lr_scheduler.SequentialLR(optimiser, [rise, fall], milestones=[top])
    rates = []
    for _ in range(plan.steps):
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        whole.step()
    return rates


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("steps", "warmup"), [(2, 0), (2, 1), (10, 0), (10, 1), (10, 2), (10, 9), (57, 11), (400, 40)]
)
def test_schedules_are_those_of_torchs_own_schedulers(steps, warmup, shape):
    plan = Plan(steps, warmup, 0.3, 0.004, shape)
    mine = [schedules.rate_at(step, plan) for step in range(steps)]
    assert mine == pytest.approx(torchs(plan), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_schedule_drives_torchs_lambda_scheduler(shape):
    plan = Plan(30, 6, 0.5, 0.01, shape)
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=plan.peak)
    scheduler = lr_scheduler.LambdaLR(
        optimiser, lambda step: right.rate_at(step, *plan) / plan.peak
    )
    for step in range(35):
        expected = schedules.rate_at(step, plan)
        assert optimiser.param_groups[0]["lr"] == pytest.approx(expected, rel=1e-12)
        optimiser.step()
        scheduler.step()


@pytest.mark.parametrize("number", range(len(schedules.MISTAKES)))
def test_each_mistake_loses_points_and_is_named_by_its_words_or_an_equal_ones(number):
    mistake = schedules.MISTAKES[number]

    def theirs(step, *plan):
        return mistake.gives(at=[step], plan=Plan(*plan))[0]

    report = hand_in("schedule", rate_at=theirs)
    told = [fault(report, name) for name in lost(report)]
    assert told and all(name not in ("samples", "peak") for name in lost(report))
    assert any(mistake.says in text for text in told)


def test_a_plan_keeps_its_samples_whatever_the_rule():
    for rule in RULES:
        steps, warmup, peak = schedules.rescaled(64, 480, 48, 0.1, 512, rule)
        assert (steps * 512, warmup * 512) == (480 * 64, 48 * 64)
        back = schedules.rescaled(512, steps, warmup, peak, 64, rule)
        assert back == pytest.approx((480, 48, 0.1))


def test_a_fall_that_begins_too_late_is_told_truly_where_there_is_no_warm_up():
    def draft(step, steps, warmup, peak, low, shape):
        step = min(step, steps - 1)
        if step < warmup:
            return peak * (step + 1) / warmup
        done = (step - warmup) / (steps - warmup)
        if shape == "cosine":
            done = (1 - math.cos(math.pi * done)) / 2
        return peak + (low - peak) * done

    report = hand_in("schedule", rate_at=draft)
    assert "the first step after the warm-up" in fault(report, "linear")
    assert "after the warm-up" not in fault(report, "edges")
    assert "does not get to `low`" in fault(report, "edges")


@pytest.mark.parametrize("later", [-1, 0])
def test_a_run_of_warm_up_alone_ends_with_the_peak(later):
    def theirs(step, steps, *rest):
        return rest[2] if step >= steps + later else right.rate_at(step, steps, *rest)

    report = hand_in("schedule", rate_at=theirs)
    assert lost(report) == ["edges"]
    assert "a warm-up of all steps" in fault(report, "edges")


def test_steps_that_range_would_refuse_are_named():
    def theirs(batch, steps, warmup, peak, new_batch, rule):
        _, _, new_peak = right.rescale(batch, steps, warmup, peak, new_batch, rule)
        return steps * batch / new_batch, warmup * batch / new_batch, new_peak

    report = hand_in("schedule", rescale=theirs)
    assert lost(report) == ["samples"]
    assert "not whole numbers" in fault(report, "samples")


def test_what_rescale_returns_is_looked_at():
    nothing = hand_in("schedule", rescale=lambda *_: None)
    assert lost(nothing) == ["samples", "peak"]
    assert "three numbers" in fault(nothing, "samples")
    assert "`return steps, warmup, peak`" in fault(nothing, "samples")
    none = hand_in("schedule", rescale=lambda *_: (1, 2, math.nan))
    assert "peak of nan" in fault(none, "peak")


def test_a_rate_that_is_no_number_is_named():
    report = hand_in("schedule", rate_at=lambda *_: None)
    assert "the rate should be a number" in fault(report, "warmup")


def test_the_rate_for_the_same_loss_lies_between_those_that_were_computed():
    truth = schedule.JUDGE.predictions["schedule"].truth
    values = read_results("loss-by-rate").values
    losses = dict(zip(values["rates"], values["losses"]["128"]["median"], strict=True))
    assert losses[0.1] > 0.871 > losses[0.178] and 0.1 < truth < 0.178
    assert 7 < truth / 0.0178 < 9


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
