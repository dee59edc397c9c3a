"""Runs on a task that fp16 alone cannot learn, and what each part of the remedy does to it.

The task is in ``hard_digits``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median, quantiles
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from gpuedu.experiments.hard_digits import (
    HARD,
    DigitsTask,
    Weights,
    batches,
    judge_weights,
    normalized,
    scores_of,
    start_weights,
)
from gpuedu.training.seeds import kept_random_state

NAME = "same-accuracy"
WHAT = "losses and accuracies on a task that is hard in 16 bits, in float32 and by recipes for fp16"

RUNS, CURVES, EVERY = 60, 15, 10


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


def scores_by(recipe: Recipe, weights: Sequence[Tensor], images: Tensor) -> Tensor:
    """Scores (N, 10) of images (N, 64), as the recipe computes them."""
    images = normalized(images.float() if recipe.wide_norm else images)
    return scores_of(weights, images.half() if recipe.half else images)


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
    scores = scores_by(recipe, weights, images)
    scores = scores.float() if recipe.wide_loss else scores
    loss = cross_entropy(scores, labels, reduction="sum") / task.divisor
    return torch.autograd.grad(loss * recipe.scale, weights)


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
