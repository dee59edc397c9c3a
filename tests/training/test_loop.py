"""The training loop: the same steps as by hand, reproducible, interruptible, clear about faults."""

from __future__ import annotations

import copy
import signal

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from gpuedu.training import MLP, Batches, Hook, Split, TrainingError, seed_all, train
from gpuedu.training.errors import (
    BatchSizeError,
    DataEndedError,
    LossError,
    NoParametersError,
    NotFiniteError,
    OutputShapeError,
)


@pytest.fixture
def split():
    chance = torch.Generator().manual_seed(0)
    return Split(torch.rand(70, 8, generator=chance), torch.randint(3, (70,), generator=chance))


def _model(seed=0, **options):
    seed_all(seed)
    model = MLP(8, 3, hidden=(16,), **options)
    return model, torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)


def test_it_takes_the_same_steps_as_a_loop_by_hand(split):
    model, optimizer = _model()
    by_hand = copy.deepcopy(model)
    sgd = torch.optim.SGD(by_hand.parameters(), lr=0.3, momentum=0.9)
    batches = Batches(split, 32, seed=5)
    history = train(model, Batches(split, 32, seed=5), cross_entropy, optimizer, steps=5)
    coming = [pair for _ in range(2) for pair in batches][:5]
    for record, (inputs, targets) in zip(history.steps, coming, strict=True):
        sgd.zero_grad()
        loss = cross_entropy(by_hand(inputs), targets)
        loss.backward()
        sgd.step()
        assert record.loss == loss.item()
        assert record.samples == len(targets)
        assert record.learning_rate == 0.3 and record.time_s > 0
    for mine, theirs in zip(model.parameters(), by_hand.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_the_same_seed_gives_the_same_run_and_another_one_another(split):
    def losses(seed):
        model, optimizer = _model(seed, dropout=0.3)
        batches = Batches(split, 16, seed=seed)
        return train(model, batches, cross_entropy, optimizer, steps=8).losses

    assert losses(1) == losses(1) != losses(2)


def test_the_learning_rate_of_a_step_is_the_one_it_was_taken_with(split):
    model, optimizer = _model()
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    batches = Batches(split, 16)
    history = train(model, batches, cross_entropy, optimizer, steps=5, scheduler=scheduler)
    assert tuple(step.learning_rate for step in history.steps) == (0.3, 0.3, 0.15, 0.15, 0.075)


class _Interrupt(Hook):
    def __init__(self, phase, step):
        self.when = (phase, step)
        self.stopped = 0

    def enter(self, phase, step):
        if (phase, step) == self.when:
            raise KeyboardInterrupt

    def stop(self):
        self.stopped += 1


@pytest.mark.parametrize("phase", ["load", "forward", "backward", "update"])
def test_an_interruption_keeps_what_was_done_and_a_run_can_go_on(split, phase):
    model, optimizer = _model()
    reference, other = _model()
    batches, again = Batches(split, 70, seed=1), Batches(split, 70, seed=1)
    hook = _Interrupt(phase, 3)
    first = train(model, batches, cross_entropy, optimizer, steps=10, hooks=[hook])
    assert first.interrupted and len(first) == 3 and hook.stopped == 1
    assert all(parameter.grad is None for parameter in model.parameters())
    batches.passes = 3  # the place in the data: the batch at hand was not trained on
    second = train(model, batches, cross_entropy, optimizer, steps=4)
    whole = train(reference, again, cross_entropy, other, steps=7)
    assert first.losses + second.losses == whole.losses


@pytest.mark.usefixtures("interruptible")
def test_an_update_is_finished_before_an_interruption_is_heard(split):
    class Stopped(torch.optim.SGD):
        def step(self, closure=None):
            if len(self.state) and not self.param_groups[0].get("rung"):
                self.param_groups[0]["rung"] = True
                signal.raise_signal(signal.SIGINT)
            return super().step(closure)

    model, _ = _model()
    optimizer = Stopped(model.parameters(), lr=0.3, momentum=0.9)
    handler = signal.getsignal(signal.SIGINT)
    history = train(model, Batches(split, 35), cross_entropy, optimizer, steps=9)
    assert history.interrupted and len(history) == 2
    assert signal.getsignal(signal.SIGINT) is handler
    reference, other = _model()
    train(reference, Batches(split, 35), cross_entropy, other, steps=2)
    for mine, theirs in zip(model.parameters(), reference.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def _not_a_number(outputs, targets):
    return cross_entropy(outputs, targets) * torch.nan


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"model": lambda: nn.Sequential(nn.Linear(8, 2))}, OutputShapeError),
        ({"loss": lambda outputs, targets: cross_entropy(outputs, targets).item()}, LossError),
        (
            {"loss": lambda o, t: cross_entropy(o, t, reduction="none")},
            LossError,
        ),
        ({"loss": _not_a_number}, NotFiniteError),
        ({"batches": lambda split: (pair for pair in [])}, DataEndedError),
        ({"batches": lambda split: [(split.inputs[:0], split.targets[:0])]}, BatchSizeError),
        ({"optimizer": lambda model: torch.optim.SGD([{"params": []}], lr=1)}, NoParametersError),
    ],
)
def test_bad_input_is_named_before_anything_is_changed(split, change, fault):
    seed_all(0)
    model = change.get("model", lambda: MLP(8, 3))()
    before = copy.deepcopy(model.state_dict())
    make = change.get("optimizer", lambda model: torch.optim.SGD(model.parameters(), lr=0.1))
    batches = change.get("batches", lambda split: Batches(split, 10))(split)
    with pytest.raises(fault) as caught:
        train(model, batches, change.get("loss", cross_entropy), make(model), steps=3)
    assert isinstance(caught.value, TrainingError) and caught.value.remedy
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])


def test_a_loader_that_stops_early_leaves_the_steps_before_it(split):
    model, optimizer = _model()
    pairs = list(Batches(split, 10))
    with pytest.raises(DataEndedError, match="ended after 4") as caught:
        train(model, iter(pairs[:4]), cross_entropy, optimizer, steps=9)
    assert len(caught.value.history) == 4


def test_nan_after_the_first_step_is_recorded_not_refused(split):
    model, optimizer = _model()
    optimizer.param_groups[0]["lr"] = 1e30
    history = train(model, Batches(split, 10), cross_entropy, optimizer, steps=6)
    assert len(history) == 6 and history.losses[-1] != history.losses[-1]


def test_no_steps_is_an_empty_history(split):
    model, optimizer = _model()
    assert train(model, Batches(split, 10), cross_entropy, optimizer, steps=0).losses == ()
