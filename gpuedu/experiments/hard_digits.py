"""A task that fp16 alone cannot learn: its digits, its weights, and how good they are.

Digits, as from a scanner with many gray levels, go through a network of two layers without biases.
Three things are planted, each of which happens in large models: the first operation is a norm whose
squares fp16 cannot hold; the loss is divided by so large a number that its gradients are below the
smallest fp16 number; and the weights, all 1 or -1 at the start, need updates of less than half a
step of fp16. In float32 none of the three shows.

Each hidden unit is there twice, with opposite weights after it, so that all scores start at 0 and
small changes of many weights are enough to learn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from gpuedu.training import load_digits
from gpuedu.training.seeds import generator

PIXELS, HIDDEN, CLASSES, BATCH = 64, 128, 10, 64

Weights = list[Tensor]


@dataclass(frozen=True)
class DigitsTask:
    """Digits with ``white`` as their largest gray level, and how they are learned.

    The sum of a batch's losses is divided by ``divisor``. Weights begin as ``size`` or its
    negative; SGD takes ``steps`` steps with ``rate``, which is times the divisor over the batch.
    Images of a batch differ in brightness, from ``dimmest`` to 1.
    """

    white: float
    divisor: float
    size: float
    rate: float
    steps: int
    dimmest: float = 1.0

    @property
    def scaled_rate(self) -> float:
        """The rate for the divided loss, equivalent to ``rate`` for the mean of a batch."""
        return self.rate * self.divisor / BATCH


HARD = DigitsTask(white=4080, divisor=2.0**26, size=1.0, rate=7.5e-5, steps=100)
LARGE_INPUTS = DigitsTask(white=4080, divisor=2.0**10, size=0.125, rate=0.05, steps=25)
SMALL_GRADIENTS = DigitsTask(white=16, divisor=2.0**26, size=0.125, rate=0.05, steps=25)
SMALL_UPDATES = DigitsTask(white=16, divisor=2.0**10, size=1.0, rate=7.5e-5, steps=60)


def start_weights(task: DigitsTask, seed: int) -> Weights:
    """The two float32 weights, (64, 128) and (128, 10)."""
    chance = generator(seed, 10)
    inner, outer = (
        task.size * (2.0 * torch.randint(2, shape, generator=chance) - 1)
        for shape in ((PIXELS, HIDDEN // 2), (HIDDEN // 2, CLASSES))
    )
    return [torch.cat([inner, inner], dim=1), torch.cat([outer, -outer])]


def batches(task: DigitsTask, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """A batch for each step: images (64, 64) float16 of whole gray levels, labels (64,) int64."""
    chance, digits = generator(seed, 11), _digits()
    for _ in range(task.steps):
        chosen = torch.randint(len(digits.train), (BATCH,), generator=chance)
        brightness = torch.linspace(task.dimmest, 1, BATCH)[:, None]
        images = digits.train.inputs[chosen].flatten(1) * task.white * brightness
        yield images.half(), digits.train.targets[chosen]


@cache
def _digits() -> Any:
    return load_digits()


def normalized(images: Tensor) -> Tensor:
    """Images (N, 64), each divided by the root of the mean of its squares."""
    return images / (images * images).mean(dim=1, keepdim=True).sqrt()


def scores_of(weights: Sequence[Tensor], images: Tensor) -> Tensor:
    """Scores (N, 10) of normalized images."""
    inner, outer = weights
    return torch.relu(images @ inner) @ outer


def judge_weights(task: DigitsTask, weights: Sequence[Tensor]) -> tuple[float, float]:
    """Loss on all training images and accuracy on the held-out ones, computed in float32."""
    wide, digits = [weight.detach().float() for weight in weights], _digits()
    with torch.no_grad():
        scores, held_out = (
            scores_of(wide, normalized((part.inputs.flatten(1) * task.white).half().float()))
            for part in (digits.train, digits.held_out)
        )
    right = held_out.argmax(dim=1) == digits.held_out.targets
    return float(cross_entropy(scores, digits.train.targets)), float(right.float().mean())
