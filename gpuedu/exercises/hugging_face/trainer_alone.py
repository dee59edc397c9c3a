"""What Trainer does on one device, in plain PyTorch: what an own loop should be equal to.

Held against Trainer itself in ``tests/exercises/hugging_face/test_trainer_alone.py``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from gpuedu.exercises.hugging_face.reader import IGNORED, Batch, weights_of

DEFAULTS: Mapping[str, Any] = {
    "num_train_epochs": 3,
    "gradient_accumulation_steps": 1,
    "learning_rate": 5e-5,
    "warmup_steps": 0,
    "weight_decay": 0.0,
    "max_grad_norm": 1.0,
}
_BETAS, _EPSILON = (0.9, 0.999), 1e-8


@dataclass(frozen=True)
class Updates:
    """Losses and learning rates of all updates, and the weights after each.

    ``norms`` are those of the gradients before they were clipped, where that was asked for.
    """

    losses: list[float]
    rates: list[float]
    weights: list[list[float]]
    norms: list[float] = field(default_factory=list)


def rates_of(count: int, peak: float, warmup: int, shape: str = "linear") -> list[float]:
    """The learning rates of ``count`` updates, by the closed forms of Trainer's schedules.

    >>> rates_of(6, 1.0, 2)
    [0.0, 0.5, 1.0, 0.75, 0.5, 0.25]
    """
    return [peak * _share(at, count, warmup, shape) for at in range(count)]


def _share(at: int, count: int, warmup: int, shape: str) -> float:
    if at < warmup:
        return at / warmup
    if shape == "constant":
        return 1.0
    done = (at - warmup) / max(1, count - warmup)
    return 1 - done if shape == "linear" else (1 + math.cos(math.pi * done)) / 2


def updates_of(options: Mapping[str, Any], batches: int) -> int:
    """How many updates a run over so many batches makes."""
    given = {**DEFAULTS, **options}
    return given["num_train_epochs"] * math.ceil(batches / given["gradient_accumulation_steps"])


def train_alone(
    model: nn.Module,
    batches: Sequence[Batch],
    options: Mapping[str, Any],
    rates: Sequence[float] | None = None,
) -> Updates:
    """Train a model as Trainer does.

    Args:
        model: is trained.
        batches: of one pass.
        options: as ``DEFAULTS``, where they differ.
        rates: of the updates, if other ones than Trainer's.
    """
    given = {**DEFAULTS, **options}
    size = given["gradient_accumulation_steps"]
    if rates is None:
        count = updates_of(options, len(batches))
        rates = rates_of(count, given["learning_rate"], given["warmup_steps"])
    optimizer = _optimizer(model, given["weight_decay"])
    found = Updates([], [], [])
    groups = [batches[first : first + size] for first in range(0, len(batches), size)]
    for group, rate in zip(groups * given["num_train_epochs"], rates, strict=True):
        items = sum(int((batch["labels"] != IGNORED).sum()) for batch in group)
        optimizer.zero_grad()
        loss = 0.0
        for batch in group:
            part = model(**batch, num_items_in_batch=items)["loss"]
            part.backward()
            loss += part.item()
        if given["max_grad_norm"] > 0:
            norm = nn.utils.clip_grad_norm_(model.parameters(), given["max_grad_norm"])
            found.norms.append(float(norm))
        for one in optimizer.param_groups:
            one["lr"] = rate
        optimizer.step()
        found.losses.append(loss)
        found.rates.append(rate)
        found.weights.append(weights_of(model))
    return found


def _optimizer(model: nn.Module, decay: float) -> torch.optim.Optimizer:
    """AdamW without decay of biases and of a layer norm's parameters."""
    norms = {name for name, part in model.named_modules() if isinstance(part, nn.LayerNorm)}
    groups: list[dict[str, Any]] = [
        {"params": [], "weight_decay": decay},
        {"params": [], "weight_decay": 0.0},
    ]
    for name, p in model.named_parameters():
        is_free = "bias" in name or name.rpartition(".")[0] in norms
        groups[is_free]["params"].append(p)
    return torch.optim.AdamW(groups, betas=_BETAS, eps=_EPSILON)
