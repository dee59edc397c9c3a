"""What is trained on, and what a run of many updates leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import (
    make_samples,
)

Batch = tuple[Tensor, Tensor]
State = dict[str, np.ndarray]


@dataclass(frozen=True)
class Updates:
    """What a run left: the state behind each update, and each batch's summed loss, by rank."""

    states: tuple[State, ...]
    losses: tuple[tuple[float, ...], ...]
    sizes: tuple[int, ...]

    @property
    def loss(self) -> float:
        """The mean over all samples of all ranks."""
        return sum(map(sum, self.losses)) / (len(self.losses) * sum(self.sizes))


@dataclass(frozen=True)
class EpochTask:
    """Batches for one epoch of two ranks.

    Attributes:
        sizes: samples of each batch, the same on every rank.
        every: how many batches make a group.
        seed: of the model and of the samples.
    """

    sizes: tuple[int, ...]
    every: int
    seed: int

    def batches(self, rank: int) -> list[Batch]:
        """Those of a rank."""
        return [make_samples(n, self.seed, rank, at) for at, n in enumerate(self.sizes)]

    def __str__(self) -> str:
        """As a card names it."""
        sizes = ", ".join(map(str, self.sizes))
        return f"batches of {sizes} samples, {self.every} a group"
