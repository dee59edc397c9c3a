"""lr-finder: what a sweep is held against, what a card says of it, and the bench of find_rate."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch

from gpuedu.exercises.batch_and_learning_rate.lr_finder import judge as lr_finder
from gpuedu.exercises.batch_and_learning_rate.lr_finder.judge import sweeps
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import Bench, Task, is_same
from tests.exercises.reports import fault, hand_in, lost
from tests.exercises.stored import solution_answers, stored_answers

RIGHT = solution_answers("lr-finder")


def test_smoothed_losses_are_weighted_means():
    losses = [3.0, 1.0, 2.0, 5.0]
    for count, value in enumerate(sweeps.smooth(losses), 1):
        weights = 0.9 ** np.arange(count)[::-1]
        assert value == pytest.approx(np.average(losses[:count], weights=weights), rel=1e-12)


def test_a_sweep_stops_where_the_solution_does():
    rng = np.random.default_rng(3)
    for _ in range(200):
        losses = np.exp(rng.normal(0, 0.5, 40).cumsum() * rng.uniform(0.1, 1)).tolist()
        called = []

        def take_step(rate, losses=losses, called=called):
            called.append(rate)
            return losses[len(called) - 1]

        RIGHT["sweep"](take_step, 1e-3, 1.0, 40)
        assert len(called) == sweeps.stops_after(losses)


def test_a_first_loss_of_infinity_stops_a_sweep():
    theirs = stored_answers("lr-finder", "wrong", "inf_of_the_first_counts")["sweep"]
    report = hand_in("lr-finder", sweep=theirs)
    assert lost(report) == {"finite"}
    assert "the loss of step 1 is inf" in fault(report, "finite").message


def test_a_sweep_that_returns_something_else_is_named():
    nothing = hand_in("lr-finder", sweep=lambda take_step, *_: None)
    assert "two lists" in fault(nothing, "ladder").message
    assert "`return rates, smoothed`" in fault(nothing, "ladder").cause
    uneven = hand_in("lr-finder", sweep=lambda take_step, *_: ([0.1, 0.2], [1.0]))
    assert "2 rates and 1 losses" in fault(uneven, "ladder").message
    texts = hand_in("lr-finder", sweep=lambda take_step, *_: (["0.1"], [1.0]))
    assert "a rate in what `sweep` returned" in fault(texts, "ladder").message


def test_too_many_steps_and_a_rate_that_is_no_number_are_named():
    def twice(take_step, low, high, count):
        for _ in range(2 * count):
            take_step(low)

    assert "more than 2 times" in fault(hand_in("lr-finder", sweep=twice), "ladder").message
    none = hand_in("lr-finder", sweep=lambda take_step, *_: take_step(None))
    assert "the rate that `take_step` got" in fault(none, "ladder").message


def test_the_bench_tells_what_has_changed():
    bench = Bench(Task())
    before = bench.state()
    assert bench.changed_since(before) == []
    bench.optimizer.param_groups[1]["lr"] = 7.0
    assert bench.changed_since(before) == ["the learning rates"]
    bench.step()
    assert len(bench.changed_since(before)) == 4
    assert not is_same({"a": torch.ones(1)}, {"a": torch.zeros(1)})


def test_a_new_optimizer_has_no_state_to_be_kept():
    bench = Bench(Task(used=False))
    assert bench.state()["the optimizer's state, such as momentum"] == {}
    kept = copy.deepcopy(bench.optimizer.state_dict())
    before = bench.state()
    bench.step()
    bench.optimizer.load_state_dict(kept)
    assert "the optimizer's state, such as momentum" not in bench.changed_since(before)


def test_what_was_not_put_back_and_rates_that_were_not_set_are_named():
    def forgets(model, optimizer, step, low, high, count):
        kept = model.state_dict()
        found = RIGHT["sweep"](lambda rate: step(), low, high, count)
        model.load_state_dict(kept)
        return RIGHT["suggest"](*found)

    report = hand_in("lr-finder", find_rate=forgets)
    assert lost(report) == {"groups", "restored", "broken"}
    assert "the weights" in fault(report, "restored").message
    assert "have rates 0.1, 0.05 and 0.02" in fault(report, "groups").message


def test_the_draft_stops_at_the_third_step():
    draft = stored_answers("lr-finder", "wrong", "no_correction")["sweep"]
    called = []
    draft(lambda rate: called.append(rate) or 1.0, 1e-3, 1.0, 40)
    assert lr_finder.JUDGE.predictions["lr-finder"].truth == len(called) == 3
