"""Copies that train together: models, runs, bytes, and what a card says of a slip."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy

from gpuedu.exercises.contract import Undecided
from gpuedu.exercises.ddp.held_forwards import HeldForwards
from gpuedu.exercises.ddp.replica_models import KINDS, Net, build, names_of, state_of
from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.multi import network, run_light
from gpuedu.multi.exchanges import wire_bytes
from tests.exercises.stored import solution_answers


def faults(exercise, **other):
    """Of the solution with some answers replaced: what the card says of each property lost."""
    report = examine(load(exercise), list((solution_answers(exercise) | other).values()))
    return {one.property.name: one.fault for one in report.results if one.fault}


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


def test_sgd_is_pytorchs():
    mine, theirs = (build("heads", 3) for _ in range(2))
    pair = Sgd(mine.parameters(), 0.5), torch.optim.SGD(theirs.parameters(), lr=0.5)
    x = torch.ones(2, 6, dtype=torch.float64)
    for net, optimizer in zip((mine, theirs), pair, strict=True):
        for step in range(2):
            optimizer.zero_grad(set_to_none=step == 0)
            net(x).square().sum().backward()
            optimizer.step()
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
    assert wire_bytes(run_light(on_rank, ranks).exchanges) == pytest.approx(wanted)


def test_a_step_of_copies_that_began_apart_is_undecided():
    found = faults("naive-ddp", start=lambda model: None)
    assert set(found) == {"start", "equal"}
    assert isinstance(found["equal"], Undecided)
    wanted = "after `start`, on rank 1, among the parameters, `inner.weight[0, 0]` is "
    assert found["start"].message.startswith(wanted)


def test_a_gradient_that_is_none_is_no_tensor_to_exchange():
    def average(model, samples):
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()

    assert "calls all_reduce with None" in faults("naive-ddp", average=average)["shared"].message


def test_twice_the_bytes_are_counted():
    average = solution_answers("naive-ddp")["average"]

    def twice(model, samples):
        average(model, samples)
        average(model, 1)

    assert set(faults("naive-ddp", average=twice)) == {"bytes"}


def test_a_generator_without_its_decorator_is_told():
    def plain(parallel):
        yield

    found = faults("no-sync", no_sync=plain)
    assert set(found) == {"block", "nested"}
    assert "@contextmanager" in found["block"].cause


def test_micro_batches_that_are_put_together_are_told_of():
    accumulated_step = solution_answers("no-sync")["accumulated_step"]

    def together(parallel, optimizer, micro_batches):
        whole = tuple(map(torch.cat, zip(*micro_batches, strict=True)))
        accumulated_step(parallel, optimizer, [whole])

    found = faults("no-sync", accumulated_step=together)
    assert set(found) == {"one-by-one"}
    assert "rank 0 held the forward passes of" in found["one-by-one"].message


def test_forward_passes_that_wait_for_each_other_are_told_of():
    """Each has a backward pass of its own, but all of them are in memory at once."""

    def all_forwards_first(parallel, optimizer, micro_batches):
        samples = sum(len(y) for _, y in micro_batches)
        total = torch.tensor(float(samples))
        dist.all_reduce(total)
        optimizer.zero_grad()
        losses = [cross_entropy(parallel.model(x), y, reduction="sum") for x, y in micro_batches]
        parallel.is_exchanging = False
        for place, loss in enumerate(losses, 1):
            parallel.is_exchanging = place == len(losses)
            parallel.backward(loss * dist.get_world_size() / total)
        optimizer.step()

    assert set(faults("no-sync", accumulated_step=all_forwards_first)) == {"one-by-one"}


def test_a_forward_pass_whose_graph_is_dropped_is_not_held():
    net = torch.nn.Linear(2, 1)
    held = HeldForwards(net)
    for _ in range(3):
        net(torch.ones(4, 2)).sum()
    assert held.most == 4
    with torch.no_grad():
        net(torch.ones(9, 2))
    assert held.most == 4
    net(torch.ones(3, 2)).sum().backward()
    kept = [net(torch.ones(count, 2)) for count in (3, 3)]
    assert held.most == 6
    assert len(kept) == 2
