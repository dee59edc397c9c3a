"""The plan of a learning rate: its truth is PyTorch's schedulers', and what is no plan is named."""

from __future__ import annotations

import math

import pytest
import torch
from torch.optim import lr_scheduler

from gpuedu.exercises.batch_and_learning_rate.schedule import judge as schedule
from gpuedu.exercises.batch_and_learning_rate.schedule.plans import RULES, SHAPES, Plan
from gpuedu.experiments import read_results
from tests.exercises.reports import fault, hand_in, lost
from tests.exercises.stored import solution_answers


def torchs(plan: Plan) -> list[float]:
    """The rates of PyTorch's own schedulers over a run, put together to the same plan."""
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=plan.peak)
    top = max(0, plan.warmup - 1)
    falls = plan.steps - 1 - top
    if plan.shape == "cosine":
        fall = lr_scheduler.CosineAnnealingLR(optimizer, T_max=falls, eta_min=plan.low)
    else:
        fall = lr_scheduler.LinearLR(optimizer, 1.0, plan.low / plan.peak, total_iters=falls)
    whole = fall
    if top:
        rise = lr_scheduler.LinearLR(optimizer, 1 / plan.warmup, 1.0, total_iters=top)
        whole = lr_scheduler.SequentialLR(optimizer, [rise, fall], milestones=[top])
    rates = []
    for _ in range(plan.steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        whole.step()
    return rates


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("steps", "warmup"), [(2, 0), (2, 1), (10, 0), (10, 1), (10, 2), (10, 9), (57, 11), (400, 40)]
)
def test_schedules_are_those_of_torchs_own_schedulers(steps, warmup, shape):
    plan = Plan(steps, warmup, 0.3, 0.004, shape)
    mine = [schedule.rate_at(step, plan) for step in range(steps)]
    assert mine == pytest.approx(torchs(plan), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_schedule_drives_torchs_lambda_scheduler(shape):
    plan = Plan(30, 6, 0.5, 0.01, shape)
    rate_at = solution_answers("schedule")["rate_at"]
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=plan.peak)
    scheduler = lr_scheduler.LambdaLR(optimizer, lambda step: rate_at(step, *plan) / plan.peak)
    for step in range(35):
        expected = schedule.rate_at(step, plan)
        assert optimizer.param_groups[0]["lr"] == pytest.approx(expected, rel=1e-12)
        optimizer.step()
        scheduler.step()


def test_a_plan_keeps_its_samples_whatever_the_rule():
    for rule in RULES:
        steps, warmup, peak = schedule.rescaled(64, 480, 48, 0.1, 512, rule)
        assert (steps * 512, warmup * 512) == (480 * 64, 48 * 64)
        back = schedule.rescaled(512, steps, warmup, peak, 64, rule)
        assert back == pytest.approx((480, 48, 0.1))


def test_what_rescale_returns_is_looked_at():
    nothing = hand_in("schedule", rescale=lambda *_: None)
    assert lost(nothing) == {"samples", "peak"}
    assert "three numbers" in fault(nothing, "samples").message
    assert "`return steps, warmup, peak`" in fault(nothing, "samples").cause
    none = hand_in("schedule", rescale=lambda *_: (1, 2, math.nan))
    assert "peak of nan" in fault(none, "peak").message


def test_a_rate_that_is_no_number_is_named():
    report = hand_in("schedule", rate_at=lambda *_: None)
    assert "the rate should be a number" in fault(report, "warmup").message


def test_the_rate_for_the_same_loss_lies_between_those_that_were_computed():
    truth = schedule.JUDGE.predictions["schedule"].truth
    values = read_results("loss-by-rate").values
    losses = dict(zip(values["rates"], values["losses"]["128"]["median"], strict=True))
    assert losses[0.1] > 0.871 > losses[0.178] and 0.1 < truth < 0.178
    assert 7 < truth / 0.0178 < 9
