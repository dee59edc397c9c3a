"""Tensors that lie in memory in different ways, with and without values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

LAYOUTS = ("plain", "transposed", "every second", "expanded")
"""``expanded`` has one element in memory: all values must be equal."""


def laid_out(values: np.ndarray, layout: str) -> Any:
    """A tensor of these values, which lies in memory as it is told."""
    import torch

    if layout == "transposed":
        return torch.tensor(np.ascontiguousarray(values.T)).permute(*range(values.ndim)[::-1])
    if layout == "every second":
        wide = np.full((*values.shape[:-1], 2 * values.shape[-1]), np.nan, values.dtype)
        wide[..., ::2] = values
        return torch.tensor(wide)[..., ::2]
    if layout == "expanded":
        return torch.tensor(values.reshape(-1)[0]).expand(values.shape)
    return torch.tensor(np.ascontiguousarray(values))


def without_memory(tensor: Any) -> Any:
    """One of the same shape, dtype and strides that has no values."""
    return without_values(tensor, "meta")


def without_values(tensor: Any, device: str) -> Any:
    """One of the same shape, dtype and strides on a device; NaN is all that it can hold there."""
    import torch

    like = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
    return like.fill_(math.nan)
