"""Copies of a model on light ranks, trained by the learner's functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from gpuedu.exercises.ddp.replica_models import (
    HEADS,
    WIDTH,
    build,
    classes_of,
    names_of,
    state_of,
)
from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.ranks.properties import Held
from gpuedu.training.seeds import generator

RATE = 0.5
State = list[np.ndarray]


@dataclass(frozen=True)
class Task:
    """A run of training steps.

    Attributes:
        kind: the model, one of ``replica_models.KINDS``.
        sizes: samples by step and rank.
        seed: of models and data.
        apart: whether every rank's model begins with numbers of its own.
    """

    kind: str
    sizes: tuple[tuple[int, ...], ...]
    seed: int = 0
    apart: bool = False

    @property
    def ranks(self) -> int:
        """How many."""
        return len(self.sizes[0])

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Task:
        """From what a case holds."""
        return cls(**(fields | {"sizes": tuple(tuple(row) for row in fields["sizes"])}))


def models_of(task: Task) -> list[Any]:
    """A model for each rank; in their order, since ranks are threads of one process."""
    return [build(task.kind, task.seed + rank * task.apart) for rank in range(task.ranks)]


def shards_of(task: Task, step: int) -> list[tuple[Any, Any]]:
    """Each rank's samples and targets. A rank's samples take one head, another one every step."""
    shards = []
    for rank, count in enumerate(task.sizes[step]):
        chance = generator(task.seed, step, rank)
        x = torch.randn(count, WIDTH, generator=chance, dtype=torch.float64)
        route = torch.full((count, 1), float((rank + step) % (HEADS - 1)), dtype=torch.float64)
        y = torch.randint(classes_of(task.kind), (count,), generator=chance)
        shards.append((torch.cat([route, x], dim=1), y))
    return shards


def backward(net: Any, x: Any, y: Any) -> None:
    """Fresh gradients of the mean loss; none at all without samples."""
    net.zero_grad(set_to_none=True)
    if len(y):
        functional.cross_entropy(net(x), y).backward()


def train_ranks(
    start: Callable[..., Any],
    average: Callable[..., Any],
    task: Task,
    *,
    steps: int | None = None,
    cluster: Any = None,
    seed: int | None = None,
) -> Ranked:
    """Train copies: ``results`` are each rank's states, first the one after ``start``.

    Args:
        start: ``start(model)``, once on each rank.
        average: ``average(model, samples)``, after every backward pass.
        task: models and data.
        steps: how many; by default all.
        cluster: where the ranks are.
        seed: of the order of ranks that could go on at the same instant.
    """
    models = models_of(task)
    shards = [shards_of(task, step) for step in range(len(task.sizes))][:steps]

    def body(rank: int) -> list[State]:
        net = models[rank]
        made_with = list(net.parameters())
        start(net)
        # Of the parameters from before, which an optimizer may have: they should hold the numbers.
        states = [state_of(net, made_with)]
        optimizer = Sgd(net.parameters(), RATE)
        for mine in (step[rank] for step in shards):
            backward(net, *mine)
            average(net, len(mine[1]))
            optimizer.step()
            states.append(state_of(net))
        return states

    return run_ranks(body, task.ranks, [start, average], cluster=cluster, seed=seed)


def held(where: str, kind: str, got: State, wanted: State, *, rel: float = 0.0) -> Iterator[Held]:
    """Every tensor of a model, and what it should be; ``rel`` is of the largest number in it."""
    room = rel * max(np.abs(one).max() for one in wanted)
    for (group, name), mine, true in zip(names_of(kind), got, wanted, strict=True):
        yield Held(f"{where}, among the {group}", name, mine, true, room)
