"""Runs of the learner's functions with Accelerate on light ranks, and what they are made of."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from gpuedu.exercises.hugging_face.light_accelerate import accelerate_lent, light_accelerator
from gpuedu.exercises.hugging_face.reader import weights_of
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.training.seeds import generator

WIDTH, HIDDEN, CLASSES = 5, 6, 3
RATE, MOMENTUM = 0.2, 0.9
_MOST_UPDATES = 200


@dataclass(frozen=True)
class RunTask:
    """A training run.

    Attributes:
        ranks: how many processes share it.
        batches: of one epoch, over all ranks (a multiple of them).
        size: batches of one rank that make an update.
        epochs: how many.
        stops: after how many updates it is saved, and goes on with other objects; none if empty.
        loud: by what the scores are multiplied: gradients are clipped at 4, and not at 0.15.
        seed: of the weights and of the data.
    """

    ranks: int = 1
    batches: int = 6
    size: int = 1
    epochs: int = 2
    stops: tuple[int, ...] = ()
    loud: float = 0.15
    seed: int = 0

    @classmethod
    def of(cls, fields: dict[str, Any]) -> RunTask:
        """From what a case holds."""
        return cls(**(fields | {"stops": tuple(fields["stops"])}))

    @property
    def updates(self) -> int:
        """Of the whole run."""
        return self.epochs * -(-self.batches // (self.ranks * self.size))


class Times(nn.Module):
    """Multiplies what it gets."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """``x`` times the factor."""
        return x * self.factor


def build(seed: int, loud: float = 1.0, dropout: float = 0.0) -> nn.Module:
    """A classifier of float64 with weights from a seed, whose scores are multiplied by ``loud``."""
    model = nn.Sequential(
        nn.Linear(WIDTH, HIDDEN),
        nn.Tanh(),
        nn.Dropout(dropout),
        nn.Linear(HIDDEN, CLASSES),
        Times(loud),
    )
    chance = generator(seed)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=chance) * 0.6)
    return model.double()


def samples(count: int, seed: int) -> TensorDataset:
    """Samples (count, WIDTH) of float64 with classes that follow from them."""
    chance = generator(seed, 1)
    x = torch.randn(count, WIDTH, generator=chance, dtype=torch.float64)
    return TensorDataset(x, x[:, :CLASSES].argmax(-1))


BATCH = 2


def loader_of(task: RunTask) -> DataLoader:
    """The run's batches, in the same order in each epoch."""
    return DataLoader(samples(task.batches * BATCH, task.seed), batch_size=BATCH)


def optimizer_of(model: nn.Module, updates: int) -> tuple[torch.optim.Optimizer, Any]:
    """SGD with momentum, and a rate that falls to 0 over so many updates."""
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=MOMENTUM)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda at: max(0.0, 1 - at / updates))
    return optimizer, scheduler


@dataclass(frozen=True)
class RankUpdates:
    """Of one rank: learning rates of its updates, and the weights after each.

    ``ends`` are the updates of the whole run at the end of each call.
    """

    rates: list[float]
    weights: list[list[float]]
    ends: list[int] = field(default_factory=list)


def run_training(train: Callable[..., Any], task: RunTask) -> Ranked:
    """Train with the learner's function: ``results`` are a ``RankUpdates`` for each rank."""
    with tempfile.TemporaryDirectory() as folder, accelerate_lent():
        parts = [
            [_Part(task, place) for place in range(len(task.stops) + 1)] for _ in range(task.ranks)
        ]
        Path(folder, "checkpoint").mkdir()

        def body(rank: int) -> RankUpdates:
            found = RankUpdates([], [])
            for part, stop in zip(parts[rank], (*task.stops, None), strict=True):
                part.watch(found)
                accelerator = light_accelerator(task.size)
                place = Path(folder, "checkpoint")
                train(
                    accelerator,
                    part.model,
                    part.optimizer,
                    part.scheduler,
                    loader_of(task),
                    task.epochs,
                    place,
                    stop,
                )
                found.ends.append(len(found.rates))
            return found

        return run_ranks(body, task.ranks, [train])


class _Part:
    """What one process makes before it trains; the weights of a later one are other ones."""

    def __init__(self, task: RunTask, place: int) -> None:
        self.model = build(task.seed + 1000 * place, task.loud)
        self.optimizer, self.scheduler = optimizer_of(self.model, task.updates)

    def watch(self, found: RankUpdates) -> None:
        """Note each step of the optimizer."""

        def note(optimizer: Any, *_: Any) -> None:
            if len(found.rates) < _MOST_UPDATES:
                found.rates.append(float(optimizer.param_groups[0]["lr"]))
                found.weights.append(weights_of(self.model))

        self.optimizer.register_step_post_hook(note)


def run_evaluation(evaluate: Callable[..., Any], ranks: int, count: int, seed: int) -> Ranked:
    """What the learner's function gives on each rank, for ``count`` samples in batches of 4."""
    models = [build(seed, dropout=0.5) for _ in range(ranks)]

    def body(rank: int) -> Any:
        loader = DataLoader(samples(count, seed), batch_size=4)
        return evaluate(light_accelerator(), models[rank], loader)

    with accelerate_lent():
        return run_ranks(body, ranks, [evaluate])
