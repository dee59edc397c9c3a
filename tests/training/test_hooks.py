"""Hooks are told of each phase."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy

from gpuedu.training import MLP, Hook, train

PAIR = (torch.rand(4, 8), torch.tensor([0, 1, 2, 0]))


def _train(hooks, loss=cross_entropy, steps=2):
    model = MLP(8, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return train(model, [PAIR], loss, optimizer, steps=steps, hooks=hooks)


class _Log(Hook):
    def __init__(self, log, name="", *, fails=False):
        self.log, self.name, self.fails = log, name, fails

    def start(self, model, optimizer):
        self.log.append(f"start{self.name}")
        if self.fails:
            raise RuntimeError("no")

    def enter(self, phase, step):
        self.log.append((phase, step))

    def stop(self):
        self.log.append(f"stop{self.name}")


def test_each_phase_of_each_step_is_told_in_order():
    log = []
    _train([_Log(log)])
    phases = [(p, s) for s in range(2) for p in ("load", "forward", "backward", "update")]
    assert log == ["start", *phases, "stop"]


def test_hooks_that_were_started_are_stopped_last_first_whatever_happens():
    log = []
    with pytest.raises(RuntimeError):
        _train([_Log(log, "a"), _Log(log, "b", fails=True), _Log(log, "c")])
    assert log == ["starta", "startb", "stopb", "stopa"]
