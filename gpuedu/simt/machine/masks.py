"""Sets of threads: None is all of the chunk, False is none, an array of bools is some.

An array broadcasts to (blocks, threads): (1, T) is the same in every block, (B, 1) takes or leaves
whole blocks. Operations return the object they were given if nothing changed, so that "did any
thread leave?" is an identity test, and they never copy needlessly.
"""

from __future__ import annotations

import numpy as np

from gpuedu.trace import WARP_SIZE

Mask = np.ndarray | bool | None
"""None, False, or a bool array with two axes."""


def narrow(mask: Mask, condition: np.ndarray | np.bool_) -> tuple[Mask, Mask]:
    """The threads of ``mask`` for which ``condition`` holds, and the others."""
    if not isinstance(condition, np.ndarray):
        return (mask, False) if condition else (False, mask)
    if mask is None:
        count = np.count_nonzero(condition)
        if count == condition.size:
            return None, False
        return (condition, ~condition) if count else (False, None)
    chosen = mask & condition
    if not np.count_nonzero(chosen):  # faster than `any` on what a chunk has
        return False, mask
    rest = mask & ~condition
    return (chosen, rest) if np.count_nonzero(rest) else (mask, False)


def without(mask: Mask, gone: Mask) -> Mask:
    """The threads of ``mask`` that are not in ``gone``."""
    if gone is False:
        return mask
    if gone is None or mask is False or gone is mask:
        return False
    rest = ~gone if mask is None else mask & ~gone  # type: ignore[operator]
    return rest if np.count_nonzero(rest) else False


def union(first: Mask, second: Mask) -> Mask:
    """The threads of either."""
    if first is False or second is None:
        return second
    if second is False or first is None:
        return first
    return first | second  # type: ignore[operator]


def same_as(mask: Mask, other: Mask) -> Mask:
    """``other`` if both are the same threads, else ``mask``."""
    if mask is other or mask is False or mask is None:
        return mask
    if other is None:
        return None if mask.all() else mask  # type: ignore[union-attr]
    return other if np.array_equal(*np.broadcast_arrays(mask, other)) else mask


def words(mask: Mask, shape: tuple[int, int]) -> np.ndarray:
    """The lanes of each warp as the bits of a word, (rows, warps); one row where blocks agree.

    Of several masks, stacked, as many of these.
    """
    if mask is None:
        return np.full((1, shape[1] // WARP_SIZE), 0xFFFFFFFF, np.uint32)
    if mask.shape[-1] != shape[1]:  # type: ignore[union-attr]
        mask = np.broadcast_to(mask, (*mask.shape[:-1], shape[1]))  # type: ignore[arg-type,union-attr]
    return np.packbits(mask, axis=-1, bitorder="little").view("<u4")  # type: ignore[arg-type]


def merge(mask: Mask, new: object, old: object) -> object:
    """For each thread, the new value if it is in ``mask``, otherwise the old one."""
    if mask is None or old is None:
        return new
    if mask is False or new is None:
        return old
    return np.where(mask, new, old)  # type: ignore[call-overload]
