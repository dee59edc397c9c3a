"""Parameters with planted gradients, one set for each rank, as a check on buckets wants them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

LARGEST = 8
"""Gradients are whole numbers up to this, so that float32 and bfloat16 hold them as they are."""


def planted_gradients(shapes: Sequence[Sequence[int]], rank: int, seed: int) -> list[np.ndarray]:
    """The gradient of each parameter on a rank: whole numbers, float64."""
    rng = np.random.default_rng((seed, rank))
    return [
        np.array(rng.integers(-LARGEST, LARGEST, tuple(shape), endpoint=True), dtype=np.float64)
        for shape in shapes
    ]


def plant_parameters(
    shapes: Sequence[Sequence[int]],
    types: Sequence[str],
    trains: Sequence[bool],
    gradients: Sequence[np.ndarray] = (),
    missing: Sequence[int] = (),
) -> list[Any]:
    """Parameters with these gradients; those at the places ``missing``, and frozen ones, have none.

    Without ``gradients`` nobody has one, and the parameters take no memory. What has four
    dimensions has its channels last in memory, as weights of convolutions often have.
    """
    import torch

    made = []
    for place, (shape, name) in enumerate(zip(shapes, types, strict=True)):
        dtype = getattr(torch, name)
        order = torch.channels_last if len(shape) == 4 else torch.contiguous_format
        device = None if len(gradients) else "meta"
        value = torch.empty(tuple(shape), dtype=dtype, device=device, memory_format=order)
        one = torch.nn.Parameter(value, requires_grad=bool(trains[place]))
        if len(gradients) and trains[place] and place not in missing:
            one.grad = torch.as_tensor(gradients[place]).to(dtype).contiguous(memory_format=order)
        made.append(one)
    return made
