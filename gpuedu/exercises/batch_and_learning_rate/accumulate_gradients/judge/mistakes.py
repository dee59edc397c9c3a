"""Steps that accumulate as known mistakes do, each with what to say of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    IGNORED,
    Step,
    Task,
    build,
    loss_sum,
)

Weigh = Callable[[Any, list[tuple[Any, Any]]], Any]
"""``weigh(y, micro_batches)``: by what the sum of a micro-batch's losses is multiplied."""


def counted(y: Any) -> Any:
    """How many targets count, in float64: PyTorch divides whole numbers in float32."""
    return (y != IGNORED).sum().double()


def accumulating(
    weigh: Weigh,
    *,
    clears: str = "before",
    clips: str = "behind",
    updates: str = "behind",
    leaves_out: int = 0,
) -> Step:
    """A step with these weights; ``clears``, ``clips`` and ``updates`` say where it does that."""

    def step(model: Any, optimiser: Any, micro_batches: Any, max_norm: float) -> Any:
        from torch.nn.utils import clip_grad_norm_

        if clears == "before":
            optimiser.zero_grad()
        value: Any = 0.0
        for x, y in micro_batches[: len(micro_batches) - leaves_out]:
            if clears == "inside":
                optimiser.zero_grad()
            loss = loss_sum(model(x), y) * weigh(y, micro_batches)
            loss.backward()
            value = value + loss.detach()
            if clips == "inside":
                clip_grad_norm_(model.parameters(), max_norm)
            if updates == "inside":
                optimiser.step()
        if clips == "behind":
            clip_grad_norm_(model.parameters(), max_norm)
        if updates == "behind":
            optimiser.step()
        return value

    return step


def _all(y: Any, micro_batches: Any) -> Any:
    """The right weight: one over all targets that count."""
    return 1 / sum(counted(other) for _, other in micro_batches)


def _samples(micro_batches: Any) -> int:
    return sum(len(y) for _, y in micro_batches)


right = accumulating(_all)

MISTAKES: tuple[tuple[Step, str], ...] = (
    (
        accumulating(lambda y, parts: 1 / counted(y) / len(parts)),
        "That is the mean of the micro-batches' means. Does a sample, or a character, count as "
        "much in a small micro-batch as in a large one?",
    ),
    (
        accumulating(lambda y, parts: 1 / counted(y)),
        "That adds up the micro-batches' means: as many times too large as there are of them.",
    ),
    (
        accumulating(lambda y, parts: 1.0),
        "That adds up all losses. A mean divides by how many there are.",
    ),
    (
        accumulating(lambda y, parts: len(y) / counted(y) / _samples(parts)),
        "That weighs each mean by its number of samples. How many of its targets count?",
    ),
    (
        accumulating(lambda y, parts: 1 / sum(other.numel() for _, other in parts)),
        "That divides by all targets, padding too. Which of them did the loss leave out?",
    ),
    (
        accumulating(lambda y, parts: 1 / _samples(parts)),
        "That divides by the number of texts. The big batch takes the mean of all characters.",
    ),
    (
        accumulating(lambda y, parts: y.numel() / counted(y) / sum(o.numel() for _, o in parts)),
        "That weighs each mean by all its targets, padding too.",
    ),
    (
        accumulating(_all, clears="never"),
        "The gradients of the step before are in it. `backward` adds to what is there: where does "
        "your step clear it?",
    ),
    (
        accumulating(_all, clears="inside"),
        "That is the last micro-batch alone. Where are the gradients cleared?",
    ),
    (
        accumulating(_all, clips="never"),
        "That is without clipping.",
    ),
    (
        accumulating(_all, clips="inside"),
        "That clips what is there so far, after each micro-batch. The big batch clips once: when "
        "is its gradient complete?",
    ),
    (
        accumulating(_all, leaves_out=1),
        "That leaves the last micro-batch out.",
    ),
    (
        accumulating(lambda y, parts: 1 / counted(parts[0][1]) / len(parts)),
        "That takes every micro-batch to be as large as the first.",
    ),
)


def wrong_losses(task: Task) -> dict[str, float]:
    """What is said of a wrong loss of the first step, and what loss it is said of."""
    import torch

    model, _, batches = build(task)
    with torch.no_grad():
        sums = [float(loss_sum(model(x), y)) for x, y in batches[0]]
    targets = [y for _, y in batches[0]]
    counts = [float(counted(y)) for y in targets]
    means = [one / count if count else 0.0 for one, count in zip(sums, counts, strict=True)]
    total, whole = sum(counts), sum(sums)
    return {
        "That is the last micro-batch's share of it. Where do you add them up?": sums[-1] / total,
        "That is the last micro-batch's own mean.": means[-1],
        "That is the last micro-batch's sum.": sums[-1],
        "That is the last micro-batch's mean, divided by their number.": means[-1] / len(means),
        "That is the first micro-batch's share of it.": sums[0] / total,
        "That is the mean of the micro-batches' means.": sum(means) / len(means),
        "That adds up the micro-batches' means.": sum(means),
        "That adds up all losses. A mean divides by how many there are.": whole,
        "That divides by the number of micro-batches, not of targets.": whole / len(sums),
        "That divides by all targets, padding too.": whole / sum(y.numel() for y in targets),
        "That divides by the number of texts.": whole / sum(map(len, targets)),
        "That is divided by the number of targets once too often.": whole / total**2,
    }
