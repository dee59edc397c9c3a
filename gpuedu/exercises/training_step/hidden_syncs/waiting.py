"""The loop that waits, as the lesson gives it.

Inputs of a case: ``data`` (steps, batch, numbers) float64, ``targets`` (steps, batch) int64 where
-1 is an answer that nobody knows, ``weights`` (a list of arrays, by layer), ``optimiser`` (its name
in ``torch.optim``) and ``options``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

UNKNOWN = -1

Log = dict[str, Any]


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


def run_loop(inputs: Mapping[str, Any]) -> Log:
    """What the loop of the lesson logs; ``weights`` are the last ones."""
    model, optimiser, batches = begin(inputs)
    losses, norms, wrong = [], [], 0
    for data, targets in batches:
        known = targets != UNKNOWN
        scores = model(data)
        loss = nn.functional.cross_entropy(scores[known], targets[known])
        optimiser.zero_grad()
        loss.backward()
        norm = torch.stack([one.grad.norm() for one in model.parameters()]).norm()
        if norm > 1:
            for one in model.parameters():
                one.grad /= norm + 1e-6
        optimiser.step()
        losses.append(loss.item())
        norms.append(norm.item())
        wrong += int(((scores.argmax(1) != targets) & known).sum())
    log = {"losses": np.array(losses), "norms": np.array(norms)}
    return log | {"wrong": wrong, "best": min(losses), "weights": weights_of(model)}
