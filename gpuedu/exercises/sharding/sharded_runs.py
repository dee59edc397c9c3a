"""A model trained on light ranks, each of which updates a piece of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.ddp.replica_models import build, state_of
from gpuedu.exercises.ddp.replicas import State, Task, backward, models_of, shards_of
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.sharding.updates import Rule, Updates

REL = 1e-6
"""How far apart two ways to the same weight may be."""
_NEAR_ZERO = 1e-12


def train_sharded(
    step: Callable[..., Any], task: Task, rule: Rule, *, seed: int | None = None
) -> Ranked:
    """Train copies: ``results`` are each rank's states by step, and its optimizer.

    Args:
        step: ``step(weights, update)``, after every backward pass, on every rank.
        task: models and data.
        rule: of the optimizer.
        seed: of the order of ranks that could go on at the same instant.
    """
    models = models_of(task)
    shards = [shards_of(task, at) for at in range(len(task.sizes))]

    def body(rank: int) -> tuple[list[State], Updates]:
        net, updates, states = models[rank], Updates(rule), []
        for mine in (one[rank] for one in shards):
            backward(net, *mine)
            step(list(net.parameters()), updates.update)
            states.append(state_of(net))
        return states, updates

    return run_ranks(body, task.ranks, [step], seed=seed)


def weights_from_elsewhere(run: Ranked, task: Task) -> int:
    """How many trained weights of rank 0 are, after the last step, none that an update left."""
    net = build(task.kind, task.seed)
    last = run.results[0][0][-1]
    trained = [w for w, one in zip(last, net.parameters(), strict=False) if one.requires_grad]
    weights = np.concatenate([one.ravel() for one in trained])
    rows = [one.numpy() for _, updates in run.results for one in updates.updated.values()]
    left = np.sort(np.concatenate([[np.inf], *rows]))
    above = np.minimum(np.searchsorted(left, weights), len(left) - 1)  # NaN is above all
    with np.errstate(invalid="ignore"):
        nearest = np.minimum(np.abs(left[above] - weights), np.abs(left[above - 1] - weights))
    return int((~(nearest <= REL * np.abs(weights) + _NEAR_ZERO)).sum())


def pieces_of(weights: Sequence[Any], ranks: int) -> int:
    """The most numbers that a rank has to keep, if each weight is cut and padded by itself."""
    return sum(-(-one.numel() // ranks) for one in weights)
