"""Hooks are told of each phase, and the timer's phases lie end to end."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import cross_entropy

from gpuedu.training import MLP, Hook, PhaseTimer, stopwatch, train

PAIR = (torch.rand(4, 8), torch.tensor([0, 1, 2, 0]))


def _train(hooks, loss=cross_entropy, steps=2):
    model = MLP(8, 3)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    return train(model, [PAIR], loss, optimiser, steps=steps, hooks=hooks)


class _Log(Hook):
    def __init__(self, log, name="", *, fails=False):
        self.log, self.name, self.fails = log, name, fails

    def start(self, model, optimiser):
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


def test_the_timers_phases_lie_end_to_end(monkeypatch):
    ticks = iter(range(1000))
    monkeypatch.setattr(stopwatch.time, "perf_counter", lambda: float(next(ticks)))
    timer = PhaseTimer()
    history = _train([timer])
    assert [(t.step, t.phase) for t in timer.times[:5]] == [
        (0, "load"), (0, "forward"), (0, "backward"), (0, "update"), (1, "load"),
    ]  # fmt: skip
    assert timer.times[0].start_s == 0
    for before, after in zip(timer.times, timer.times[1:], strict=False):
        assert before.start_s + before.time_s == after.start_s
    # A step: its own first mark, four of the timer, its own last.
    assert history.times_s == (5.0, 5.0)


def test_a_run_that_breaks_off_is_timed_up_to_there():
    def broken(outputs, targets):
        raise RuntimeError("no")

    timer = PhaseTimer()
    with pytest.raises(RuntimeError):
        _train([timer], loss=broken)
    assert [time.phase for time in timer.times] == ["load", "forward"]
