"""Values that nobody can rely on: those of a load where its mask is off, without ``other``.

Triton's documentation of ``tl.load`` calls them undefined; its compiler for NVIDIA's GPUs puts
zeros there. Here they are a NaN of a pattern of its own, which arithmetic and conversions to longer
numbers keep. Whole numbers have no such pattern: there it is the largest one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_MARK = 0x6B
"""The first seven bits of the mantissa; the first of them makes it a quiet NaN."""
_MANTISSA = {"fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52}
_ALL = {"fp16": 0x7C00, "bf16": 0x7F80, "fp32": 0x7F800000, "fp64": 0x7FF0000000000000}
"""Exponents of ones."""


def unknown_of(dtype: Any, kind: str) -> Any:
    """An unknown value, as an element of an array of ``dtype`` that holds Triton's ``kind``."""
    if kind in _MANTISSA:
        return np.array(_pattern(kind), f"u{np.dtype(dtype).itemsize}").view(dtype)[()]
    return True if np.dtype(dtype).kind == "b" else np.iinfo(dtype).max


def is_unknown(data: np.ndarray, kind: str) -> np.ndarray:
    """Which of these are unknown; none of a kind that has no pattern for it.

    >>> is_unknown(np.array([1.0, np.nan, unknown_of("f4", "fp32") + 1], "f4"), "fp32").tolist()
    [False, False, True]
    """
    if kind not in _MANTISSA:
        return np.zeros(data.shape, bool)
    bits = np.ascontiguousarray(data).view(f"u{data.dtype.itemsize}").reshape(data.shape)
    kept = _ALL[kind] | 0x7F << (_MANTISSA[kind] - 7)
    return (bits & bits.dtype.type(kept)) == bits.dtype.type(_pattern(kind))


def _pattern(kind: str) -> int:
    return _ALL[kind] | _MARK << (_MANTISSA[kind] - 7)
