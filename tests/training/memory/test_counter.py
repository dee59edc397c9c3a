"""Storages, each counted once from its birth to its end, and the budget."""

from __future__ import annotations

import pytest
import torch

from gpuedu.training.errors import SimulatedOutOfMemoryError
from gpuedu.training.memory.counter import LiveCounter

CPU = torch.device("cpu")


def test_views_in_place_operations_and_out_make_nothing_new():
    with LiveCounter(CPU) as counter:
        a = torch.zeros(10, 10)
        assert counter.live_bytes == 400
        b = a.t()[2:].unfold(0, 3, 2).detach()
        a.add_(1).mul_(2)
        torch.add(a, 1, out=a)
        c = a.expand(5, 10, 10)
        assert counter.live_bytes == 400, (b, c)
        d = c.contiguous()
    assert counter.live_bytes == 400 + d.nbytes


def test_a_storage_ends_with_its_last_view():
    with LiveCounter(CPU) as counter:
        whole = torch.zeros(100)
        part = whole[:1]
        del whole
        assert counter.live_bytes == 400
        del part
        assert counter.live_bytes == 0
        torch.zeros(7)
    assert [(block.born, block.freed) for block in counter.blocks] == [(0, 1), (2, 3)]


def test_a_view_of_what_came_from_outside_is_nothing_new():
    data = torch.zeros(1000)
    with LiveCounter(CPU) as counter:
        batch = data[:10]
        copied = data[torch.tensor([1, 2])]
        assert batch.nbytes == 40
    assert [block.size_bytes for block in counter.blocks if block.freed is None] == [copied.nbytes]


def test_backwards_own_results_are_seen_and_freed():
    weights = torch.ones(50, 50, requires_grad=True)
    with LiveCounter(CPU) as counter:
        loss = (weights * 2).exp().sum()
        during = counter.live_bytes
        loss.backward()
        assert during == 10_000 + 4  # exp's result; its input is saved by nobody
        assert counter.live_bytes == 10_000 + 4  # the gradient, the loss


def test_a_tensor_made_of_a_list_is_new():
    with LiveCounter(CPU) as counter:
        made = torch.tensor([1.0, 2.0, 3.0])
        again = torch.as_tensor(made)
    assert counter.live_bytes == 12 and again is made


def test_other_devices_are_not_counted():
    with LiveCounter(CPU) as counter:
        torch.empty(10, device="meta")
    assert counter.blocks == []


def test_past_the_budget_it_raises_as_a_full_gpu_does_and_lets_go_of_the_rest():
    with LiveCounter(CPU, budget_bytes=1000) as counter:
        kept = torch.zeros(200)
        with pytest.raises(torch.OutOfMemoryError, match="by count") as caught:
            torch.zeros(51)
        fault = caught.value
        assert isinstance(fault, SimulatedOutOfMemoryError)
        assert (fault.requested_bytes, fault.in_use_bytes, fault.budget_bytes) == (204, 800, 1000)
        assert counter.live_bytes == 800
        exact = torch.zeros(50)
        assert counter.live_bytes == 1000
        del exact, kept
        assert torch.zeros(250).nbytes == 1000


def test_after_it_is_closed_the_ends_of_storages_leave_no_mark():
    with LiveCounter(CPU) as counter:
        kept = torch.zeros(5)
    counter.close()
    del kept
    assert counter.blocks[0].freed is None and counter.block_of(torch.zeros(5)) is None
