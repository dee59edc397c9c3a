"""Order across blocks by fences and atomics: rule 4 of ``shadow``."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gpuedu.simt.machine.shadow import EPOCH_SHIFT, Race, block_of, epoch_of, thread_of

_PERSON = (1 << EPOCH_SHIFT) - 1  # the bits of a code that say who: thread and block


@dataclass
class Handovers:
    """Every atomic of a launch that uses fences, in order: thread, place, and what it releases.

    Columns: ``address`` (allocation and byte), ``code`` of the thread, ``fence_time`` (0 for none)
    and ``fence_epoch`` (-1 for none) of its last fence, ``looks``: whether the old value is used.
    """

    columns: list[tuple[np.ndarray, ...]] = field(default_factory=list)
    _joined: tuple[np.ndarray, ...] | None = None

    def add(
        self,
        address: np.ndarray,
        code: np.ndarray,
        fence_time: np.ndarray,
        fence_epoch: np.ndarray,
        *,
        looks: bool,
    ) -> None:
        """Enter the atomics of one statement in the order in which lanes were served."""
        self.columns.append((address, code, fence_time, fence_epoch, np.full(len(code), looks)))
        self._joined = None

    def _all(self) -> tuple[np.ndarray, ...]:
        if self._joined is None:
            self._joined = tuple(np.concatenate(part) for part in zip(*self.columns, strict=True))
        return self._joined

    def ordered(self, race: Race, addresses: np.ndarray) -> np.ndarray:
        """Which pairs of a race, each at its address, are ordered by a handover after all."""
        result = np.zeros(len(race.at), bool)
        if not self.columns or race.other_time is None:
            return result
        columns = [race.other, race.other_time.astype(np.int64), race.mine]
        is_ordered = self._is_ordered
        if race.other_kind == "atomic":
            columns.append(addresses)
            is_ordered = self._is_atomic_ordered
        unique, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        verdict = np.array([is_ordered(*map(int, row)) for row in unique], bool)
        return verdict[inverse.reshape(-1)]

    def _is_atomic_ordered(self, writer: int, written: int, reader: int, at: int) -> bool:
        """Whether an atomic is handed over: by itself, where it is the release, or by another."""
        address, code, fence_time, _, _ = self._all()
        by_writer = (code & _PERSON) == (writer & _PERSON)
        itself = np.flatnonzero((address == at) & by_writer & (fence_time > 0))
        seen = np.flatnonzero((address == at) & self._acquires(reader))
        if itself.size and seen.size and itself[-1] < seen[-1]:
            return True
        return self._is_ordered(writer, written, reader)

    def _acquires(self, reader: int) -> np.ndarray:
        """Which atomics let a thread see what was released: its own, or before a barrier."""
        _, code, _, _, looks = self._all()
        mine = thread_of(code) == thread_of(reader)
        return (
            looks
            & (block_of(code) == block_of(reader))
            & (mine | (epoch_of(code) < epoch_of(reader)))
        )

    def _is_ordered(self, writer: int, written: int, reader: int) -> bool:
        address, code, fence_time, fence_epoch, _ = self._all()
        same_thread = thread_of(code) == thread_of(writer)
        by_itself = same_thread & (fence_time > written)
        by_block = fence_epoch > epoch_of(writer)
        releases = (block_of(code) == block_of(writer)) & (by_itself | by_block)
        first: dict[int, int] = {}
        for position in np.flatnonzero(releases):
            first.setdefault(int(address[position]), int(position))
        return any(
            first.get(int(address[position]), len(address)) < position
            for position in np.flatnonzero(self._acquires(reader))
        )
