"""Plays of the first part: formats, sums, weights in 16 bits, Adam in 16 bits."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.training.tensors import require_tensor


def dtype_of(tensor: Any) -> str:
    """The name of a tensor's dtype, without ``torch``."""
    return str(require_tensor(tensor).dtype).removeprefix("torch.")
