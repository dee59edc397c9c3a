"""What the addresses of a warp cost: sectors of global memory, wavefronts of shared memory.

Pure functions on groups of 32 lanes along the last axis, any number of warps at a time. Addresses
are in bytes, as integers of any kind. ``active`` is bool, of the same shape or one that broadcasts
to it; None means that all lanes take part. The addresses of inactive lanes may be anything. Results
are int64, of the shape without the lanes; a warp without an active lane costs 0.

Everything is a sort of 32 small integers and a count of bits: NumPy sorts short rows of uint32 with
vector instructions, in about a nanosecond a lane, which no special-casing in Python beats.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

LANES = 32
SECTOR_BYTES = 32
BANKS = 32
WORD_BYTES = 4

_BASE_BYTES = BANKS * WORD_BYTES  # a shift by this keeps sectors and banks
_WIDEST_ACCESS_BYTES = 16
_FITS_UINT32 = 2**32 - 2**16
_CHUNK_LANES = 2**16  # arrays of uint32 of 256 KiB: twice as fast as arrays of MiB
_BANK_BITS = 6  # room for 32 banks and for lanes that are idle


def sectors(address: np.ndarray, itemsize: int, active: np.ndarray | None = None) -> np.ndarray:
    """Count the distinct 32-byte sectors that each warp's request touches.

    An element that crosses a sector's border touches both. Sectors requested are traffic of the L1
    cache; how many of them come from device memory is another question.

    Args:
        address: (..., 32) integers, where each lane's element starts.
        itemsize: bytes of an element.
        active: (..., 32) bool, or None.

    Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" (CUDA 12.9).

    >>> lane = np.arange(32)
    >>> int(sectors(4 * lane, 4)), int(sectors(4 * lane + 4, 4)), int(sectors(32 * lane, 4))
    (4, 5, 32)
    """
    return _in_chunks(lambda at, on: _sectors(at, itemsize, on), address, active)


def ideal_sectors(lanes: np.ndarray | int, itemsize: int) -> np.ndarray:
    """Sectors that a request of this many active lanes needs if their elements are adjacent.

    >>> [int(ideal_sectors(32, itemsize)) for itemsize in (1, 4, 8, 16)]
    [1, 4, 8, 16]
    """
    return -(-np.asarray(lanes, np.int64) * itemsize // SECTOR_BYTES)


def wavefronts(address: np.ndarray, itemsize: int, active: np.ndarray | None = None) -> np.ndarray:
    """Count the passes through the 32 banks of shared memory that each warp's request needs.

    The rule: 4-byte word i is in bank i modulo 32. In one pass a bank delivers one word, to any
    number of lanes. Accesses of up to 4 bytes go in one phase for the whole warp, of 8 bytes by
    half warps, of 16 bytes by quarter warps. A phase takes as many passes as the busiest bank has
    distinct words to deliver, and none where no lane is active. Elements of other sizes count as
    several accesses, each of the largest power of two that divides the size, 16 at most.

    Simplified: phases are fixed and never merged, although hardware may serve a sparse or broadcast
    access of 8 or 16 bytes in fewer passes; elements are taken to be aligned. NVIDIA documents the
    case of 4 bytes only: check the others against a GPU's counters before you rely on them.

    Args:
        address: (..., 32) integers, byte addresses in shared memory.
        itemsize: bytes of an element.
        active: (..., 32) bool, or None.

    Source: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later
    (CUDA 12.9).

    >>> lane = np.arange(32)
    >>> int(wavefronts(4 * lane, 4)), int(wavefronts(8 * lane, 4)), int(wavefronts(0 * lane, 4))
    (1, 2, 1)
    """
    return _in_chunks(lambda at, on: _wavefronts(at, itemsize, on), address, active)


def ideal_wavefronts(
    itemsize: int, active: np.ndarray | None = None, shape: tuple[int, ...] = ()
) -> np.ndarray:
    """Wavefronts without a conflict: one for each phase that has an active lane.

    Args:
        itemsize: bytes of an element.
        active: (..., 32) bool, or None.
        shape: shape of the result if ``active`` is None.

    >>> [int(ideal_wavefronts(itemsize)) for itemsize in (2, 4, 8, 16)]
    [1, 1, 2, 4]
    """
    size = _access_bytes(itemsize)
    accesses, lanes = itemsize // size, _lanes_of_phase(size)
    if active is None:
        return np.full(shape, accesses * LANES // lanes, np.int64)
    served = _bits(np.asarray(active)).view(f"<u{lanes // 8}") != 0
    return accesses * np.count_nonzero(served, axis=-1)


def distinct(values: np.ndarray, active: np.ndarray | None = None) -> np.ndarray:
    """Count the different values that the active lanes of each warp hold.

    >>> int(distinct(np.arange(32) // 8)), int(distinct(np.arange(32) // 8, np.arange(32) < 9))
    (4, 2)
    """
    return _in_chunks(_distinct, values, active)


def same_address_lanes(address: np.ndarray, active: np.ndarray | None = None) -> np.ndarray:
    """The most active lanes of each warp that meet on one address, which atomics must wait for.

    >>> int(same_address_lanes(np.arange(32) // 8)), int(same_address_lanes(np.zeros(32, int)))
    (8, 32)
    """
    return _in_chunks(_same_address_lanes, address, active)


def _in_chunks(
    rule: Callable[[np.ndarray, np.ndarray | None], np.ndarray],
    address: np.ndarray,
    active: np.ndarray | None,
) -> np.ndarray:
    """Apply a rule to so many warps at a time that the arrays in between stay in the cache."""
    address = np.asarray(address)
    if active is not None:
        address, active = np.broadcast_arrays(address, active)
    if address.size <= _CHUNK_LANES:
        return rule(address, active)
    rows = address.reshape(-1, LANES)
    on = None if active is None else active.reshape(-1, LANES)
    step = _CHUNK_LANES // LANES
    counts = [
        rule(rows[i : i + step], None if on is None else on[i : i + step])
        for i in range(0, len(rows), step)
    ]
    return np.concatenate(counts).reshape(address.shape[:-1])


def _offsets(values: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    """The values less a common multiple of 128, as uint32 where that holds them, else as uint64.

    Equal stays equal, and sectors and banks stay what they were. Inactive lanes become anything.
    """
    values = np.asarray(values)
    if values.size == 0:
        return values.astype(np.uint32)
    low, high = int(values.min()), int(values.max())
    if active is not None and high - low >= _FITS_UINT32:
        seen = values[np.broadcast_to(active, values.shape)]
        low, high = (int(seen.min()), int(seen.max())) if seen.size else (0, 0)
    if low >= 0 and high < _FITS_UINT32:
        return values.astype(np.uint32)
    base = low - low % _BASE_BYTES
    if high - base < _FITS_UINT32 and high < 2**63:
        return (values.astype(np.int64, copy=False) - base).astype(np.uint32)
    return values.astype(np.int64, copy=False).view(np.uint64)


def _sectors(address: np.ndarray, itemsize: int, active: np.ndarray | None) -> np.ndarray:
    offset = _offsets(address, active)
    if _stays_in_one_sector(offset, itemsize):
        return _distinct_keys(offset >> 5, active)
    last = (offset + (itemsize - 1)) >> 5
    most = 1 + -(-(itemsize - 1) // SECTOR_BYTES)
    touched = [np.minimum((offset >> 5) + i, last) for i in range(most)]
    every = None if active is None else np.concatenate([active] * most, axis=-1)
    return _distinct_keys(np.concatenate(touched, axis=-1), every)


def _stays_in_one_sector(offset: np.ndarray, itemsize: int) -> bool:
    """True where no element crosses the border of a sector, because all are aligned."""
    if SECTOR_BYTES % itemsize:
        return False
    return not int(np.bitwise_or.reduce(offset, axis=None)) & (itemsize - 1)


def _distinct(values: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    return _distinct_keys(_offsets(values, active), active)


def _distinct_keys(key: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    key = np.sort(_idle_last(key, active), axis=-1)
    fresh = ~_repeats(key)
    if active is not None:
        fresh &= key != _idle(key)
    return np.bitwise_count(_bits(fresh)).sum(axis=-1, dtype=np.int64)


def _same_address_lanes(address: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    key = np.sort(_idle_last(_offsets(address, active), active), axis=-1)
    busy = key != _idle(key)
    return busy[..., 0] + _longest_run(_bits(_repeats(key) & busy)[..., 0])


def _wavefronts(address: np.ndarray, itemsize: int, active: np.ndarray | None) -> np.ndarray:
    size = _access_bytes(itemsize)
    offset = _offsets(address, active)
    starts = range(0, itemsize, size)
    return sum(_passes(offset + start, max(size, WORD_BYTES), active) for start in starts)


def _access_bytes(itemsize: int) -> int:
    """Bytes of each access that loads a part of an element: a power of two."""
    return min(itemsize & -itemsize, _WIDEST_ACCESS_BYTES)


def _lanes_of_phase(size: int) -> int:
    """Lanes that are served at the same time: together they fill the banks once."""
    return min(LANES, BANKS * WORD_BYTES // size)


def _passes(offset: np.ndarray, size: int, active: np.ndarray | None) -> np.ndarray:
    """Passes of one access, summed over its phases.

    For an aligned access of several words, that many banks side by side act as one wider bank.
    """
    lanes = _lanes_of_phase(size)
    rows = (*offset.shape[:-1], LANES // lanes, lanes)
    unit = offset.reshape(rows) >> (size.bit_length() - 1)
    bank, row = unit & (lanes - 1), unit >> (lanes.bit_length() - 1)
    key = (bank << _bank_shift(unit)) | row
    active = None if active is None else np.asarray(active).reshape(rows)
    return _busiest_bank(np.sort(_idle_last(key, active), axis=-1)).sum(axis=-1)


def _busiest_bank(key: np.ndarray) -> np.ndarray:
    """The most distinct words of one bank, from rows sorted by bank and then word."""
    bank, busy = key >> _bank_shift(key), key != _idle(key)
    same_word = _bits(_repeats(key) & busy)[..., 0]
    same_bank = _bits(_repeats(bank) & busy)[..., 0]
    crowded = same_bank & ~same_word  # another word of the bank on the left
    rows = (crowded != 0) & (same_word != 0)
    same_bank = np.where(same_word != 0, np.zeros_like(same_bank), same_bank)
    if rows.any():  # a word met again becomes a bank of its own, so that only new words run on
        own = (1 + np.arange(key.shape[-1], dtype=bank.dtype)) << _BANK_BITS
        bank = np.sort(bank[rows] | (_repeats(key[rows]) * own), axis=-1)
        busy = bank < BANKS
        same_bank[rows] = _bits(_repeats(bank) & busy)[..., 0]
    return (key[..., 0] != _idle(key)) + _longest_run(same_bank)


def _bank_shift(word: np.ndarray) -> int:
    """Bits of a key below its bank."""
    return 8 * word.dtype.itemsize - _BANK_BITS


def _idle(key: np.ndarray) -> int:
    """The key of inactive lanes; it sorts behind all others."""
    return np.iinfo(key.dtype).max


def _idle_last(key: np.ndarray, active: np.ndarray | None) -> np.ndarray:
    if active is None:
        return key
    if key.dtype == np.uint64 and np.any(key == _idle(key)):
        ranks = np.unique(key, return_inverse=True)[1]
        key = ranks.reshape(key.shape).astype(np.uint64)
    mask = np.asarray(active, bool).astype(key.dtype)
    mask -= key.dtype.type(1)  # all bits where idle: ten times as fast as np.where
    return key | mask


def _repeats(ordered: np.ndarray) -> np.ndarray:
    """True where a value equals the one to its left in the same row."""
    ordered = np.ascontiguousarray(ordered)
    again = np.empty(ordered.shape, bool)
    flat = ordered.reshape(-1)
    np.equal(flat[1:], flat[:-1], out=again.reshape(-1)[1:])
    again[..., 0] = False
    return again


def _bits(flags: np.ndarray) -> np.ndarray:
    """Flags of each row as words of 8, 16 or 32 bits, (..., words); bit i is lane i."""
    lanes = flags.shape[-1]
    width = min(lanes, 32)
    packed = np.packbits(np.ascontiguousarray(flags).reshape(-1), bitorder="little")
    return packed.view(f"<u{width // 8}").reshape(*flags.shape[:-1], lanes // width)


def _longest_run(bits: np.ndarray) -> np.ndarray:
    """Length of the longest run of ones in each word."""
    length = np.zeros(bits.shape, np.int64)
    while bits.any():
        length += bits != 0
        bits = bits & (bits << 1)
    return length
