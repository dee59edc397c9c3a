"""The runs of accelerate-it in one process and in plain PyTorch: what they should be equal to."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional

from gpuedu.exercises.hugging_face.accelerate_it.runs import (
    RankUpdates,
    RunTask,
    build,
    loader_of,
    optimizer_of,
    samples,
)
from gpuedu.exercises.hugging_face.reader import weights_of

MAX_NORM = 1.0


def train_in_one(task: RunTask, rates: Sequence[float] | None = None) -> RankUpdates:
    """The whole run: the batches that all ranks have in an update make one group.

    Args:
        task: the run; it is not stopped here.
        rates: of the updates, if other ones than the schedule's.
    """
    model = build(task.seed, task.loud)
    optimizer, scheduler = optimizer_of(model, task.updates)
    batches, size = list(loader_of(task)), task.ranks * task.size
    groups = [batches[first : first + size] for first in range(0, len(batches), size)]
    found = RankUpdates([], [])
    for at, group in enumerate(groups * task.epochs):
        optimizer.zero_grad()
        for x, y in group:
            (functional.cross_entropy(model(x), y) / len(group)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), MAX_NORM)
        if rates is not None:
            optimizer.param_groups[0]["lr"] = rates[at]
        found.rates.append(float(optimizer.param_groups[0]["lr"]))
        optimizer.step()
        scheduler.step()
        found.weights.append(weights_of(model))
    return found


def accuracy_in_one(count: int, seed: int) -> float:
    """Of the model that ``evaluate`` gets, over all samples, without dropout."""
    model = build(seed).eval()
    x, y = samples(count, seed).tensors
    with torch.no_grad():
        return float((model(x).argmax(-1) == y).double().mean())
