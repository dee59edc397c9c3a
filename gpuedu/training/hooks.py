"""Callbacks of the training loop."""

from __future__ import annotations

from torch import nn
from torch.optim import Optimizer

PHASES = ("load", "forward", "backward", "update")
"""The phases of a step, in order."""


class Hook:
    """Callbacks that ``train`` makes during a run: override what you need."""

    def start(self, model: nn.Module, optimizer: Optimizer) -> None:
        """The run begins."""

    def enter(self, phase: str, step: int) -> None:
        """A phase of ``PHASES`` begins; the one before it is over. ``load`` begins a step."""

    def stop(self) -> None:
        """The run is over, possibly by an error or an interruption."""
