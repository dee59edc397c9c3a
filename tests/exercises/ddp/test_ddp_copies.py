"""Copies that train together: references, laws, and what a card says of a slip."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.exercises.ddp.naive_ddp import judge as naive_ddp
from gpuedu.exercises.ddp.no_sync import judge as no_sync
from gpuedu.exercises.ddp.no_sync.micro_batches import MicroTask, by_samples, run_alone
from gpuedu.exercises.ddp.replica_models import KINDS, Net, build, names_of, state_of
from gpuedu.exercises.ddp.replicas import Task, train_alone, train_in_turn, weighted
from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.ddp.traffic import wire_bytes
from gpuedu.multi import network, run_light
from tests.exercises.ddp.copy_answers import (
    REFERENCE,
    Parallel,
    accumulated_step,
    average,
    fault,
    give_no_sync,
    hand_in,
    lost,
)


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points(exercise):
    for seed in range(2):
        report = hand_in(exercise, seed)
        assert report.state == "solved", (seed, lost(report))


# models and runs


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_comes_from_its_seed_alone(kind):
    torch.manual_seed(1)
    first = state_of(build(kind, 5))
    torch.manual_seed(2)
    again, other = state_of(build(kind, 5)), state_of(build(kind, 6))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not any(np.array_equal(a, b) for a, b in zip(first, other, strict=True) if a.size > 5)
    assert len(names_of(kind)) == len(first)


def test_a_tied_model_has_one_parameter_less_than_names():
    net = Net("tied")
    names = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    assert len(names) == len(list(net.parameters())) + 1


@pytest.mark.parametrize("kind", KINDS)
def test_weights_by_samples_give_one_processs_steps(kind):
    task = Task(kind, ((3, 3, 3), (3, 1, 0)), seed=4)
    wanted = train_alone(task)
    ranks = train_in_turn(task, weighted(lambda count, total, ranks: count / total))
    for states in ranks:
        for mine, true in zip(states[1:], wanted, strict=True):
            assert all(
                np.allclose(a, b, rtol=0, atol=1e-12) for a, b in zip(mine, true, strict=True)
            )


def test_sgd_is_pytorchs():
    mine, theirs = (build("heads", 3) for _ in range(2))
    pair = Sgd(mine.parameters(), 0.5), torch.optim.SGD(theirs.parameters(), lr=0.5)
    x = torch.ones(2, 6, dtype=torch.float64)
    for net, optimiser in zip((mine, theirs), pair, strict=True):
        for step in range(2):
            optimiser.zero_grad(set_to_none=step == 0)
            net(x).square().sum().backward()
            optimiser.step()
    assert all(np.array_equal(a, b) for a, b in zip(state_of(mine), state_of(theirs), strict=True))


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_bytes_on_the_wire_are_those_of_the_schedules(ranks):
    def on_rank():
        x = torch.zeros(12 * ranks)
        dist.all_reduce(x)
        dist.broadcast(x, 0)
        dist.all_gather([torch.zeros_like(x) for _ in range(ranks)], x)
        dist.reduce(x, 0)

    size = 48 * ranks
    schedules = [
        network.ring_all_reduce(ranks, size),
        network.tree_broadcast(ranks, size),
        network.ring_all_gather(ranks, size * ranks),
        network.tree_reduce(ranks, size),
    ]
    wanted = sum(row[2] for rounds in schedules for one in rounds for row in np.asarray(one))
    assert wire_bytes(run_light(on_rank, ranks).exchanges, ranks) == pytest.approx(wanted)


# naive-ddp


def test_each_mistake_is_told_from_the_others_where_it_can_be():
    task = Task("plain", ((4, 4, 2),), seed=8)
    known = [train_in_turn(task, combine) for combine, _ in naive_ddp.MISTAKES]
    for number, (_, says) in enumerate(naive_ddp.MISTAKES):
        assert naive_ddp._cause("ragged", task, known[number], 0) == says


def _with(body):
    def mean(model, samples):
        for p in model.parameters():
            if p.requires_grad:
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
                body(p)

    return mean


def _mean_of_means(p):
    dist.all_reduce(p.grad)
    p.grad /= dist.get_world_size()


def _sum(p):
    dist.all_reduce(p.grad)


@pytest.mark.parametrize(
    ("body", "properties", "says"),
    [
        (_mean_of_means, {"ragged"}, "each rank counts alike"),
        (_sum, {"equal", "ragged", "shared"}, "not their mean"),
        (lambda p: None, {"equal", "ragged", "shared"}, "nothing was averaged"),
    ],
)
def test_a_wrong_mean_is_named(body, properties, says):
    report = hand_in("naive-ddp", average=_with(body))
    assert properties <= lost(report)
    assert "start" not in lost(report)
    assert says in fault(report, "ragged")


def test_who_begins_elsewhere_is_told_which_tensor_differs():
    report = hand_in("naive-ddp", start=lambda model: None)
    assert lost(report) == {"start", "equal"}
    assert "after `start`, parameter `inner.weight` of rank 1 is not rank 0's" in fault(
        report, "start"
    )


def test_a_forgotten_buffer_is_named():
    def start(model):
        for p in model.parameters():
            dist.broadcast(p.detach(), 0)

    report = hand_in("naive-ddp", start=start)
    assert lost(report) == {"start"}
    assert "buffer `shift`" in fault(report, "start")


def test_a_rank_that_skips_none_is_told_of():
    def skips(model, samples):
        for p in model.parameters():
            if p.grad is not None:
                dist.all_reduce(p.grad)
                p.grad /= dist.get_world_size()

    report = hand_in("naive-ddp", average=skips)
    assert "unused" in lost(report)
    assert "is None where a rank did not use p" in fault(report, "unused")


def test_a_gradient_that_is_none_is_no_tensor_to_exchange():
    def all_of_them(model, samples):
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()

    report = hand_in("naive-ddp", average=all_of_them)
    assert {"unused", "shared"} <= lost(report)
    assert "calls all_reduce with None" in fault(report, "shared")


def test_twice_the_bytes_are_counted():
    def twice(model, samples):
        average(model, samples)
        average(model, 1)

    report = hand_in("naive-ddp", average=twice)
    assert lost(report) == {"bytes"}


# no-sync


def test_every_weighing_is_told_from_the_others():
    task = MicroTask(((3, 2), (4, 1), (2, 2)), steps=1)
    found = {says: run_alone(task, weigh)[0] for weigh, says in no_sync.MISTAKES}
    found["right"] = run_alone(task, by_samples)[0]
    for says, states in found.items():
        alike = [other for other, theirs in found.items() if no_sync._alike(states, theirs)]
        assert alike == [says]


def _backwards(weigh, exchanges):
    """A step that weighs sums, and exchanges where it is told to, by place and number."""

    def step(parallel, optimiser, micro_batches):
        optimiser.zero_grad()
        total = torch.tensor([float(sum(len(y) for _, y in micro_batches))]).double()
        dist.all_reduce(total)
        for place, (x, y) in enumerate(micro_batches):
            loss = torch.nn.functional.cross_entropy(parallel.model(x), y, reduction="sum")
            parallel.is_exchanging = exchanges(place, len(micro_batches))
            parallel.backward(loss * weigh(len(y), len(micro_batches), total))
        optimiser.step()

    return step


@pytest.mark.parametrize(
    ("weigh", "exchanges", "prop", "says"),
    [
        (
            lambda n, k, total: dist.get_world_size() / total,
            lambda place, k: True,
            "one-exchange",
            "an exchange behind every micro-batch",
        ),
        (
            lambda n, k, total: dist.get_world_size() / total,
            lambda place, k: place == 0,
            "equal",
            "Which backward has to exchange?",
        ),
        (
            lambda n, k, total: 1 / (n * k),
            lambda place, k: place == k - 1,
            "ragged",
            "every micro-batch's mean counts alike",
        ),
        (lambda n, k, total: 1 / total, lambda place, k: place == k - 1, "equal", "once more"),
    ],
)
def test_a_wrong_step_is_named(weigh, exchanges, prop, says):
    report = hand_in("no-sync", accumulated_step=_backwards(weigh, exchanges))
    assert prop in lost(report)
    assert says in fault(report, prop)


def test_a_generator_without_its_decorator_is_told():
    def plain(parallel):
        yield

    report = hand_in("no-sync", no_sync=plain)
    assert {"block", "nested"} == lost(report)
    assert "@contextmanager" in fault(report, "block")


def test_a_step_of_the_optimiser_is_one():
    report = hand_in("no-sync", accumulated_step=lambda parallel, optimiser, batches: None)
    assert {"equal", "ragged"} <= lost(report)


def test_micro_batches_that_are_put_together_are_told_of():
    def together(parallel, optimiser, micro_batches):
        accumulated_step(
            parallel, optimiser, [tuple(map(torch.cat, zip(*micro_batches, strict=True)))]
        )

    report = hand_in("no-sync", accumulated_step=together)
    assert lost(report) == {"one-by-one"}
    assert "one backward of rank 0 covers" in fault(report, "one-by-one")


def test_the_context_works_on_the_class_that_is_handed_in():
    parallel = Parallel(build("plain", 0))
    with give_no_sync(parallel):
        assert not parallel.is_exchanging
    assert parallel.is_exchanging
