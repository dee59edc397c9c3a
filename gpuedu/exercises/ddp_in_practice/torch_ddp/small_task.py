"""A small model and made-up samples for real ranks, and a data set that notes what is drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import Dataset

from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.training.seeds import generator

WIDTH, HIDDEN, CLASSES = 5, 6, 3
RATE = 0.5
MOMENTUM = 0.5


def build_model(seed: int) -> nn.Sequential:
    """A float64 model of two layers, (N, 5) to scores (N, 3), whose numbers come from the seed."""
    chance = generator(seed)
    model = nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, CLASSES)).double()
    with torch.no_grad():
        for one in model.parameters():
            one.copy_(torch.randn(one.shape, generator=chance, dtype=one.dtype) / 2)
    return model


GRADIENT_BYTES = sum(p.numel() * p.element_size() for p in build_model(0).parameters())


def make_samples(count: int, *seeds: int) -> tuple[Tensor, Tensor]:
    """Samples (count, 5) in float64, and their classes, which a model can learn in part."""
    chance = generator(*seeds)
    x = torch.randn(count, WIDTH, generator=chance, dtype=torch.float64)
    noise = torch.randn(count, CLASSES, generator=chance, dtype=torch.float64)
    return x, (2 * x[:, :CLASSES] + noise).argmax(dim=1)


def arrays_of(model: nn.Module) -> dict[str, np.ndarray]:
    """Copies of a model's parameters, by name."""
    return {name: p.detach().numpy().copy() for name, p in model.named_parameters()}


class MomentumSgd(Sgd):
    """SGD that goes on in the direction of its last steps, as long as it is one and the same."""

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        super().__init__(parameters, RATE)
        self._velocities = [torch.zeros_like(p) for p in self.param_groups[0]["params"]]

    @torch.no_grad()
    def _update(self) -> None:
        group = self.param_groups[0]
        for p, velocity in zip(group["params"], self._velocities, strict=True):
            if p.grad is not None:
                velocity.mul_(MOMENTUM).add_(p.grad)
                p -= group["lr"] * velocity


class NotingData(Dataset[Any]):
    """Samples that are drawn by their number; ``drawn`` has the numbers, in their order."""

    def __init__(self, x: Tensor, y: Tensor) -> None:
        self._x, self._y = x, y
        self.drawn: list[int] = []

    def __len__(self) -> int:
        return len(self._y)

    def __getitem__(self, index: Any) -> tuple[Tensor, Tensor]:
        """One sample and its class; or those of a slice."""
        if isinstance(index, slice):
            self.drawn += range(*index.indices(len(self)))
        else:
            self.drawn.append(range(len(self))[int(index)])
            index = int(index)
        return self._x[index], self._y[index]
