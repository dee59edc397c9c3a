"""Verdicts on batches: truths held another way, refusals, and what shows nothing yet."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients import (
    judge as accumulate_gradients,
)
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    IGNORED,
    Task,
    loss_sum,
    passing_bytes,
    run_steps,
)
from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.batch_alone import big_batch_step
from gpuedu.exercises.batch_and_learning_rate.largest_batch import judge as largest_batch
from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import Task as TrialTask
from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import (
    budget_for,
    most_that_fits,
    peak_bytes_of,
    search,
)
from gpuedu.exercises.batch_and_learning_rate.step_costs import SHARE, SHOWN, StepCost, median_rates
from gpuedu.exercises.batch_and_learning_rate.throughput_knee import judge as throughput_knee
from gpuedu.exercises.contract import Undecided
from tests.exercises.reports import hand_in, lost, told
from tests.exercises.stored import solution_answers, stored_answers

# throughput-knee


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("cost", [SHOWN, StepCost(100, 1e-5, 4e-3, 2.3e-5)])
def test_the_edges_are_where_a_count_finds_them(cost, share):
    batch = 1
    while cost.samples_per_s(batch) < share * cost.best_per_s:
        batch += 1
    assert batch == int(np.ceil(max(cost.edges(share))))


def test_the_prediction_is_the_models_knee():
    truth = throughput_knee.JUDGE.predictions["throughput-knee"].truth
    assert SHOWN.samples_per_s(truth) >= SHARE * SHOWN.best_per_s > SHOWN.samples_per_s(truth - 1)


def test_the_knee_of_measured_runs_is_the_solutions():
    measured_knee = solution_answers("throughput-knee")["measured_knee"]
    for seed in range(5):
        for case in throughput_knee.cases(np.random.default_rng(seed)):
            for runs, share in case.inputs.get("sets", ()):
                rates = median_rates(runs)
                assert measured_knee(runs, share) == throughput_knee.first_within(rates, share)


def test_a_knee_that_is_right_by_wrong_rates_is_undecided():
    def added(batch, launches, launch_s, fixed_s, per_sample_s):
        return batch / (launches * launch_s + fixed_s + batch * per_sample_s)

    def own_knee(share, *cost):
        batch = 1
        while added(batch, *cost) < share / cost[-1]:
            batch += 1
        return batch

    report = hand_in("throughput-knee", samples_per_s=added, knee=own_knee)
    assert lost(report) == {"rate", "knee"}
    (found,) = (r.fault for r in report.results if r.property.name == "knee")
    assert isinstance(found, Undecided) and "fix that first" in found.message


def test_a_search_that_never_ends_leaves_the_other_verdicts():
    def for_ever(share, *cost):
        while True:
            pass

    assert lost(hand_in("throughput-knee", knee=for_ever)) == {"knee"}


def test_a_batch_of_0_is_told():
    report = hand_in("throughput-knee", knee=lambda *_: 0)
    assert lost(report) == {"knee"} and "the smallest batch is 1" in told(report, "knee")


# largest-batch


def test_the_budget_holds_one_batch_and_not_the_next():
    task = TrialTask(width=24, samples=64)
    budget = budget_for(task, 20)
    assert peak_bytes_of(task, 20) <= budget < peak_bytes_of(task, 21)
    found = search(solution_answers("largest-batch")["largest_batch"], task, budget)
    assert found.result == 20
    assert all(one.fits == (one.batch <= 20) for one in found.trials)
    assert max(one.before_bytes for one in found.trials) <= found.free_bytes


def test_the_peak_is_a_straight_line_for_large_batches():
    task = TrialTask(width=24, samples=64)
    peaks = [peak_bytes_of(task, batch) for batch in (20, 30, 40)]
    assert peaks[1] - peaks[0] == pytest.approx(peaks[2] - peaks[1], rel=0.01)


def test_garbage_collected_behind_every_trial_takes_no_time():
    def collects(try_step, most):
        low, high = 0, most + 1
        while high - low > 1:
            batch = min(max(1, 2 * low), (low + high) // 2)
            try:
                try_step(batch)
                low = batch
            except torch.OutOfMemoryError:
                high = batch
            gc.collect()
            looked_at.append(len(gc.get_objects()))
        return low

    before, looked_at = gc.get_freeze_count(), []
    assert lost(hand_in("largest-batch", largest_batch=collects)) == set()
    assert max(looked_at) < 20_000 < len(gc.get_objects())
    assert gc.get_freeze_count() == before


def test_a_kept_exception_is_told_with_the_batch_that_failed():
    keeps = stored_answers("largest-batch", "wrong", "keeps_the_faults")["largest_batch"]
    report = hand_in("largest-batch", largest_batch=keeps)
    assert "of the failed trial of batch" in told(report, "released")


def test_without_a_trial_nothing_is_shown_of_errors_and_of_what_is_let_go():
    report = hand_in("largest-batch", largest_batch=lambda try_step, most: 0)
    found = {r.property.name: r.fault for r in report.results}
    assert all(isinstance(found[name], Undecided) for name in ("released", "others"))
    assert "no trial failed" in found["released"].message


def test_the_largest_that_fits_is_found_without_a_search():
    task = TrialTask(width=24, samples=64)
    budget = budget_for(task, 20)
    assert most_that_fits(task, budget) == 20
    assert most_that_fits(task, 10**9) == 64
    assert most_that_fits(task, 1000) == 0


def test_a_batch_beyond_the_data_or_of_0_or_not_whole_is_named():
    beyond = hand_in("largest-batch", largest_batch=lambda try_step, most: try_step(2 * most))
    assert "all the data" in told(beyond, "edges")
    nothing = hand_in("largest-batch", largest_batch=lambda try_step, most: try_step(0))
    assert "a batch of 0" in told(nothing, "edges")
    half = hand_in("largest-batch", largest_batch=lambda try_step, most: try_step(most / 2))
    assert "whole number" in told(half, "largest")


def test_the_bound_on_trials_leaves_room_for_doubling_and_halving():
    for fits in range(1, 300):
        trials = []

        def step(batch, fits=fits, trials=trials):
            trials.append(batch)
            if batch > fits:
                raise torch.OutOfMemoryError

        assert solution_answers("largest-batch")["largest_batch"](step, 10**6) == fits
        assert len(trials) <= largest_batch.most_trials(fits) - 1


def test_real_steps_refuse_batches_that_no_data_can_fill():
    with pytest.raises(AnswerError, match="a batch of 0"):
        search(lambda try_step, most: try_step(0), TrialTask(width=8, samples=8), 10**9)


# accumulate-gradients


def test_the_parts_equal_the_big_batch_to_rounding():
    for task in (Task((5, 3, 1)), Task((4, 4, 2), texts=True), Task((3, 3), texts=True, empty=0)):
        ours, big = (
            run_steps(step, task) for step in (accumulate_gradients.in_parts, big_batch_step)
        )
        for mine, wanted in zip(ours, big, strict=True):
            for a, b in zip(mine.gradients, wanted.gradients, strict=True):
                assert np.abs(a - b).max() <= 1e-14 * max(1, np.abs(b).max())


def test_a_loss_that_is_not_one_number_is_named_with_the_learners_line():
    def unreduced(model, optimizer, micro_batches, max_norm):
        for x, y in micro_batches:
            torch.nn.functional.cross_entropy(model(x), y, reduction="none").backward()

    report = hand_in("accumulate-gradients", accumulated_step=unreduced)
    assert "a loss that is not one number" in told(report, "even")
    assert 'not reduction="none"' in told(report, "even")
    assert "backward()`" in told(report, "even")


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (lambda *_: 0.0, "asked for 0 updates"),
        (lambda model, optimizer, *_: [optimizer.step() for _ in range(3)], "for 3 updates"),
    ],
)
def test_a_step_updates_once(step, says):
    assert says in told(hand_in("accumulate-gradients", accumulated_step=step), "even")


def test_one_backward_for_all_is_far_above_the_bound_on_memory():
    wide = accumulate_gradients.WIDE
    (step,) = solution_answers("accumulate-gradients").values()
    assert passing_bytes(step, wide) < accumulate_gradients.most_bytes()
    assert passing_bytes(big_batch_step, wide) > 3 * accumulate_gradients.most_bytes()


def test_a_step_that_computes_nothing_earns_nothing():
    report = hand_in("accumulate-gradients", accumulated_step=lambda *given: 0.0)
    assert report.points == 0
    assert "your step computed nothing" in told(report, "memory")


def test_targets_that_do_not_count_add_nothing():
    scores, y = torch.randn(2, 3, 5, dtype=torch.float64), torch.full((2, 3), IGNORED)
    assert float(loss_sum(scores, y)) == 0.0
    y[1, 2] = 4
    whole = torch.nn.functional.cross_entropy(scores[1, 2], torch.tensor(4))
    assert float(loss_sum(scores, y)) == pytest.approx(float(whole), rel=1e-12)


def test_the_predictions_hold():
    weights = {size: (1 / size / 4) * 1000 for size in (300, 100)}
    judge = accumulate_gradients.JUDGE
    assert judge.predictions["accumulate-gradients"].truth == weights[100]
    assert largest_batch.JUDGE.predictions["largest-batch"].truth == 448
