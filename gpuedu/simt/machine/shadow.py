"""Data races: who last touched each piece of memory, and whether that is ordered before now.

**The happens-before rule.** Of two accesses to the same memory by different threads, at least one
of them a write and not both atomic, one must happen before the other, otherwise they race. These
are ordered:

1. what one thread does, in the order of its program;
2. accesses of two threads of a block with a ``syncthreads`` between them in which both took part;
3. accesses of two lanes of a warp with a ``syncwarp`` or a ``*_sync`` operation between them whose
   mask names both (since Volta, lanes are not automatically in step);
4. across blocks, or within one: a thread fences, then changes an address atomically (release);
   later another thread changes that address atomically and uses the old value (acquire). What the
   first thread did before its fence, what its block did before a barrier before that, and the
   releasing atomic itself happen before what the second thread does afterwards, and what its block
   does after a later barrier. So the last of all blocks may reset the counter that named it.

A plain read of a flag is never an acquire: a flag must be read by an atomic. Two writes of the same
value that are not ordered leave the same memory behind: they are a note, not a hazard.

Simplified: only two accesses of each kind to an element are remembered, chosen so that a thread
that races with a forgotten one races with one of these. If a sync's mask differs between blocks, a
lane counts as named if it is named in one of them.

An access is one int64 code: lane and warp of the block (10 bits), block (24), the block's barriers
so far (16), the warp's syncs since (12). Codes are never 0: 0 is "not touched".

Sources: CUDA C++ Programming Guide 12.9, "Memory Fence Functions", "Synchronization Functions",
"Independent Thread Scheduling".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

THREAD_BITS, BLOCK_BITS, EPOCH_BITS = 10, 24, 16
EPOCH_SHIFT = THREAD_BITS + BLOCK_BITS
SYNC_SHIFT = EPOCH_SHIFT + EPOCH_BITS

_THREAD = np.int64((1 << EPOCH_SHIFT) - 1)
_BLOCK = np.int64(((1 << BLOCK_BITS) - 1) << THREAD_BITS)
_EPOCH = np.int64(((1 << EPOCH_BITS) - 1) << EPOCH_SHIFT)
_WARP = np.int64(0b11111 << 5)
_SYNC = np.int64(((1 << 12) - 1) << SYNC_SHIFT)


@dataclass
class Known:
    """What lanes know of each other, once a sync named only part of a warp.

    ``matrix`` is (T, 32): how many syncs of each lane of its warp a thread knows of, directly or
    through others. None as long as every sync named whole warps: then the counts are enough.
    """

    matrix: np.ndarray | None = None


def unordered(mine: np.ndarray, other: np.ndarray, known: Known | None = None) -> np.ndarray | None:
    """Which pairs of codes belong to different threads without order; None if there are none."""
    difference = mine ^ other
    candidates = (other != 0) & ((difference & _THREAD) != 0)
    if not candidates.any():
        return None
    same_block = (difference & _BLOCK) == 0
    same_epoch = (difference & _EPOCH) == 0
    synced = ((difference & (_WARP | _BLOCK)) == 0) & ((difference & _SYNC) != 0)
    if known is not None and known.matrix is not None and synced.any():
        knows = known.matrix[thread_of(mine[synced]), thread_of(other[synced]) % 32]
        synced[synced] = knows > sync_of(other[synced])
    races = candidates & (~same_block | (same_epoch & ~synced))
    return races if races.any() else None


def _distance(mine: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How much another access tells beside mine: 3 of another block, 2 of another warp, 1, 0."""
    difference = mine ^ other
    near = np.where(
        (difference & _EPOCH) != 0,
        0,
        np.where((difference & _WARP) != 0, 2, ((difference & _THREAD) != 0).astype(np.int64)),
    )
    near[((difference & (_WARP | _BLOCK)) == 0) & ((difference & _SYNC) != 0)] = 0
    return np.where(other == 0, 0, np.where((difference & _BLOCK) != 0, 3, near))


def sync_of(code: Any) -> Any:
    """The number of the last sync before a code."""
    return (code & _SYNC) >> SYNC_SHIFT


def block_of(code: Any) -> Any:
    """The linear block of a code."""
    return (code & _BLOCK) >> THREAD_BITS


def thread_of(code: Any) -> Any:
    """The linear thread in its block of a code."""
    return code & ((1 << THREAD_BITS) - 1)


def epoch_of(code: Any) -> Any:
    """The barriers before a code."""
    return (code & _EPOCH) >> EPOCH_SHIFT


@dataclass(frozen=True)
class Race:
    """Pairs of accesses that race: ``at`` are units of memory, codes and sites of both sides.

    ``positions`` count in the access that found them. If both sides are lanes of one statement,
    ``winners`` are the positions of those whose write remains.
    """

    at: np.ndarray
    mine: np.ndarray
    other: np.ndarray
    other_site: np.ndarray
    other_time: np.ndarray | None
    other_kind: str
    positions: np.ndarray
    winners: np.ndarray | None = None


class _Slots:
    """The last access of one kind to each unit of memory, and one that races with it."""

    def __init__(self, size: int, *, timed: bool) -> None:
        self.code = np.zeros(size, np.int64)
        self.second = np.zeros(size, np.int64)
        self.site = np.zeros(size, np.int16)
        self.second_site = np.zeros(size, np.int16)
        self.time = np.zeros(size, np.int32) if timed else None
        self.second_time = np.zeros(size, np.int32) if timed else None

    def tile(self, rows: int) -> None:
        """One copy for each block, where all blocks did the same until now."""
        for name, value in vars(self).items():
            if value is not None:
                setattr(self, name, np.tile(value, rows))


