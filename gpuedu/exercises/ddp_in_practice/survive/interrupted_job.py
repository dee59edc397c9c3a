"""The training that ranks are killed in: a small model with all that a checkpoint has to hold."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch.nn import functional

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.training.seeds import generator

WIDTH, CLASSES = 6, 3
SAMPLES_A_STEP = 4
"""Of each rank."""
ONE_RANK_ONLY = (
    "A call under `if dist.get_rank() == 0` is made by one rank only. A collective has to be "
    "called by all, in the same order."
)
_APART = "Nobody was killed yet: every rank makes every step of the run, one after another."
_FROM_DIFFERENT_CHECKPOINTS = (
    "They have gone on from different checkpoints. When may a rank rely on what it wrote?"
)


@dataclass(frozen=True)
class Shape:
    """How long a training is, and the seed of its model, data and orders."""

    epochs: int
    steps: int
    seed: int

    @property
    def all_steps(self) -> int:
        """Of all epochs together."""
        return self.epochs * self.steps


class Job:
    """What the learner trains: on each rank a copy of the model, with dropout of the rank's own.

    Args:
        shape: how long it is; ``job.epochs`` and ``job.steps`` (an epoch) tell the learner.
        on_step: called with the job and the number of a step, from 0, before it is made.
    """

    def __init__(self, shape: Shape, on_step: Callable[[Job, int], None]) -> None:
        self.epochs, self.steps = shape.epochs, shape.steps
        self._seed, self._on_step = shape.seed, on_step
        self._rank, self._ranks = dist.get_rank(), dist.get_world_size()
        torch.manual_seed(shape.seed)
        self.model = torch.nn.Sequential(
            torch.nn.Linear(WIDTH, 8),
            torch.nn.ReLU(),
            torch.nn.Dropout(0.5),
            torch.nn.Linear(8, CLASSES),
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.2, momentum=0.9)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, _falling)
        chance = generator(shape.seed, 1)
        count = shape.steps * SAMPLES_A_STEP * self._ranks
        self._x = torch.randn(count, WIDTH, generator=chance)
        self._y = torch.randint(CLASSES, (count,), generator=chance)
        self._numbers = {
            tuple(batch.tolist()): epoch * self.steps + place
            for epoch in range(self.epochs)
            for place, batch in enumerate(self.batches(epoch))
        }
        torch.manual_seed(shape.seed + 1 + self._rank)

    def batches(self, epoch: int) -> list[torch.Tensor]:
        """This rank's batches of an epoch, in their order: numbers of samples."""
        if type(epoch) is not int or not 0 <= epoch < self.epochs:
            told = f"`job.batches` takes an epoch from 0 to {self.epochs - 1}"
            raise AnswerError(f"{told}, got {describe(epoch)}")
        order = torch.randperm(len(self._y), generator=generator(self._seed, 2, epoch))
        return list(order[self._rank :: self._ranks].split(SAMPLES_A_STEP))

    def step(self, batch: torch.Tensor) -> None:
        """Forward, backward, mean over the ranks, update, and a step of the schedule.

        Raises:
            AnswerError: for what is no batch, or where ranks are in different steps.
        """
        number = self._number_of(batch)
        self._on_step(self, number)
        self._require_together(number)
        self.model.train()
        self.optimizer.zero_grad()
        functional.cross_entropy(self.model(self._x[batch]), self._y[batch]).backward()
        for p in self.model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= self._ranks
        self.optimizer.step()
        self.schedule.step()

    def _number_of(self, batch: Any) -> int:
        known = isinstance(batch, torch.Tensor) and batch.dim() == 1
        number = self._numbers.get(tuple(batch.tolist())) if known else None
        if number is None:
            raise AnswerError(
                f"`job.step` takes one batch of `job.batches(epoch)`, got {describe(batch)}"
            )
        return number

    def _require_together(self, number: int) -> None:
        """What nobody does in a real step: it costs a message, and tells what would be a mess.

        Numbers of steps are sent as negative ones. Other collectives of one number each, such as
        the sizes in front of pickled objects, send others: so a mix-up with them is recognized.
        """
        found = [torch.zeros(1, dtype=torch.int64) for _ in range(self._ranks)]
        dist.all_gather(found, torch.tensor([-1 - number]))
        places = [-1 - int(one) for one in found]
        if not all(0 <= at < self.epochs * self.steps for at in places):
            ranks = " and ".join(f"rank {rank}" for rank in range(self._ranks))
            told = f"{ranks} are in different collectives: rank {self._rank} in `job.step`, in step"
            raise AnswerError(f"{told} {number + 1}, the other one elsewhere", remedy=ONE_RANK_ONLY)
        if len(set(places)) > 1:
            told = ", ".join(f"rank {rank} in step {at + 1}" for rank, at in enumerate(places))
            is_first = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") == "0"
            raise AnswerError(
                f"the ranks are no longer in the same step: {told}",
                remedy=_APART if is_first else _FROM_DIFFERENT_CHECKPOINTS,
            )

    def look(self) -> dict[str, Any]:
        """The state as short texts to compare: weights, momentum, random state; and the rate."""
        moving = [self.optimizer.state[p].get("momentum_buffer") for p in self.model.parameters()]
        return {
            "weights": _digest(self.model.parameters()),
            "momentum": _digest(one for one in moving if one is not None),
            "random": _digest([torch.get_rng_state()]),
            "rate": float(self.optimizer.param_groups[0]["lr"]),
            "schedule": int(self.schedule.last_epoch),
        }


def _falling(step: int) -> float:
    return 1 / (1 + 0.1 * step)


def _digest(tensors: Any) -> str:
    """Equal for equal bits."""
    found = hashlib.blake2b(digest_size=8)
    for one in tensors:
        found.update(one.detach().numpy().tobytes())
    return found.hexdigest()
