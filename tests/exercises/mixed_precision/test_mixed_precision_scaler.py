"""The loss scaler of the lesson against PyTorch's own, decision by decision."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from gpuedu.exercises.examine import examine
from gpuedu.exercises.mixed_precision.loss_scaler.judge import (
    JUDGE,
    kind,
    show_scale,
    weights_after,
)
from gpuedu.exercises.mixed_precision.loss_scaler.judge.scaler_rules import Rule, next_scale, states
from gpuedu.exercises.registry import load
from tests.exercises.stored import stored_answers

_OUTCOMES = 10_000


def _answers(name: str) -> dict:
    """The functions of a stored right answer, written as a learner would."""
    return stored_answers("loss-scaler", "right", name)


def _is_lost(chance: np.random.Generator, share: float, scale: float) -> bool:
    """A random outcome; far from 1 the odds pull the scale back, so that it never ends at 0."""
    if scale < 2.0**-60:
        share /= 8
    return bool(chance.random() < share)


@pytest.mark.parametrize(
    ("rule", "start", "share"),
    [
        (Rule(), 2.0**16, 0.0002),
        (Rule(2.0, 0.5, 9), 2.0**16, 0.1),
        (Rule(1.3, 0.7, 3), 100.0, 0.2),
        (Rule(2.0, 0.25, 5), 2.0**100, 0.02),
    ],
)
def test_ten_thousand_decisions_are_those_of_pytorch(rule, start, share) -> None:
    chance = np.random.default_rng(10)
    weight = torch.nn.Parameter(torch.zeros(2))
    # A rate of 1 and gradients of 1 count the steps that were taken.
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", start, rule.growth, rule.backoff, rule.interval)
    scaler.scale(torch.ones(1))
    scale, good, taken, learner = start, 0, 0, _answers("cleared_only_before")["next_scale"]
    rules = (rule.growth, rule.backoff, rule.interval)
    for step in range(_OUTCOMES):
        found_inf = _is_lost(chance, share, scale)
        lost = (math.inf, math.nan, -math.inf)[step % 3]
        one = torch.tensor(scaler.get_scale())
        weight.grad = torch.stack([one, one * lost if found_inf else one])
        scaler.step(optimizer)
        scaler.update()
        taken += not found_inf
        told = learner(scale, good, found_inf, *rules)
        scale, good = next_scale(scale, good, found_inf, rule)
        state = scaler.state_dict()
        assert (scale, good) == (state["scale"], state["_growth_tracker"]), step
        assert told == (pytest.approx(scale, rel=1e-6), good), step
    assert 0 < scale < math.inf
    if rule.growth == 2.0:  # else 1 times the scale, and back, is no longer 1
        assert weight.tolist() == [-taken, -taken]


@pytest.mark.parametrize("name", ["cleared_only_before", "with_autograd_grad"])
def test_steps_are_those_of_pytorchs_scaler_sgd_and_clipping(name) -> None:
    torch.manual_seed(10)
    functions = _answers(name)
    inputs, targets = torch.randn(40, 8, 6), torch.randn(40, 8)
    start = [torch.randn(6, 5) / 2, torch.randn(5) / 2]

    def loss_of(weights, step):
        hidden = torch.relu(inputs[step].half() @ weights[0].half())
        wrong = (hidden @ weights[1].half()).float() - targets[step]
        return wrong.square().mean() * (1e3 if step % 7 == 3 else 1.0)

    rule = Rule(2.0, 0.5, 4)
    theirs = [torch.nn.Parameter(part.clone()) for part in start]
    sgd = torch.optim.SGD(theirs, lr=0.05)
    scaler = torch.amp.GradScaler("cpu", 2.0**14, rule.growth, rule.backoff, rule.interval)
    ours = [part.clone().requires_grad_() for part in start]
    scale, good, skipped = 2.0**14, 0, 0
    for step in range(40):
        scaler.scale(loss_of(theirs, step)).backward()
        scaler.unscale_(sgd)
        torch.nn.utils.clip_grad_norm_(theirs, 1.0)
        scaler.step(sgd)
        scaler.update()
        sgd.zero_grad()
        found = bool(functions["scaled_step"](ours, loss_of(ours, step), scale, 0.05, 1.0))
        skipped += found
        scale, good = functions["next_scale"](
            float(scale), good, found, rule.growth, rule.backoff, rule.interval
        )
        assert float(scale) == scaler.get_scale()
        for mine, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)
    assert 2 <= skipped <= 20


def test_a_step_on_known_gradients_is_autograds() -> None:
    case = next(c for c in JUDGE.cases(np.random.default_rng(3)) if c.decides == ("clips",))
    weights = torch.from_numpy(np.concatenate([p.ravel() for p in case.inputs["start"]]))
    weights.requires_grad_()
    row = torch.from_numpy(np.concatenate([p.ravel() for p in case.inputs["coefficients"][0]]))
    scale = case.inputs["scales"][0]
    ((weights.half().float() * row).sum() * scale).backward()
    gradient = weights.grad.double() / scale
    factor = case.inputs["max_norm"] / gradient.norm()
    expected = weights.detach().double() - 0.1 * gradient * factor
    path, found = weights_after(case.inputs)
    assert found == [False]
    np.testing.assert_allclose(path[0], expected.numpy(), rtol=1e-7)


def test_every_kind_of_state_is_among_the_cases() -> None:
    for seed in range(5):
        for case in JUDGE.cases(np.random.default_rng(seed)):
            if case.inputs["ask"] == "states":
                rule = Rule(*(case.inputs[name] for name in ("growth", "backoff", "interval")))
                kinds = [kind(state, rule) for state in case.inputs["states"]]
                assert case.decides[0] in kinds
                scales = [scale for scale, _, _ in case.inputs["states"]]
                assert min(scales) > 2.0**-120 and max(scales) < math.inf


def test_the_prediction_is_what_a_run_gives() -> None:
    rule, scale, limit = Rule(), 2.0**16, 2.0**16
    good, skipped = 0, 0
    for _ in range(100_000):
        lost = scale > limit
        skipped += lost
        scale, good = next_scale(scale, good, lost, rule)
    assert 10 * skipped == pytest.approx(JUDGE.predictions["loss-scaler"].truth, rel=0.02)


def test_a_skipped_step_that_leaves_its_gradients_costs_one_property_only() -> None:
    found = stored_answers("loss-scaler", "wrong", "clears_only_after_good_steps")
    for seed in range(3):
        report = examine(load("loss-scaler"), (found["next_scale"], found["scaled_step"]), seed)
        assert [name for name, held in report.held().items() if not held] == ["fresh"]


def test_the_largest_float32_is_told_from_a_power_of_two() -> None:
    largest = float(np.finfo(np.float32).max)
    assert show_scale(2.0**128) == "2**128" and show_scale(largest) == "3.4028235e+38"
    assert show_scale(1000.0) == "1000" and show_scale(math.inf) == "inf"


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ((lambda *_: 1.0, lambda *_: True), "should be two numbers"),
        ((lambda *_: (1.0, 0.5), lambda *_: True), "good_steps should be a whole number"),
        ((lambda *_: (1.0, 0), lambda *_: None), "should be True or False, got None"),
    ],
)
def test_results_of_another_kind_are_refused(answers, told) -> None:
    report = examine(load("loss-scaler"), answers, 0)
    assert any(told in r.fault.message for r in report.results if r.fault)


def test_states_follow_one_another() -> None:
    rule, outcomes = Rule(2.0, 0.5, 2), np.array([False, False, True, False])
    assert states(rule, 4.0, outcomes) == [
        (4.0, 0, False),
        (4.0, 1, False),
        (8.0, 0, True),
        (4.0, 0, False),
    ]
