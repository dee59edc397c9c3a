"""A norm, a loss and moments of all ranks: references, causes, bad inputs."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.exercises.ddp_in_practice.clip_and_mean import judge as clip_and_mean
from tests.exercises.ddp_in_practice.practice_answers import (
    average,
    fault,
    hand_in,
    lost,
)
from tests.exercises.ddp_in_practice.practice_answers import mean_loss as right_mean_loss
from tests.exercises.ddp_in_practice.practice_answers import moments as right_moments

clip_faults = import_module("gpuedu.exercises.ddp_in_practice.clip_and_mean.judge.clip_faults")


@pytest.mark.parametrize("seed", range(3))
def test_the_reference_earns_all_points(seed):
    report = hand_in("clip-and-mean", seed)
    assert report.state == "solved", lost(report)


def test_every_slip_of_clipping_is_told_from_the_others():
    rng = np.random.default_rng(0)
    by_rank = [[size * rng.standard_normal(n) for n in (12, 4, 6)] for size in (9.0, 1.0, 3.0)]
    known = [slip(by_rank, 1, 2.0) for slip, _ in clip_faults.MISTAKES]
    right = clip_faults._clipped(clip_faults._mean(by_rank), 2.0)
    # A mean that is longer than the limit is scaled up and down alike: that slip shows elsewhere,
    # and so does the clipped sum.
    shown = [at for at, _ in enumerate(known) if at not in (3, 7)]
    for at in shown:
        assert not clip_faults._alike(known[at], right)
        assert clip_faults._cause(known[at], by_rank, 1, 2.0) == clip_faults.MISTAKES[at][1]
    for at in (3, 7):
        slip, says = clip_faults.MISTAKES[at]
        assert clip_faults._cause(slip(by_rank, 1, 60.0), by_rank, 1, 60.0) == says


def _grads(model):
    return [p.grad for p in model.parameters() if p.grad is not None]


def test_clipping_before_the_reduction_is_named():
    def first(model, max_norm):
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        average(model)
        return norm

    report = hand_in("clip-and-mean", finish=first)
    assert lost(report) == {"clip", "small", "norm"}
    assert "Each rank clipped its own" in fault(report, "clip")
    assert "the rank's own gradient" in fault(report, "norm")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (None, "is a `return` missing"),
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

    report = hand_in("clip-and-mean", finish=finish)
    assert "norm" in lost(report)
    assert says in fault(report, "norm")


def test_a_gradient_that_is_gone_is_told():
    def finish(model, max_norm):
        model.zero_grad()
        return 1.0

    report = hand_in("clip-and-mean", finish=finish)
    assert "`p0.grad` is None after `finish`" in fault(report, "clip")


def test_zeros_in_place_of_none_are_right():
    def finish(model, max_norm):
        for p in model.parameters():
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad
        average(model)
        return torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)

    assert lost(hand_in("clip-and-mean", finish=finish)) == set()


def test_gradients_of_another_shape_are_told():
    def finish(model, max_norm):
        for p in model.parameters():
            p.grad = None
            p.data = p.data.flatten()[:1]
            p.grad = torch.ones(1, dtype=torch.float64)
        return 1.0

    assert "has shape (1,)" in fault(hand_in("clip-and-mean", finish=finish), "clip")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (lambda total, count, own: total / dist.get_world_size(), "divided by the ranks, and not"),
        (lambda total, count, own: total, "sum over all samples"),
        (lambda total, count, own: own, "the rank's own"),
        (lambda total, count, own: total / count / dist.get_world_size(), "and by the ranks"),
    ],
)
def test_a_wrong_mean_is_named(body, says):
    def mean_loss(loss, samples):
        pair = torch.tensor([loss.item() * samples if samples else 0.0, samples])
        dist.all_reduce(pair)
        return body(*pair, loss)

    report = hand_in("clip-and-mean", mean_loss=mean_loss)
    assert lost(report) == {"loss", "empty"}
    assert says in fault(report, "loss")


def test_a_rank_that_stays_away_is_told():
    def mean_loss(loss, samples):
        if samples:
            dist.all_reduce(loss)
        return loss

    report = hand_in("clip-and-mean", mean_loss=mean_loss)
    assert {"loss", "empty"} == lost(report)
    assert "rank" in fault(report, "empty")


def test_nan_is_told():
    report = hand_in("clip-and-mean", mean_loss=lambda loss, samples: float("nan"))
    assert "so is every sum with it" in fault(report, "empty")


def _summed(combine):
    def moments(x):
        sums = torch.cat([x.sum(dim=0), x.square().sum(dim=0), x.new_tensor([len(x)])])
        dist.all_reduce(sums)
        mean, squares = (sums[:-1] / sums[-1]).chunk(2)
        return combine(mean, squares - mean**2, sums[-1])

    return moments


@pytest.mark.parametrize(
    ("combine", "prop", "says"),
    [
        (lambda mean, var, n: (mean, var), "far", "Take the mean off *first*"),
        (lambda mean, var, n: (mean, var * n / (n - 1)), "moments", "rows less one"),
        (lambda mean, var, n: (mean, var.sqrt()), "moments", "standard deviation"),
        (lambda mean, var, n: (mean, var * n), "moments", "sum of the squares"),
        (lambda mean, var, n: (mean * n, var), "moments", "sum over all rows"),
        (lambda mean, var, n: (mean, mean * torch.nan), "moments", "NaN"),
        (lambda mean, var, n: mean, "moments", "should return two tensors"),
        (lambda mean, var, n: (mean, var[:1]), "moments", "expected (4,)"),
    ],
)
def test_wrong_moments_are_named(combine, prop, says):
    report = hand_in("clip-and-mean", moments=_summed(combine))
    assert prop in lost(report)
    assert says in fault(report, prop)


def test_the_distance_between_ranks_is_missed():
    def moments(x):
        mine = torch.stack([x.sum(dim=0), x.var(dim=0, correction=0).nan_to_num() * len(x)])
        flat = torch.cat([mine.flatten(), x.new_tensor([len(x)])])
        dist.all_reduce(flat)
        mean, variance = (flat[:-1] / flat[-1]).chunk(2)
        return mean, variance

    report = hand_in("clip-and-mean", moments=moments)
    assert "how far are their means apart" in fault(report, "moments")


def test_calls_are_counted():
    def moments(x):
        for _ in range(3):
            dist.barrier()
        return _summed(lambda mean, var, n: (mean, var))(x)

    assert "4 calls on a rank" in fault(hand_in("clip-and-mean", moments=moments), "moments")


def test_calls_too_many_lose_one_row_alone():
    def moments(x):
        dist.barrier()
        return right_moments(x)

    def mean_loss(loss, samples):
        dist.barrier()
        return right_mean_loss(loss, samples)

    report = hand_in("clip-and-mean", moments=moments, mean_loss=mean_loss)
    assert lost(report) == {"moments", "loss"}


@pytest.mark.parametrize(
    ("norm", "says"),
    [
        (lambda grads: max(one.norm() for one in grads), "largest of the parameters' norms"),
        (lambda grads: max(one.abs().max() for one in grads), "largest element"),
    ],
)
def test_a_wrong_norm_is_named(norm, says):
    def finish(model, max_norm):
        average(model)
        found = norm(_grads(model)).item()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        return found

    report = hand_in("clip-and-mean", finish=finish)
    assert lost(report) == {"norm"}
    assert says in fault(report, "norm")


def test_cases_differ_by_seed_and_agree_with_themselves():
    first, again, other = (clip_and_mean.cases(np.random.default_rng(seed)) for seed in (1, 1, 2))
    firsts = [cases[4].inputs["losses"] for cases in (first, again, other)]
    assert firsts[0] == firsts[1] != firsts[2]
