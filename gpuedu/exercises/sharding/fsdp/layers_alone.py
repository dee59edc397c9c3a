"""The same steps by one process with all weights and the whole batch."""

from __future__ import annotations

import numpy as np
import torch

from gpuedu.exercises.ranks.buffers import Buffers
from gpuedu.exercises.sharding.fsdp.flat_layers import FlatLayers, make_weights
from gpuedu.exercises.sharding.fsdp.fsdp_runs import FsdpTask, batch_of
from gpuedu.exercises.training.quiet import quiet_torch


@quiet_torch()
def train_whole_layers(task: FsdpTask) -> list[np.ndarray]:
    """What one process with the whole batch has after each step: all layers in a row."""
    weights = [torch.tensor(one) for one in make_weights(task.widths, task.seed)]
    after = []
    for number in range(task.steps):
        sums = [torch.zeros_like(one) for one in weights]
        for rank in range(task.ranks):
            memory = Buffers()
            free = [0.0] * len(weights)
            layers = FlatLayers(task.widths, free, memory, batch_of(task, number, rank))
            buffers = [memory.allocate(len(one)).copy_(one) for one in weights]
            for at, buffer in enumerate(buffers):
                layers.forward(at, buffer)
            for at in reversed(range(len(buffers))):
                gradient = memory.allocate(len(buffers[at]))
                layers.backward(at, buffers[at], gradient)
                sums[at] += gradient / task.ranks
        weights = [one - task.rate * grad for one, grad in zip(weights, sums, strict=True)]
        after.append(torch.cat(weights).numpy())
    return after


def whole_from(pieces: list[np.ndarray], task: FsdpTask) -> np.ndarray:
    """The weights of all layers in a row, from the pieces of all ranks, without padding."""
    split = [np.split(one, np.cumsum(task.pieces)[:-1]) for one in pieces]
    layers = (np.concatenate(parts) for parts in zip(*split, strict=True))
    return np.concatenate([one[:n] for one, n in zip(layers, task.counts, strict=True)])
