"""What one process computes from the samples of all ranks: the truth for a run on many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import (
    RATE,
    MomentumSgd,
    arrays_of,
    build_model,
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


def update_alone(
    model: torch.nn.Module, by_rank: Sequence[Sequence[Batch]], every: int, optimiser: Sgd
) -> Updates:
    """Train a model in this process on the batches of all ranks; it is changed in place.

    Each sample of a group counts alike, and the model's gradient is the mean over the ranks.
    """
    states: list[State] = []
    losses: list[list[float]] = [[] for _ in by_rank]
    for begin in range(0, len(by_rank[0]), every):
        optimiser.zero_grad()
        for rank, batches in enumerate(by_rank):
            group = batches[begin : begin + every]
            samples = sum(len(y) for _, y in group)
            for x, y in group:
                loss = functional.cross_entropy(model(x), y, reduction="sum")
                (loss / samples / len(by_rank)).backward()
                losses[rank].append(loss.item())
        optimiser.step()
        states.append(arrays_of(model))
    sizes = tuple(len(y) for _, y in by_rank[0])
    return Updates(tuple(states), tuple(map(tuple, losses)), sizes)


def epoch_alone(task: EpochTask, ranks: int) -> Updates:
    """An epoch of one process with the batches that ``ranks`` ranks have."""
    by_rank = [task.batches(rank) for rank in range(ranks)]
    model = build_model(task.seed)
    return update_alone(model, by_rank, task.every, Sgd(model.parameters(), RATE))


def train_alone(
    seed: int,
    samples: Batch,
    draws: Sequence[Sequence[Sequence[int]]],
    batch: int,
    every: int,
) -> tuple[State, list[float]]:
    """Train one process on what ranks drew.

    Args:
        seed: of the model.
        samples: all of them, and their classes.
        draws: numbers of samples, by epoch and rank; ranks drew as many.
        batch: samples of a rank's batch; the last of an epoch may have fewer.
        every: batches of a group.

    Returns:
        The state at the end, and each epoch's mean loss.
    """
    model, (x, y), losses = build_model(seed), samples, []
    optimiser = MomentumSgd(model.parameters())
    for epoch in draws:
        places = [range(0, len(mine), batch) for mine in epoch]
        by_rank = [
            [(x[list(mine[at : at + batch])], y[list(mine[at : at + batch])]) for at in begins]
            for mine, begins in zip(epoch, places, strict=True)
        ]
        losses.append(update_alone(model, by_rank, every, optimiser).loss)
    return arrays_of(model), losses
