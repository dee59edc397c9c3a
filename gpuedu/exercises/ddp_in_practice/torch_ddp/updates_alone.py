"""What one process computes from the samples of all ranks: the truth for a run on many."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch.nn import functional

from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.ddp_in_practice.torch_ddp.one_process import Batch, EpochTask, State, Updates
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import (
    RATE,
    MomentumSgd,
    arrays_of,
    build_model,
)


def update_alone(
    model: torch.nn.Module, by_rank: Sequence[Sequence[Batch]], every: int, optimizer: Sgd
) -> Updates:
    """Train a model in this process on the batches of all ranks; it is changed in place.

    Each sample of a group counts alike, and the model's gradient is the mean over the ranks.
    """
    states: list[State] = []
    losses: list[list[float]] = [[] for _ in by_rank]
    for begin in range(0, len(by_rank[0]), every):
        optimizer.zero_grad()
        for rank, batches in enumerate(by_rank):
            group = batches[begin : begin + every]
            samples = sum(len(y) for _, y in group)
            for x, y in group:
                loss = functional.cross_entropy(model(x), y, reduction="sum")
                (loss / samples / len(by_rank)).backward()
                losses[rank].append(loss.item())
        optimizer.step()
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
    optimizer = MomentumSgd(model.parameters())
    for epoch in draws:
        places = [range(0, len(mine), batch) for mine in epoch]
        by_rank = [
            [(x[list(mine[at : at + batch])], y[list(mine[at : at + batch])]) for at in begins]
            for mine, begins in zip(epoch, places, strict=True)
        ]
        losses.append(update_alone(model, by_rank, every, optimizer).loss)
    return arrays_of(model), losses
