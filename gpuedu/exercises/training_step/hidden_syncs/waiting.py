"""What the loop that waits begins with, and what it leaves.

Inputs of a case: ``data`` (steps, batch, numbers) float64, ``targets`` (steps, batch) int64 where
-1 is an answer that nobody knows, ``weights`` (a list of arrays, by layer), ``optimizer`` (its name
in ``torch.optim``) and ``options``. Where there is a ``last``, the last batch has so many samples.
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
    """The model with its first weights, its optimizer, and the batches, all float64."""
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
    optimizer = getattr(torch.optim, inputs["optimizer"])(model.parameters(), **inputs["options"])
    data, targets = torch.from_numpy(inputs["data"]), torch.from_numpy(inputs["targets"])
    batches = list(zip(data.clone(), targets.clone(), strict=True))
    if "last" in inputs:
        batches[-1] = tuple(part[: inputs["last"]].clone() for part in batches[-1])
    return model, optimizer, batches


def weights_of(model: nn.Module) -> np.ndarray:
    """All weights of a model in one row."""
    rows = [one.detach().reshape(-1).double() for one in model.parameters()]
    return torch.cat(rows).numpy().copy()
