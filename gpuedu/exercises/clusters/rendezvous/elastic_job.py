"""The training whose workers come and go: a small model, its data, and what a worker may do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch.nn import functional

from gpuedu.errors import AnswerError
from gpuedu.exercises.lent_methods import lends_methods
from gpuedu.exercises.plain import describe, items, whole_number
from gpuedu.training.seeds import generator

WIDTH, CLASSES = 6, 3
RATE, MOMENTUM = 0.3, 0.9
NEAR = 1e-5
"""Weights that differ by no more differ by rounding, also where somebody adds up in float32."""


@dataclass(frozen=True)
class Shape:
    """How long a training is, in samples, and the seed of its model, data and orders.

    ``batch`` is the global one, ``fits`` how many samples one worker's memory takes at a time.
    """

    samples: int
    batch: int
    fits: int
    epochs: int
    seed: int


class Store(Protocol):
    """Where checkpoints are kept."""

    def save(self, checkpoint: Any) -> None:
        """Keep it, whole or not at all."""

    def load(self) -> Any:
        """The newest one that this worker sees; None where it sees none."""


@lends_methods("gradient", "step", "load_state_dict", "save", "load")
class Job:
    """What the learner trains: on each worker a copy of the model, and the same data.

    Attributes:
        samples: of an epoch.
        total: samples of the whole run.
        batch: samples of a global batch.
        fits: so many samples fit into a worker's memory at a time.

    Args:
        shape: how long it is.
        store: where its checkpoints are.
        on_act: called with "load", "gradient", "step" or "save" before it is done, and with the
            samples where it has any.
    """

    def __init__(
        self, shape: Shape, store: Store, on_act: Callable[[Job, str, list[int]], None]
    ) -> None:
        self.samples, self.batch, self.fits = shape.samples, shape.batch, shape.fits
        self.total = shape.samples * shape.epochs
        self._seed, self._store, self._on_act = shape.seed, store, on_act
        chance, exact = generator(shape.seed, 1), torch.float64
        self._x = torch.randn(shape.samples, WIDTH, generator=chance, dtype=exact)
        self._y = torch.randint(CLASSES, (shape.samples,), generator=chance)
        self._weights = 0.1 * torch.randn(WIDTH, CLASSES, generator=chance, dtype=exact)
        self._moving = torch.zeros_like(self._weights)
        self._steps = 0

    def order(self, epoch: int) -> list[int]:
        """The numbers of all samples in the order of an epoch: the same on every worker."""
        epoch = whole_number(epoch, "the epoch of `job.order`")
        if epoch < 0:
            raise AnswerError(f"`job.order` takes an epoch from 0, got {epoch}")
        found = torch.randperm(self.samples, generator=generator(self._seed, 2, epoch))
        return [int(one) for one in found]

    def zeros(self) -> torch.Tensor:
        """A gradient of zeros, in float64."""
        return torch.zeros_like(self._weights)

    def gradient(self, samples: Any) -> torch.Tensor:
        """The sum of the gradients of these samples, at the weights as they are now.

        Raises:
            AnswerError: for what is no list of samples, or more of them than fit.
        """
        numbers = self._numbers(samples)
        self._on_act(self, "gradient", numbers)
        x, y = self._x[numbers], self._y[numbers]
        apart = (x @ self._weights).softmax(1) - functional.one_hot(y, CLASSES)
        return x.T @ apart

    def step(self, gradient: torch.Tensor) -> None:
        """Change the weights by a global batch's mean gradient: SGD with momentum.

        Raises:
            AnswerError: for no gradient, or after more steps than the run has samples.
        """
        if not isinstance(gradient, torch.Tensor) or gradient.shape != self._weights.shape:
            told = f"`job.step` takes a gradient like `job.zeros()`, got {describe(gradient)}"
            raise AnswerError(told)
        self._steps += 1
        if self._steps > self.total:
            raise AnswerError(
                f"`job.step` was called {self._steps} times, and the run has {self.total} samples",
                remedy="What ends the loop over batches, and does each step change that?",
            )
        self._on_act(self, "step", [])
        self._moving = MOMENTUM * self._moving + gradient.detach().double()
        self._weights = self._weights - RATE * self._moving

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Weights and momentum: all that changes."""
        return {"weights": self._weights.clone(), "momentum": self._moving.clone()}

    def load_state_dict(self, state: Any) -> None:
        """Take over what ``state_dict`` gave.

        Raises:
            AnswerError: for anything else.
        """
        names = ("weights", "momentum")
        if not isinstance(state, dict) or set(state) != set(names):
            told = "`job.load_state_dict` takes what `job.state_dict()` gave, got "
            raise AnswerError(told + describe(state))
        self._weights, self._moving = (state[name].clone() for name in names)

    def save(self, checkpoint: Any) -> None:
        """Keep a checkpoint of plain values and tensors for later lives, whole or not at all."""
        self._on_act(self, "save", [])
        self._store.save(checkpoint)

    def load(self) -> Any:
        """The newest checkpoint that this worker sees; None where it sees none."""
        self._on_act(self, "load", [])
        return self._store.load()

    def numbers(self) -> list[float]:
        """Weights and momentum in one row, for those who compare."""
        return torch.cat([self._weights.reshape(-1), self._moving.reshape(-1)]).tolist()

    def _numbers(self, samples: Any) -> list[int]:
        given = samples.tolist() if isinstance(samples, torch.Tensor) else samples
        name = "what `job.gradient` gets"
        found = [whole_number(one, f"a sample in {name}") for one in items(given, name)]
        unknown = [one for one in found if not 0 <= one < self.samples]
        if unknown:
            raise AnswerError(
                f"{name} has sample {unknown[0]}; there are samples 0 to {self.samples - 1}"
            )
        if len(found) > self.fits:
            raise AnswerError(
                f"out of memory: `job.gradient` got {len(found)} samples, and {self.fits} fit",
                remedy="A worker can add up the gradients of several parts.",
            )
        return found
