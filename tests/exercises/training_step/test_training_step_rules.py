"""sgd-or-adam: the oracle's other ways differ from PyTorch's, and their causes from each other."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.registry import load_picture
from gpuedu.exercises.training_step.sgd_or_adam import judge as sgd_or_adam
from gpuedu.exercises.training_step.sgd_or_adam.judge import cases
from gpuedu.exercises.training_step.sgd_or_adam.play import play_sgd_or_adam
from gpuedu.exercises.training_step.sgd_or_adam.rules import walk_adam, walk_sgd, walk_with_torch

CASES = cases(np.random.default_rng(7))
WALKS = {"sgd": walk_sgd, "adam": walk_adam, "adamw": walk_adam}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_the_usual_way_is_pytorchs(case):
    walked = WALKS[case.inputs["rule"]](case.inputs)
    np.testing.assert_allclose(walked, walk_with_torch(case.inputs), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("case", "ways"),
    [
        (CASES[1], list(sgd_or_adam._SGD_SAYS)),
        (CASES[3], [w for w in sgd_or_adam._ADAM_SAYS if not w.startswith(("decay", "no decay"))]),
        (CASES[4], [w for w in sgd_or_adam._ADAM_SAYS if w.startswith(("decay", "no decay"))]),
    ],
    ids=["sgd", "adam", "adamw"],
)
def test_every_slip_is_another_walk(case, ways):
    walk = WALKS[case.inputs["rule"]]
    walks = [walk_with_torch(case.inputs), *(walk(case.inputs, way) for way in ways)]
    for at, one in enumerate(walks):
        for other in walks[at + 1 :]:
            assert not np.allclose(one, other, rtol=1e-8, atol=1e-12)


def test_the_sum_of_a_batch_moves_the_best_rate_of_sgd_and_not_that_of_adam():
    def sgd(weights, gradient, state, lr, momentum):
        weights -= lr * gradient

    def adam(weights, gradient, state, lr, beta1, beta2, eps):
        t = state["t"] = state.get("t", 0) + 1
        m = state.setdefault("m", torch.zeros_like(weights))
        v = state.setdefault("v", torch.zeros_like(weights))
        m.lerp_(gradient, 1 - beta1)
        v.lerp_(gradient**2, 1 - beta2)
        weights -= lr * m / (1 - beta1**t) / ((v / (1 - beta2**t)).sqrt() + eps)

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
