"""The model that takes simulated time: its gradients, its clock, its hooks on light ranks."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import AnswerError, DeadlockError
from gpuedu.exercises.ddp.buckets.grouping import group, group_parameters
from gpuedu.exercises.ddp.overlap.exchange_ways import attach_late, attach_none
from gpuedu.exercises.ddp.overlap.layered import Plan, compute_loss, make_parameters
from gpuedu.exercises.ddp.overlap.layered_alone import train_alone
from gpuedu.exercises.ddp.overlap.overlap_runs import cluster_of, train_overlapped
from tests.exercises.stored import solution_answers

RANKS = 3
ATTACH = solution_answers("overlap")["attach"]
CLUSTER = cluster_of(RANKS, 1e-5, 1e8)
CHAIN = Plan((4, 5, 6), (2e-3, 1e-3), (((),) * RANKS,) * 2, RANKS, seed=5)
TREE = Plan((4, 5), (1e-3,) * 4, (((0, 1), (1, 0), (1, 0, 1)), ((0,), (1,), (0,))), RANKS, seed=6)


def buckets_of(plan):
    return [[place] for place in reversed(range(len(plan.shapes)))]


@pytest.mark.parametrize(
    ("way", "plan"), [(ATTACH, CHAIN), (ATTACH, TREE), (attach_late, CHAIN), (attach_none, CHAIN)]
)
def test_ranks_train_as_one_process_would(way, plan):
    run = train_overlapped(way, plan, buckets_of(plan), CLUSTER)
    for step, expected in enumerate(train_alone(plan)):
        for found in run.results:
            for got, wanted in zip(found[step], expected, strict=True):
                np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-13)


def test_the_gradient_is_that_of_finite_differences():
    parameters = make_parameters(TREE)
    compute_loss(parameters, TREE, 0, 0).backward()
    for one in (parameters[0], parameters[3]):
        at, tiny = (1,) * one.dim(), 1e-6
        with torch.no_grad():
            one[at] += tiny
            high = compute_loss(parameters, TREE, 0, 0).item()
            one[at] -= 2 * tiny
            low = compute_loss(parameters, TREE, 0, 0).item()
            one[at] += tiny
        assert one.grad[at].item() == pytest.approx((high - low) / (2 * tiny), rel=1e-6)


def test_layers_charge_their_time_once_a_step():
    run = train_overlapped(attach_none, CHAIN, buckets_of(CHAIN), CLUSTER)
    work = [one for one in run.timeline.on("rank 1") if one.kind == "kernel"]
    assert [one.label for one in work[:4]] == ["forward 0", "forward 1", "backward 1", "backward 0"]
    assert sum(one.duration_s for one in work) == pytest.approx(2 * 1.5 * 3e-3)


def test_a_hook_is_called_when_its_layer_is_done_and_the_exchange_runs_beside_the_next():
    run = train_overlapped(ATTACH, CHAIN, buckets_of(CHAIN), CLUSTER)
    first = next(one for one in run.exchanges if one.rank == 0)
    assert first.posted_s == pytest.approx(0.5 * 3e-3 + 1e-3)
    assert first.end_s < 0.5 * 3e-3 + 3e-3


def hangs(buckets):
    def hook(p):
        if dist.get_rank():
            dist.all_reduce(p.grad)

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None


def raises(buckets):
    def hook(p):
        return p.grad[10_000]

    for bucket in buckets:
        for p in bucket:
            p.register_post_accumulate_grad_hook(hook)
    return lambda: None


@pytest.mark.parametrize(
    ("way", "error", "told"),
    [
        (hangs, DeadlockError, "rank 1 waits for"),
        (raises, AnswerError, "rank 0 failed: IndexError"),
    ],
)
def test_faults_inside_a_backward_are_told_and_leave_no_thread(way, error, told):
    before = threading.active_count()
    with pytest.raises(error, match=told):
        train_overlapped(way, CHAIN, buckets_of(CHAIN), CLUSTER)
    assert threading.active_count() == before


def test_parameters_are_grouped_without_frozen_ones():
    made = [torch.nn.Parameter(torch.zeros(n), requires_grad=n != 3) for n in (5, 3, 2)]
    assert group_parameters(made, 8, 100) == [[made[2]], [made[0]]]


def test_limits_and_types_of_groups():
    types = ["a", "b", "a", "b"]
    assert group([4, 4, 4, 4], types, 4, 8) == [[3], [2, 0], [1]]
    assert group([9, 9], ["a", "a"], 1, 8) == [[1], [0]]
    assert group([], [], 1, 8) == []
