"""Steps to sweep learning rates over: losses by script, a small made-up network, real digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.training.tensors import as_number

LOWEST, HIGHEST, RUNGS = 0.01, 10.0, 200
"""What the lesson sweeps over on digits."""
BATCHES = (32, 1024)

GROUP_RATES = (0.1, 0.05, 0.02)
"""Of the bench's parameter groups, before a sweep."""
_INPUTS, _WIDTH, _CLASSES, _BATCH = 6, 12, 4, 16
_USED_FOR = 3


@dataclass(frozen=True)
class Task:
    """A network with batch norm, trained in three groups with rates of their own; float64.

    ``optimizer`` is "SGD" (with momentum) or "Adam"; a ``used`` one has taken some steps. The step
    ``breaks_at`` raises an error, -1 for none.
    """

    optimizer: str = "SGD"
    used: bool = True
    breaks_at: int = -1
    seed: int = 0


class Script:
    """A ``take_step`` whose losses are given; it remembers the rates, at most ``len(losses)``."""

    def __init__(self, losses: Sequence[float]) -> None:
        self.losses = losses
        self.rates: list[float] = []

    def __call__(self, rate: Any) -> float:
        """The next loss. Raises AnswerError where there is none left."""
        if len(self.rates) == len(self.losses):
            count = len(self.losses)
            raise AnswerError(
                f"`take_step` was called more than {count} times, with `count` = {count}",
                remedy="one step for each rate, from the first on",
            )
        self.rates.append(as_number(rate, "the rate that `take_step` got"))
        return self.losses[len(self.rates) - 1]


class Bench:
    """The task's network, its optimizer, and ``step``, which takes a step and remembers rates."""

    def __init__(self, task: Task) -> None:
        import torch
        from torch import nn

        from gpuedu.training.seeds import generator

        self.task, self.chance = task, generator(41, task.seed)
        first, norm = nn.Linear(_INPUTS, _WIDTH), nn.BatchNorm1d(_WIDTH)
        body = nn.Sequential(first, norm, nn.ReLU())
        head = nn.Linear(_WIDTH, _CLASSES)
        self.model = nn.Sequential(body, head).double()
        with torch.no_grad():
            for weights in self.model.parameters():
                noise = torch.randn(weights.shape, generator=self.chance, dtype=torch.float64)
                weights.copy_(noise / 3 if weights.ndim == 2 else 1 + 0.1 * noise)
        groups = [
            {"params": list(part.parameters()), "lr": rate}
            for part, rate in zip((first, norm, head), GROUP_RATES, strict=True)
        ]
        adam = task.optimizer == "Adam"
        kind, more = (torch.optim.Adam, {}) if adam else (torch.optim.SGD, {"momentum": 0.9})
        self.optimizer = kind(groups, lr=0.1, **more)
        self.rates: list[tuple[float, ...]] = []
        self.error: BaseException | None = None
        self.has_broken = False
        for _ in range(_USED_FOR if task.used else 0):
            self._train()

    def step(self) -> float:
        """One step on a new batch; its loss. Raises ``error``, if there is one, at its place."""
        if self.error is not None and len(self.rates) == self.task.breaks_at:
            self.has_broken = True
            raise self.error
        rates = tuple(
            as_number(group["lr"], f"the rate of parameter group {place}")
            for place, group in enumerate(self.optimizer.param_groups)
        )
        self.rates.append(rates)
        return self._train()

    def _train(self) -> float:
        import torch
        from torch.nn.functional import cross_entropy

        x = torch.randn(_BATCH, _INPUTS, generator=self.chance, dtype=torch.float64)
        y = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0)
        self.optimizer.zero_grad()
        loss = cross_entropy(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def state(self) -> dict[str, Any]:
        """All that a sweep may change, copied, by the words that a card has for it."""
        buffers = {name for name, _ in self.model.named_buffers()}
        own = set(map(id, self.model.parameters()))
        updated = [id(one) for group in self.optimizer.param_groups for one in group["params"]]
        whole, optimizer = deepcopy((self.model.state_dict(), self.optimizer.state_dict()))
        return {
            "the weights": {k: v for k, v in whole.items() if k not in buffers},
            "the statistics of batch norm": {k: v for k, v in whole.items() if k in buffers},
            "the optimizer's state, such as momentum": optimizer["state"],
            "the learning rates": [group["lr"] for group in optimizer["param_groups"]],
            "which weights the optimizer updates": [one in own for one in updated],
            "training or evaluation mode": [one.training for one in self.model.modules()],
            "which weights get gradients": [one.requires_grad for one in self.model.parameters()],
        }

    def changed_since(self, before: dict[str, Any]) -> list[str]:
        """What is no longer as it was, in the same words."""
        now = self.state()
        return [name for name, part in before.items() if not is_same(part, now[name])]


def is_same(one: Any, other: Any) -> bool:
    """Whether two nested states are equal, bit for bit.

    >>> is_same({"a": [1.0, 2]}, {"a": [1.0, 2]}), is_same({"a": 1}, {})
    (True, False)
    """
    import torch

    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return type(one) is type(other) and one == other


def digits_step(batch: int, seed: int = 0) -> tuple[Any, Any, Callable[[], float]]:
    """A small network on digits, SGD over it, and a function that takes a step with a batch."""
    from gpuedu.experiments.rate_finder import Trial

    trial = Trial(batch, seed)
    return trial.model, trial.optimizer, trial.step


class Swept:
    """``take_step`` on digits, which remembers what it was called with and what came out."""

    def __init__(self, batch: int, seed: int = 0) -> None:
        _, self.optimizer, self.step = digits_step(batch, seed)
        self.rates: list[float] = []
        self.losses: list[float] = []

    def __call__(self, rate: Any) -> float:
        """Take a step with this rate, and return the loss from before it."""
        wanted = as_number(rate, "the rate that `take_step` got")
        if len(self.rates) >= 2 * RUNGS:
            raise AnswerError(f"`take_step` was called more than {2 * RUNGS} times")
        for group in self.optimizer.param_groups:
            group["lr"] = wanted
        self.rates.append(wanted)
        self.losses.append(self.step())
        return self.losses[-1]
