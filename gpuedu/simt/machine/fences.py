"""Order across blocks by fences and atomics: rule 4 of ``shadow``."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gpuedu.simt.machine.shadow import Race, block_of, epoch_of, thread_of


@dataclass
class Handovers:
    """Every atomic of a launch that fences, in order: who, where, and what it releases.

    Columns: ``address`` (allocation and unit), ``code`` of the thread, ``fence_time`` and
    ``fence_epoch`` of its last fence (-1 for none), ``time``.
    """

    columns: list[tuple[np.ndarray, ...]] = field(default_factory=list)
    _joined: tuple[np.ndarray, ...] | None = None

    def add(
        self,
        address: np.ndarray,
        code: np.ndarray,
        fence_time: np.ndarray,
        fence_epoch: np.ndarray,
        time: int,
    ) -> None:
        """Enter the atomics of one statement in the order in which lanes were served."""
        self.columns.append(
            (address, code, fence_time, fence_epoch, np.full(len(address), time, np.int64))
        )
        self._joined = None

    def _all(self) -> tuple[np.ndarray, ...]:
        if self._joined is None:
            self._joined = tuple(np.concatenate(part) for part in zip(*self.columns, strict=True))
        return self._joined

    def ordered(self, race: Race) -> np.ndarray:
        """Which pairs of a race are ordered by a release and an acquire after all."""
        result = np.zeros(len(race.at), bool)
        if not self.columns or race.other_time is None:
            return result
        pairs = np.stack([race.other, race.other_time.astype(np.int64), race.mine], axis=1)
        unique, inverse = np.unique(pairs, axis=0, return_inverse=True)
        verdict = np.array([self._is_ordered(*map(int, row)) for row in unique], bool)
        return verdict[inverse.reshape(-1)]

    def _is_ordered(self, writer: int, written: int, reader: int) -> bool:
        address, code, fence_time, fence_epoch, _ = self._all()
        same_thread = thread_of(code) == thread_of(writer)
        by_itself = same_thread & (fence_time > written)
        by_block = fence_epoch > epoch_of(writer)
        releases = (block_of(code) == block_of(writer)) & (by_itself | by_block)
        mine = thread_of(code) == thread_of(reader)
        acquires = (block_of(code) == block_of(reader)) & (
            mine | (epoch_of(code) < epoch_of(reader))
        )
        first: dict[int, int] = {}
        for position in np.flatnonzero(releases):
            first.setdefault(int(address[position]), int(position))
        return any(
            first.get(int(address[position]), len(address)) < position
            for position in np.flatnonzero(acquires)
        )
