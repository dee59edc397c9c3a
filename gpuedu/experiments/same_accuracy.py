"""A task that fp16 alone cannot learn, and what each part of the remedy does to it.

Digits, as from a scanner with many gray levels, go through a network of two layers without biases.
Three things are planted, each of which happens in large models: the first operation is a norm whose
squares fp16 cannot hold; the loss is divided by so large a number that its gradients are below the
smallest fp16 number; and the weights, all 1 or -1 at the start, need updates of less than half a
step of fp16. In float32 none of the three shows.

Each hidden unit is there twice, with opposite weights after it, so that all scores start at 0 and
small changes of many weights are enough to learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median, quantiles
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from gpuedu.training import load_digits
from gpuedu.training.seeds import generator, kept_random_state

NAME = "same-accuracy"
WHAT = "losses and accuracies on a task that is hard in 16 bits, in float32 and by recipes for fp16"

PIXELS, HIDDEN, CLASSES, BATCH = 64, 128, 10, 64
RUNS, CURVES, EVERY = 60, 15, 10

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


@dataclass(frozen=True)
class Recipe:
    """How a run computes: in float32, or with weights, products and gradients in fp16.

    The norm of the inputs, the loss, and the weights that are updated may be in float32; the loss
    may be multiplied by a scale.
    """

    name: str
    half: bool = True
    wide_norm: bool = False
    scale: float = 1.0
    masters: bool = False
    wide_loss: bool = True


FLOAT32 = Recipe("float32", half=False, wide_norm=True, masters=True)
MIXED = Recipe("mixed", wide_norm=True, scale=2.0**16, masters=True)
PURE = Recipe("pure fp16", wide_loss=False)
RECIPES = (
    FLOAT32,
    MIXED,
    PURE,
    Recipe("norm in fp16", scale=2.0**16, masters=True),
    Recipe("no scale", wide_norm=True, masters=True),
    Recipe("no masters", wide_norm=True, scale=2.0**16),
)


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


def scores_of(weights: Sequence[Tensor], images: Tensor, recipe: Recipe = FLOAT32) -> Tensor:
    """Scores (N, 10) of images (N, 64), each divided by the root of the mean of its squares."""
    images = images.float() if recipe.wide_norm else images
    images = images / (images * images).mean(dim=1, keepdim=True).sqrt()
    images = images.half() if recipe.half else images
    inner, outer = weights
    return torch.relu(images @ inner) @ outer


def train(
    task: DigitsTask,
    seed: int,
    recipe: Recipe,
    look: Callable[[int, Weights], None] | None = None,
) -> Weights:
    """The weights after the last step; ``look`` is shown them before every step and at the end."""
    kept = start_weights(task, seed)
    kept = kept if recipe.masters else [weight.half() for weight in kept]
    for step, (images, labels) in enumerate(batches(task, seed)):
        used = [weight.half() if recipe.half else weight.clone() for weight in kept]
        if look is not None:
            look(step, used)
        gradients = gradients_of(task, used, images, labels, recipe)
        wide = [g.float() / recipe.scale if recipe.scale != 1 else g for g in gradients]
        if not recipe.masters:
            wide = [gradient.half() for gradient in wide]
        kept = [w - task.scaled_rate * g for w, g in zip(kept, wide, strict=True)]
    used = [weight.half() if recipe.half else weight for weight in kept]
    if look is not None:
        look(task.steps, used)
    return used


def gradients_of(
    task: DigitsTask, weights: Weights, images: Tensor, labels: Tensor, recipe: Recipe
) -> tuple[Tensor, ...]:
    """The gradients of the weights, times the recipe's scale."""
    for weight in weights:
        weight.requires_grad_()
    scores = scores_of(weights, images, recipe)
    scores = scores.float() if recipe.wide_loss else scores
    loss = cross_entropy(scores, labels, reduction="sum") / task.divisor
    return torch.autograd.grad(loss * recipe.scale, weights)


def judge_weights(task: DigitsTask, weights: Sequence[Tensor]) -> tuple[float, float]:
    """Loss on all training images and accuracy on the held-out ones, computed in float32."""
    wide, digits = [weight.detach().float() for weight in weights], _digits()
    with torch.no_grad():
        scores, held_out = (
            scores_of(wide, (part.inputs.flatten(1) * task.white).half())
            for part in (digits.train, digits.held_out)
        )
    right = held_out.argmax(dim=1) == digits.held_out.targets
    return float(cross_entropy(scores, digits.train.targets)), float(right.float().mean())


@cache
def reference(task: DigitsTask, seed: int) -> tuple[float, float]:
    """Loss and accuracy of the run in float32."""
    return judge_weights(task, train(task, seed, FLOAT32))


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """Loss and accuracy of 60 runs by each recipe; median losses by step, with quartiles."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with kept_random_state():
            ends = {recipe.name: [_end(seed, recipe) for seed in range(RUNS)] for recipe in RECIPES}
            for name, outcomes in ends.items():
                tell(f"{name}: median loss {median(loss for loss, _ in outcomes):.3f}")
            curves = {recipe.name: _curve(recipe) for recipe in (FLOAT32, MIXED, PURE)}
    finally:
        torch.set_num_threads(threads)
    return {
        "losses": {name: [loss for loss, _ in found] for name, found in ends.items()},
        "accuracies": {name: [right for _, right in found] for name, found in ends.items()},
        "steps": list(range(0, HARD.steps + 1, EVERY)),
        "curves": curves,
    }


def _end(seed: int, recipe: Recipe) -> tuple[float, float]:
    loss, accuracy = judge_weights(HARD, train(HARD, seed, recipe))
    return round(loss, 5), round(accuracy, 4)


def _curve(recipe: Recipe) -> dict[str, list[float]]:
    rows: list[list[float]] = []
    for seed in range(CURVES):
        row: list[float] = []

        def look(step: int, weights: Weights, row: list[float] = row) -> None:
            if step % EVERY == 0:
                row.append(judge_weights(HARD, weights)[0])

        train(HARD, seed, recipe, look)
        rows.append(row)
    quarters = [quantiles(column, n=4, method="inclusive") for column in zip(*rows, strict=True)]
    low, middle, high = ([round(one, 4) for one in part] for part in zip(*quarters, strict=True))
    return {"low": low, "median": middle, "high": high}
