"""The bit-counting and selecting functions of ``numba.cuda``, for integers of any width."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_quiet = np.errstate(all="ignore")


def _reversed_half_words() -> np.ndarray:
    """For each 16-bit number the one with its bits in the opposite order."""
    words = np.arange(1 << 16, dtype=np.uint16)
    for shift, mask in ((1, 0x5555), (2, 0x3333), (4, 0x0F0F), (8, 0x00FF)):
        shift, mask = np.uint16(shift), np.uint16(mask)
        words = ((words >> shift) & mask) | ((words & mask) << shift)
    return words


_REVERSED = _reversed_half_words()


def popc(x: np.ndarray) -> np.ndarray:
    """Count the bits that are 1, in the operand's dtype.

    >>> popc(np.int32(-1))
    np.int32(32)
    """
    x = np.asarray(x)
    return np.bitwise_count(_unsigned(x)).astype(x.dtype)[()]


def clz(x: np.ndarray) -> np.ndarray:
    """Count the zeros above the highest 1, in the operand's dtype; its width for 0.

    >>> clz(np.array([0, 1, -1], np.int32))
    array([32, 31,  0], dtype=int32)
    """
    dtype = np.asarray(x).dtype
    x = _unsigned(np.asarray(x)).copy()
    width = 8 * x.dtype.itemsize
    for shift in (1, 2, 4, 8, 16, 32):
        if shift < width:
            x |= x >> x.dtype.type(shift)
    # Every bit below the highest 1 is 1 now, so the others are the zeros that are sought.
    return (width - np.bitwise_count(x)).astype(dtype)[()]


@_quiet
def ffs(x: np.ndarray) -> np.ndarray:
    """Find the lowest 1, counted from 1; 0 for 0. uint32.

    >>> ffs(np.array([0, 1, 12]))
    array([0, 1, 3], dtype=uint32)
    """
    x = _unsigned(np.asarray(x))
    # x ^ (x - 1) has the lowest 1 and all bits below it.
    place = np.bitwise_count(x ^ (x - x.dtype.type(1)))
    return (place * (x != 0)).astype(np.uint32)[()]


def brev(x: np.ndarray) -> np.ndarray:
    """Reverse the bits of 32 or 64-bit integers.

    >>> hex(brev(np.uint32(1)))
    '0x80000000'
    """
    x = np.asarray(x)
    halves = x.itemsize // 2
    words = np.ascontiguousarray(x).reshape(-1).view(np.uint16).reshape(-1, halves)
    return np.take(_REVERSED, words[:, ::-1]).reshape(-1).view(x.dtype).reshape(x.shape)[()]


def selp(test: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """``first`` where ``test`` holds, and ``second`` elsewhere."""
    return np.where(np.asarray(test) != 0, first, second)[()]


@_quiet
def rsqrt(x: np.ndarray) -> np.ndarray:
    """``1 / sqrt(x)`` in the operand's dtype."""
    return 1 / np.sqrt(x)


@_quiet
def saturate(x: np.ndarray) -> np.ndarray:
    """Clamp floats to 0..1; NaN becomes 0 (``libdevice.saturatef``)."""
    x = np.asarray(x)
    return np.fmin(np.fmax(x, x.dtype.type(0)), x.dtype.type(1)) + x.dtype.type(0)


def byte_perm(x: np.ndarray, y: np.ndarray, selector: np.ndarray) -> np.ndarray:
    """Pick 4 of the 8 bytes of two 32-bit words (``libdevice.byte_perm``).

    Each of the selector's low 4 hexadecimal digits names, by its low 3 bits, a byte of ``x`` (0-3)
    or ``y`` (4-7).

    >>> hex(byte_perm(np.uint32(0x33221100), np.uint32(0x77665544), np.uint32(0x7531)))
    '0x77553311'
    """
    dtype = np.asarray(x).dtype
    low, high, selector = (
        np.asarray(v).astype(np.uint32).astype(np.uint64) for v in (x, y, selector)
    )
    both = low | (high << np.uint64(32))
    picked = np.zeros_like(both | selector)
    for place in range(4):
        number = (selector >> np.uint64(4 * place)) & np.uint64(7)
        byte = (both >> (number * np.uint64(8))) & np.uint64(255)
        picked = picked | (byte << np.uint64(8 * place))
    return picked.astype(dtype)[()]


def _unsigned(x: np.ndarray) -> np.ndarray:
    return x.view(f"u{x.dtype.itemsize}")


FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "brev": brev,
    "cbrt": _quiet(np.cbrt),
    "clz": clz,
    "ffs": ffs,
    "half_as_short": lambda x: x.view(np.int16),
    "popc": popc,
    "selp": selp,
    "short_as_half": lambda x: x.view(np.float16),
}
"""The functions by their names in ``numba.cuda``; those that tell a half's bits are CUDA C's."""