class Shadow:
    """The history of one allocation of ``size`` units (for shared memory in each block)."""

    def __init__(self, size: int, *, timed: bool, known: Known | None = None) -> None:
        self.size, self.rows, self._timed = size, 1, timed
        self._known = Known() if known is None else known
        self._writes: _Slots | None = None
        self._reads: _Slots | None = None
        self._atomics: _Slots | None = None
        self._written = False

    def split(self, rows: int) -> None:
        """Blocks take different paths from now on."""
        if self.rows == rows:
            return
        self.rows = rows
        for slots in (self._writes, self._reads, self._atomics):
            if slots is not None:
                slots.tile(rows)

    def _slots(self, name: str) -> _Slots:
        slots = getattr(self, name)
        if slots is None:
            slots = _Slots(self.size * self.rows, timed=self._timed)
            setattr(self, name, slots)
        return slots

    def unwritten(self, at: np.ndarray) -> np.ndarray | None:
        """Which units were never written; None if all were."""
        if self._written:
            return None
        slots = self._slots("_writes")
        missing = slots.code[at] == 0
        if missing.any():
            return missing
        self._written = bool(slots.code.all())
        return None

    def read(self, at: np.ndarray, code: np.ndarray, site: int, time: int) -> list[Race]:
        """Enter reads; the writes and atomics that they race with."""
        races = self._against(("_writes", "_atomics"), at, code)
        self._remember(self._slots("_reads"), at, code, site, time)
        return races

    def change(self, at: np.ndarray, code: np.ndarray, site: int, time: int) -> list[Race]:
        """Enter atomics; the writes and reads that they race with."""
        races = self._against(("_writes", "_reads"), at, code)
        self._remember(self._slots("_atomics"), at, code, site, time)
        return races

    def write(self, at: np.ndarray, code: np.ndarray, site: int, time: int) -> list[Race]:
        """Enter writes; everything that they race with, including each other."""
        races = self._against(("_writes", "_reads", "_atomics"), at, code)
        slots = self._slots("_writes")
        self._remember(slots, at, code, site, time)
        last = slots.code[at]
        lost = last != code
        if lost.any():
            where = np.flatnonzero(lost)
            races.append(
                Race(
                    at[where],
                    code[where],
                    last[where],
                    np.full(len(where), site, np.int16),
                    None if slots.time is None else np.full(len(where), time, np.int32),
                    "write",
                    where,
                    _last_at(at, where),
                )
            )
        return races

    def _against(self, names: tuple[str, ...], at: np.ndarray, code: np.ndarray) -> list[Race]:
        races = []
        for name in names:
            slots: _Slots | None = getattr(self, name)
            if slots is None:
                continue
            for held, sites, times in (
                (slots.code, slots.site, slots.time),
                (slots.second, slots.second_site, slots.second_time),
            ):
                other = held[at]
                bad = unordered(code, other, self._known)
                if bad is None:
                    continue
                where = np.flatnonzero(bad)
                time = None if times is None else times[at[where]]
                kind = {"_writes": "write", "_reads": "read", "_atomics": "atomic"}[name]
                races.append(
                    Race(at[where], code[where], other[where], sites[at[where]], time, kind, where)
                )
        return races

    def _remember(
        self, slots: _Slots, at: np.ndarray, code: np.ndarray, site: int, time: int
    ) -> None:
        old, old_site = slots.code[at], slots.site[at]
        old_time = None if slots.time is None else slots.time[at]
        slots.code[at] = code
        slots.site[at] = site
        if slots.time is not None:
            slots.time[at] = time
        lost = slots.code[at] != code
        if not old.any() and not lost.any():
            return
        second = slots.second[at]
        nearer = _distance(code, old) > _distance(code, second)
        if nearer.any():
            slots.second[at[nearer]] = old[nearer]
            slots.second_site[at[nearer]] = old_site[nearer]
            if slots.second_time is not None and old_time is not None:
                slots.second_time[at[nearer]] = old_time[nearer]
        if lost.any():
            self._remember_lost(slots, at[lost], code[lost], site, time)

    def _remember_lost(
        self, slots: _Slots, at: np.ndarray, code: np.ndarray, site: int, time: int
    ) -> None:
        """Of the lanes of one statement that met on a unit, keep one far from the last."""
        last = slots.code[at]
        distance = _distance(last, code)
        better = np.flatnonzero(distance >= _distance(last, slots.second[at]))
        order = better[np.argsort(distance[better], kind="stable")]
        slots.second[at[order]] = code[order]
        slots.second_site[at[order]] = site
        if slots.second_time is not None:
            slots.second_time[at[order]] = time

    def forget_syncs(self) -> None:
        """All accesses so far count as before the first sync: the count starts again."""
        for slots in (self._writes, self._reads, self._atomics):
            if slots is not None:
                slots.code &= ~_SYNC
                slots.second &= ~_SYNC


def _last_at(at: np.ndarray, where: np.ndarray) -> np.ndarray:
    """For each position in ``where``, the last position that has the same unit."""
    order = np.argsort(at, kind="stable")
    ends = np.searchsorted(at[order], at[where], side="right") - 1
    return order[ends]
