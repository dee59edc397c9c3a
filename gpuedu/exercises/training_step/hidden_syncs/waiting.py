"""The loop that waits, as the lesson gives it, and what other ways to write it would give.

Inputs of a case: ``data`` (steps, batch, numbers) float64, ``targets`` (steps, batch) int64 where
-1 is an answer that nobody knows, ``weights`` (a list of arrays, by layer), ``optimiser`` (its name
in ``torch.optim``) and ``options``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

UNKNOWN = -1

Log = dict[str, Any]


@dataclass(frozen=True)
class Way:
    """How a loop treats what the given one asks the host for; the defaults are as it does.

    ``clip``: "above 1", "always" or "never". ``unknown``: samples whose answer is unknown are
    "left out", count as a loss of zero ("zero"), or their class is taken to be 0 ("first class").
    ``wrong_unknown``: whether they count as answered wrongly.
    """

    clip: str = "above 1"
    unknown: str = "left out"
    wrong_unknown: bool = False


def begin(inputs: Mapping[str, Any]) -> tuple[nn.Module, Any, list[tuple[Tensor, Tensor]]]:
    """The model with its first weights, its optimiser, and the batches, all float64."""
    first, second = (torch.from_numpy(array.copy()) for array in inputs["weights"])
    model = nn.Sequential(
        nn.Linear(first.shape[1], first.shape[0]),
        nn.ReLU(),
        nn.Linear(second.shape[1], second.shape[0]),
    ).double()
    with torch.no_grad():
        for layer, weights in ((model[0], first), (model[2], second)):
            layer.weight.copy_(weights)
            layer.bias.zero_()
    optimiser = getattr(torch.optim, inputs["optimiser"])(model.parameters(), **inputs["options"])
    data, targets = torch.from_numpy(inputs["data"]), torch.from_numpy(inputs["targets"])
    return model, optimiser, list(zip(data.clone(), targets.clone(), strict=True))


def weights_of(model: nn.Module) -> np.ndarray:
    """All weights of a model in one row."""
    rows = [one.detach().reshape(-1).double() for one in model.parameters()]
    return torch.cat(rows).numpy().copy()


def run_loop(inputs: Mapping[str, Any], way: Way | None = None) -> Log:
    """What the loop of the lesson logs, or one that goes another way; ``weights`` are the last."""
    way = way or Way()
    model, optimiser, batches = begin(inputs)
    losses, norms, wrong = [], [], 0
    for data, targets in batches:
        known = targets != UNKNOWN
        scores = model(data)
        loss = _loss(scores, targets, known, way.unknown)
        optimiser.zero_grad()
        loss.backward()
        norm = torch.stack([one.grad.norm() for one in model.parameters()]).norm()
        if way.clip == "always" or (way.clip == "above 1" and norm > 1):
            for one in model.parameters():
                one.grad /= norm + 1e-6
        optimiser.step()
        losses.append(loss.item())
        norms.append(norm.item())
        misses = scores.argmax(1) != targets
        wrong += int((misses if way.wrong_unknown else misses & known).sum())
    log = {"losses": np.array(losses), "norms": np.array(norms)}
    return log | {"wrong": wrong, "best": min(losses), "weights": weights_of(model)}


def _loss(scores: Tensor, targets: Tensor, known: Tensor, unknown: str) -> Tensor:
    if unknown == "left out":
        return nn.functional.cross_entropy(scores[known], targets[known])
    losses = nn.functional.cross_entropy(scores, targets.clamp(min=0), reduction="none")
    return (losses * known if unknown == "zero" else losses).mean()
