"""Shuffles, votes and matches: what the 32 lanes of a warp tell each other.

Shapes: ``(..., 32)``, the last axis is a warp's lanes. ``active`` (bool) are the lanes that
execute the instruction, ``members`` the uint32 mask that each passes. Every function returns its
results and ``undefined`` (bool): the active lanes whose result CUDA leaves open, because they are
not in their own mask, because another lane named in it passes a different one, or because they
read from a lane that is inactive or not named (PTX ISA, ``shfl.sync``, ``vote.sync``,
``match.sync``). Results of inactive lanes mean nothing.

Masks are returned as uint32; Numba types those of ``ballot_sync`` and the matches as int32.

Simplified: a lane that a mask names but that does not execute is treated as one that has ended
(CUDA does not wait for those); ``absent_lanes`` gives them, for the machine to report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.widths import as_index

WARP_SIZE = 32
FULL_MASK = np.uint32(0xFFFFFFFF)

_LANES = np.arange(WARP_SIZE, dtype=np.int64)
_BITS = np.uint32(1) << _LANES.astype(np.uint32)


def pack(flags: np.ndarray) -> np.ndarray:
    """Bool (..., 32) to uint32 (...): bit i is lane i.

    >>> hex(pack(np.arange(32) < 4))
    '0xf'
    """
    packed = np.packbits(np.ascontiguousarray(flags), axis=-1, bitorder="little")
    return packed.view("<u4")[..., 0].astype(np.uint32, copy=False)


def unpack(masks: np.ndarray) -> np.ndarray:
    """Masks (...) of any integer dtype to bool (..., 32).

    >>> np.flatnonzero(unpack(0b101)).tolist()
    [0, 2]
    """
    words = np.asarray(masks).astype(np.uint32, casting="unsafe")
    return (words[..., np.newaxis] & _BITS) != 0


def activemask(active: np.ndarray) -> np.ndarray:
    """The lanes that execute together: uint32 (..., 32), the same for all lanes of a warp."""
    return np.broadcast_to(pack(active)[..., np.newaxis], active.shape)


def lanemask_lt() -> np.ndarray:
    """For each lane the mask of the lanes below it: uint32 (32,)."""
    return _BITS - np.uint32(1)


def absent_lanes(active: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Lanes that an active lane's mask names but that do not execute: uint32 (...)."""
    words = np.broadcast_to(_words(members), active.shape)
    named = np.bitwise_or.reduce(np.where(active, words, np.uint32(0)), axis=-1)
    return named & ~pack(active)


