"""Numbers of 16 and 8 bits that NumPy does not have, as a GPU computes with them.

Triton's interpreter keeps them as whole numbers. A GPU converts them to float32, computes, and
rounds the result to nearest, ties to even: here PyTorch does the same.
"""

from __future__ import annotations

import numpy as np
import torch

_TORCH = {
    "bf16": torch.bfloat16,
    "fp8e5": torch.float8_e5m2,
    "fp8e4nv": torch.float8_e4m3fn,
    "fp16": torch.float16,
    "fp32": torch.float32,
    "fp64": torch.float64,
}
SHORT = ("bf16", "fp8e5", "fp8e4nv")
"""Triton's names for those that NumPy does not have."""


def is_known(name: str) -> bool:
    """Whether PyTorch has it too."""
    return name in _TORCH


def convert(data: np.ndarray, source: str, target: str) -> np.ndarray:
    """Numbers of one kind as those of another; short ones are in arrays of integers.

    >>> one = convert(np.array([1.0, 1 / 3], np.float32), "fp32", "bf16")
    >>> one.tolist(), convert(one, "bf16", "fp32").tolist()
    ([16256, 16043], [1.0, 0.333984375])
    """
    given = torch.from_numpy(np.ascontiguousarray(data)).view(_TORCH[source])
    got = given.to(_TORCH[target])
    if target in SHORT:
        got = got.view(torch.uint16 if target == "bf16" else torch.uint8)
    return got.numpy()


def wide(data: np.ndarray, kind: str) -> np.ndarray:
    """Short numbers in float32, which holds each of them; others as they are."""
    return convert(data, kind, "fp32") if kind in SHORT else data
