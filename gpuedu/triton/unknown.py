"""Values that nothing may rely on: those of a load where its mask is off, without ``other``.

Triton's documentation of ``tl.load`` calls them undefined; its compiler for NVIDIA's GPUs puts
zeros there. Here they are a NaN with a special bit pattern, which arithmetic and conversions to
longer numbers keep, and which has room for the number of the load that left it. Integers have no
such pattern, so the largest one is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_MARK = 0x6B
"""The first seven bits of the mantissa; the first of them makes it a quiet NaN."""
_MARK_BITS, _ORIGIN_BITS = 7, 16
_MANTISSA = {"fp16": 10, "bf16": 7, "fp32": 23, "fp64": 52}
_ALL = {"fp16": 0x7C00, "bf16": 0x7F80, "fp32": 0x7F800000, "fp64": 0x7FF0000000000000}
"""Exponents of ones."""


def unknown_of(dtype: Any, kind: str, origin: Any = 0) -> Any:
    """Unknown values, as elements of an array of ``dtype`` that holds Triton's ``kind``.

    ``origin``, numbers below 2**16, is kept by those of 32 bits and more.
    """
    if kind not in _MANTISSA:
        return True if np.dtype(dtype).kind == "b" else np.iinfo(dtype).max
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    number = np.asarray(origin, bits) << bits.type(_spare_bits(kind))
    if not has_origin(kind):
        number = np.zeros_like(number)
    return np.asarray(number | bits.type(_pattern(kind)), bits).view(dtype)[()]


def is_unknown(data: np.ndarray, kind: str) -> np.ndarray:
    """Which of these are unknown; none, for a kind that has no pattern for it.

    >>> is_unknown(np.array([1.0, np.nan, unknown_of("f4", "fp32") + 1], "f4"), "fp32").tolist()
    [False, False, True]
    """
    if kind not in _MANTISSA:
        return np.zeros(data.shape, bool)
    bits = _bits(data)
    kept = _ALL[kind] | 0x7F << (_MANTISSA[kind] - _MARK_BITS)
    return (bits & bits.dtype.type(kept)) == bits.dtype.type(_pattern(kind))


def plain(data: np.ndarray, kind: str) -> np.ndarray:
    """Values from memory: what looks unknown is a NaN like others there.

    What a store left unknown was already reported, and an array may hold any bits before a launch.

    >>> origins(plain(np.array([1.0, unknown_of("f4", "fp32", 5)], "f4"), "fp32"), "fp32").tolist()
    [0, 0]
    """
    lost = is_unknown(data, kind)
    if not lost.any():
        return data
    quiet = np.array(_ALL[kind] | 1 << (_MANTISSA[kind] - 1), f"u{data.dtype.itemsize}")
    return np.where(lost, quiet.view(data.dtype), data)


def origins(data: np.ndarray, kind: str) -> np.ndarray:
    """Which load left these unknown: 1 more than its number, and 0 for what is known.

    >>> values = np.array([1.0, unknown_of("f4", "fp32", 5) * 2, unknown_of("f4", "fp32")], "f4")
    >>> origins(values, "fp32").tolist()
    [0, 6, 1]
    """
    lost = is_unknown(data, kind)
    if not (lost.any() and has_origin(kind)):
        return lost.astype(np.int64)
    bits = _bits(data)
    numbers = bits >> bits.dtype.type(_spare_bits(kind)) & bits.dtype.type(2**_ORIGIN_BITS - 1)
    return np.where(lost, numbers.astype(np.int64) + 1, 0)


def has_origin(kind: str) -> bool:
    """Whether unknown values of a kind with a pattern have room for the number of a load."""
    return _MANTISSA.get(kind, 0) >= _MARK_BITS + _ORIGIN_BITS


def _spare_bits(kind: str) -> int:
    """Bits of the mantissa below the origin's."""
    return max(0, _MANTISSA[kind] - _MARK_BITS - _ORIGIN_BITS)


def _bits(data: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(data).view(f"u{data.dtype.itemsize}").reshape(data.shape)


def _pattern(kind: str) -> int:
    return _ALL[kind] | _MARK << (_MANTISSA[kind] - _MARK_BITS)
