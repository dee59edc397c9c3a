"""One step watched by itself, and steps out of a run."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy

from gpuedu.training import MLP, Batches, SimulatedOutOfMemoryError, load_digits, train
from gpuedu.training.memory import MemoryHook, end_of, ledger_at, peak, watch_step


@pytest.fixture
def model():
    return MLP(64, 10)


@pytest.fixture
def batch():
    return torch.rand(32, 64), torch.randint(10, (32,))


@pytest.mark.parametrize(("momentum", "copies"), [(0.0, 0), (0.9, 1)])
def test_after_the_warm_up_the_optimizers_state_is_there_before_the_step(
    model, batch, momentum, copies
):
    sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
    trace = watch_step(model, batch, cross_entropy, sgd)
    ledger = ledger_at(trace, end_of(trace, "forward"))
    assert ledger.of_kind("optimizer") == copies * ledger.of_kind("weights")
    assert [mark.phase for mark in trace.marks] == ["forward", "backward", "update"]
    assert peak(trace).phase == "backward"


def test_without_a_warm_up_the_state_comes_with_the_update(model, batch):
    adam = torch.optim.Adam(model.parameters())
    trace = watch_step(model, batch, cross_entropy, adam, warmup=0)
    weights = ledger_at(trace, end_of(trace, "forward")).of_kind("weights")
    assert ledger_at(trace, end_of(trace, "backward")).of_kind("optimizer") == 0
    assert ledger_at(trace, end_of(trace, "update")).of_kind("optimizer") == 2 * weights + 4 * 4


def test_a_step_past_the_budget_leaves_the_model_usable(model, batch):
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(SimulatedOutOfMemoryError):
        watch_step(model, batch, cross_entropy, sgd, budget_bytes=60_000)
    assert all(parameter.grad is None for parameter in model.parameters())
    small = batch[0][:2], batch[1][:2]
    assert (
        watch_step(model, small, cross_entropy, sgd, budget_bytes=160_000).budget_bytes == 160_000
    )


def test_a_hook_watches_the_steps_that_were_asked_for_and_tells_what_was_loaded(model):
    hook = MemoryHook(steps=(1, 3))
    adam = torch.optim.Adam(model.parameters())
    batches = Batches(load_digits().train, 50)
    history = train(model, batches, cross_entropy, adam, steps=5, hooks=[hook])
    assert sorted(hook.traces) == [1, 3]
    one, three = (ledger_at(trace, end_of(trace, "forward")) for trace in hook.traces.values())
    assert one.of_kind("batch") == 50 * 64 * 4 + 50 * 8
    assert one.of_kind("optimizer") == three.of_kind("optimizer") > 0
    assert one.of_kind("activations") == three.of_kind("activations") > 0
    again = MLP(64, 10)
    again.load_state_dict(model.state_dict())
    assert len(history) == 5 and not any(m._forward_hooks for m in model.modules())


def test_a_hooks_budget_ends_the_run_and_keeps_what_was_done_and_seen(model):
    hook = MemoryHook(steps=range(9), budget_bytes=200_000)
    sgd = torch.optim.SGD(model.parameters(), lr=0.1)
    digits = load_digits().train
    pairs = [(digits.inputs[:n], digits.targets[:n]) for n in (8, 16, 1000)]
    with pytest.raises(torch.OutOfMemoryError) as caught:
        train(model, pairs, cross_entropy, sgd, steps=9, hooks=[hook])
    assert len(caught.value.history) == 2
    assert sorted(hook.traces) == [0, 1, 2]
    assert hook.traces[2].marks[-1].phase == "forward"
