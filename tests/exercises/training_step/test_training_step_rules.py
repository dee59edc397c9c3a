"""sgd-or-adam: what an optimizer keeps is counted, and the rates in the lesson's picture."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.registry import load_picture
from gpuedu.exercises.training_step.sgd_or_adam.judge import cases
from gpuedu.exercises.training_step.sgd_or_adam.play import play_sgd_or_adam
from tests.exercises.stored import solution_answers

CASES = cases(np.random.default_rng(7))


def test_the_sum_of_a_batch_moves_the_best_rate_of_sgd_and_not_that_of_adam():
    sgd, adam, _ = solution_answers("sgd-or-adam").values()
    ax = load_picture("training-step/rates")(sgd, adam)
    lines = [
        line for line in ax.lines if len(line.get_xdata()) == 8 and line.get_marker() == "None"
    ]
    mean, summed, adam_mean, adam_summed = (np.array(line.get_ydata()) for line in lines)
    rates = lines[0].get_xdata()
    assert rates[mean.argmin()] >= 30 * rates[np.nanargmin(summed)]
    np.testing.assert_allclose(adam_mean[:5], adam_summed[:5], rtol=0.05)


def keeps(value):
    def rule(weights, gradient, state, *options):
        state["kept"] = value

    return play_sgd_or_adam([rule, rule, rule], CASES[0].inputs)["state_bytes"]


def test_the_state_is_counted_by_storages():
    shared = torch.zeros(10, dtype=torch.float64)
    assert keeps([shared, shared[:3], {"again": shared}]) == 80
    assert keeps({"step": 3, "rate": 0.1}) == 16
    assert keeps(None) == 0


def test_a_state_of_other_things_is_refused():
    with pytest.raises(AnswerError, match="the state holds a ndarray"):
        keeps(np.zeros(3))
