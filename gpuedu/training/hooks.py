"""What can be told of a training run while it goes: hooks, and the times of its phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import nn
from torch.optim import Optimizer

from gpuedu.training.parameters import device_of
from gpuedu.training.stopwatch import Stopwatch

PHASES = ("load", "forward", "backward", "update")
"""The phases of a step, in order."""


class Hook:
    """Told of a run by ``train``: override what you need."""

    def start(self, model: nn.Module, optimiser: Optimizer) -> None:
        """The run begins."""

    def enter(self, phase: str, step: int) -> None:
        """A phase of ``PHASES`` begins; the one before it is over. ``load`` begins a step."""

    def stop(self) -> None:
        """The run is over, also by an error or an interruption."""


@dataclass(frozen=True)
class PhaseTime:
    """A phase of a step: when it began, from the start of the run, and how long it took."""

    step: int
    phase: str
    start_s: float
    time_s: float


class PhaseTimer(Hook):
    """Times each phase; read ``times`` after the run.

    On a GPU these are times of the device, which runs behind the host: the time in which the host
    waits for a batch shows as the device's ``load``.
    """

    def __init__(self) -> None:
        self.times: tuple[PhaseTime, ...] = ()
        self._marks: list[tuple[int, str, Any]] = []

    def start(self, model: nn.Module, optimiser: Optimizer) -> None:
        """Forget the run before."""
        self._watch = Stopwatch(device_of(model))
        self._marks = []

    def enter(self, phase: str, step: int) -> None:
        """Mark the moment."""
        self._marks.append((step, phase, self._watch.mark()))

    def stop(self) -> None:
        """Read the marks; a phase that an error cut short counts up to that."""
        ends = [mark for _, _, mark in self._marks[1:]] + [self._watch.mark()]
        between = self._watch.seconds
        self.times = tuple(
            PhaseTime(step, phase, between(self._marks[0][2], mark), between(mark, end))
            for (step, phase, mark), end in zip(self._marks, ends, strict=False)
        )