def shfl_sync(
    value: np.ndarray, source: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each lane reads ``value`` of lane ``source`` modulo 32."""
    return _shuffle(value, _five_bits(source), active, members)


def shfl_up_sync(
    value: np.ndarray, delta: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each lane reads from ``delta`` (modulo 32) lanes below; the lowest keep their own."""
    source = _LANES - _five_bits(delta)
    return _shuffle(value, np.where(source < 0, _LANES, source), active, members)


def shfl_down_sync(
    value: np.ndarray, delta: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each lane reads from ``delta`` (modulo 32) lanes above; the highest keep their own."""
    source = _LANES + _five_bits(delta)
    return _shuffle(value, np.where(source >= WARP_SIZE, _LANES, source), active, members)


def shfl_xor_sync(
    value: np.ndarray, lane_mask: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each lane reads from the lane whose number differs in the bits of ``lane_mask``."""
    return _shuffle(value, _LANES ^ _five_bits(lane_mask), active, members)


def all_sync(
    predicate: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Whether ``predicate`` is non-zero on all executing members: bool (..., 32)."""
    votes, voters = _ballot(predicate, active, members)
    return votes == voters, _outsiders(active, members)


def any_sync(
    predicate: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Whether ``predicate`` is non-zero on any executing member: bool (..., 32)."""
    votes, _ = _ballot(predicate, active, members)
    return votes != 0, _outsiders(active, members)


def eq_sync(
    predicate: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Whether ``predicate`` is non-zero on all executing members or on none: bool (..., 32)."""
    votes, voters = _ballot(predicate, active, members)
    return (votes == voters) | (votes == 0), _outsiders(active, members)


def ballot_sync(
    predicate: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The executing members whose ``predicate`` is non-zero: uint32 (..., 32)."""
    votes, _ = _ballot(predicate, active, members)
    return votes, _outsiders(active, members)


def match_any_sync(
    value: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The executing members whose ``value`` has the same bits as the lane's: uint32 (..., 32)."""
    bits = _as_bits(value, active)
    same = bits[..., :, np.newaxis] == bits[..., np.newaxis, :]
    same_lanes = pack(same)
    voters = _words(members) & pack(active)[..., np.newaxis]
    return same_lanes & voters, _outsiders(active, members)


def match_all_sync(
    value: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The executing members if all their values have the same bits, else 0; and whether they have.

    Returns:
        uint32 (..., 32), bool (..., 32) and ``undefined``.
    """
    same, undefined = match_any_sync(value, active, members)
    voters = _words(members) & pack(active)[..., np.newaxis]
    agreed = same == voters
    return np.where(agreed, voters, np.uint32(0)), agreed, undefined


def _reduction(operation: np.ufunc, identity: Callable[[np.dtype], Any]) -> Callable[..., Any]:
    """One value of all executing members, for each of them."""

    def reduce(
        value: np.ndarray, active: np.ndarray, members: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        value = np.broadcast_to(value, active.shape)
        words = np.broadcast_to(_words(members), active.shape)
        nothing = identity(value.dtype)
        if (words == words[..., :1]).all():
            taken = np.where(active & unpack(words[..., 0]), value, nothing)
            found = operation.reduce(taken, axis=-1, keepdims=True, dtype=value.dtype)
            return np.broadcast_to(found, active.shape), _outsiders(active, members)
        taken = unpack(words) & active[..., np.newaxis, :]
        spread = np.where(taken, value[..., np.newaxis, :], nothing)
        found = operation.reduce(spread, axis=-1, dtype=value.dtype)
        return found, _outsiders(active, members)

    return reduce


reduce_add_sync = _reduction(np.add, lambda dtype: dtype.type(0))
reduce_min_sync = _reduction(np.minimum, lambda dtype: np.iinfo(dtype).max)
reduce_max_sync = _reduction(np.maximum, lambda dtype: np.iinfo(dtype).min)
reduce_and_sync = _reduction(np.bitwise_and, lambda dtype: np.iinfo(dtype).max)
reduce_or_sync = _reduction(np.bitwise_or, lambda dtype: dtype.type(0))
reduce_xor_sync = _reduction(np.bitwise_xor, lambda dtype: dtype.type(0))


def _words(members: np.ndarray) -> np.ndarray:
    return np.asarray(members).astype(np.uint32, casting="unsafe")


def _five_bits(lane: np.ndarray) -> np.ndarray:
    return np.asarray(lane).astype(np.int64, casting="unsafe") & 31


def _as_bits(value: np.ndarray, active: np.ndarray) -> np.ndarray:
    value = np.broadcast_to(value, active.shape)
    return np.ascontiguousarray(value).view(f"u{value.dtype.itemsize}")


def _ballot(
    predicate: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each lane's view of the votes, and of those who voted: uint32 (..., 32)."""
    truth = np.asarray(predicate) != 0
    words = np.broadcast_to(_words(members), active.shape)
    votes = pack(truth & active)[..., np.newaxis]
    return votes & words, pack(active)[..., np.newaxis] & words


def _shuffle(
    value: np.ndarray, source: np.ndarray, active: np.ndarray, members: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    value = np.broadcast_to(value, active.shape)
    undefined = _outsiders(active, members)
    words = _words(members)
    if not active.all() or not (words == FULL_MASK).all():
        named = (words >> source.astype(np.uint32)) & np.uint32(1) != 0
        undefined = undefined | (active & ~(_pick(active, source) & named))
    return _pick(value, source), undefined


def _pick(values: np.ndarray, source: np.ndarray) -> np.ndarray:
    """``values`` of lane ``source`` of the same warp."""
    source = as_index(source)
    if source.ndim <= 1:
        return np.take(values, np.broadcast_to(source, (WARP_SIZE,)), axis=-1)
    warps = np.arange(0, values.size, WARP_SIZE).reshape(*values.shape[:-1], 1)
    return values.reshape(-1).take(warps + np.broadcast_to(source, values.shape))


def _outsiders(active: np.ndarray, members: np.ndarray) -> np.ndarray:
    """Active lanes whose mask leaves them out, or names a lane that passes a different mask."""
    words = _words(members)
    if (words == FULL_MASK).all():
        return np.zeros(active.shape, bool)
    words = np.broadcast_to(words, active.shape)
    outside = active & ((words & _BITS) == 0)
    first = np.take_along_axis(words, active.argmax(axis=-1)[..., np.newaxis], axis=-1)
    mixed = (active & (words != first)).any(axis=-1)
    if mixed.any():
        words, present = words[mixed], active[mixed]
        differs = words[..., :, np.newaxis] != words[..., np.newaxis, :]
        meets = unpack(words) & present[..., np.newaxis, :]
        outside[mixed] |= present & (differs & meets).any(axis=-1)
    return outside
