"""Numbers of all ranks: results that are none, gradients that are gone, calls too many."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.exercises.ddp_in_practice.clip_and_mean.judge import cases
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from tests.exercises.stored import solution_answers

SOLUTION = solution_answers("clip-and-mean")


def average(model):
    for p in model.parameters():
        if p.grad is not None:
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()


def faults(**other):
    """Of the solution with some answers replaced: what was found of each property lost."""
    report = examine(load("clip-and-mean"), list((SOLUTION | other).values()))
    return {one.property.name: one.fault.message for one in report.results if one.fault}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "a call without `return`"),
        ("x", "should be a number"),
        (float("nan"), "nan"),
        (torch.ones(2), "should be one number"),
    ],
)
def test_a_norm_is_a_number(given, says):
    def finish(model, max_norm):
        average(model)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        return given

    found = faults(finish=finish)
    assert "norm" in set(found)
    assert says in found["norm"]


def test_a_gradient_that_is_gone_is_told():
    def finish(model, max_norm):
        model.zero_grad()
        return 1.0

    found = faults(finish=finish)
    assert "`p0.grad` is None after `finish`" in found["clip"]


def test_zeros_in_place_of_none_are_right():
    def finish(model, max_norm):
        for p in model.parameters():
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad
        average(model)
        return torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)

    assert faults(finish=finish) == {}


def test_gradients_of_another_shape_are_told():
    def finish(model, max_norm):
        for p in model.parameters():
            p.grad = None
            p.data = p.data.flatten()[:1]
            p.grad = torch.ones(1, dtype=torch.float64)
        return 1.0

    assert "has shape (1,)" in faults(finish=finish)["clip"]


def test_a_rank_that_stays_away_is_told():
    def mean_loss(loss, samples):
        if samples:
            dist.all_reduce(loss)
        return loss

    found = faults(mean_loss=mean_loss)
    assert {"loss", "empty"} == set(found)
    assert "rank" in found["empty"]


def test_calls_too_many_lose_one_row_alone():
    def moments(x):
        dist.barrier()
        return SOLUTION["moments"](x)

    def mean_loss(loss, samples):
        dist.barrier()
        return SOLUTION["mean_loss"](loss, samples)

    found = faults(moments=moments, mean_loss=mean_loss)
    assert set(found) == {"moments", "loss"}


def test_cases_differ_by_seed_and_agree_with_themselves():
    drawn = [cases(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    firsts = [one[5].inputs["losses"] for one in drawn]
    assert firsts[0] == firsts[1] != firsts[2]


@pytest.mark.parametrize(
    ("given", "says"),
    [(torch.zeros(4), "should return two tensors"), ((torch.zeros(4), torch.zeros(1)), "(4,)")],
)
def test_what_are_no_moments_is_told(given, says):
    assert says in faults(moments=lambda x: given)["moments"]
