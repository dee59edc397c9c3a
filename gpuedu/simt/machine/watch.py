"""Watched blocks: their accesses and lines one by one, for pictures and the stepper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from gpuedu.simt.machine.masks import Mask
from gpuedu.simt.machine.regions import Region
from gpuedu.simt.machine.views import View
from gpuedu.trace import WARP_SIZE, Events, Operation, Place, Space, Steps

if TYPE_CHECKING:
    from gpuedu.simt.machine.chunk import Chunk

Keep = Literal["lines", "accesses", "writes"]
"""What is kept of watched blocks: lines and accesses; accesses alone; or, of these, only those in
shared memory and those that write to global memory. Less of it takes less time."""

MAX_ENTRIES = 4096
"""How many accesses and how many lines are kept for each block."""
MAX_LANES = 1 << 24
"""For how many lanes they are kept, over all blocks: 128 MiB for accesses."""


class _Room:
    """What of the limits is used up: entries of the blocks that run now, lanes of all so far."""

    def __init__(self) -> None:
        self.entries = self.lanes = 0

    @property
    def is_full(self) -> bool:
        return self.entries >= MAX_ENTRIES or self.lanes >= MAX_LANES

    def take(self, lanes: np.ndarray) -> np.ndarray:
        self.entries += 1
        self.lanes += lanes.size
        return lanes


class Watch:
    """Keeps what the blocks in ``blocks`` do, up to a limit of entries each, and of lanes in total.

    An entry is (now, site or region, block, epoch); what its lanes did is a row of a separate
    array, one array for all blocks that run together.
    """

    def __init__(self, blocks: Sequence[int], views: Sequence[View], keep: Keep = "lines") -> None:
        self.blocks, self.keeps_lines, self._keep = tuple(blocks), keep == "lines", keep
        self.truncated = self.accesses_truncated = False
        self._room_for_accesses, self._room_for_lines = _Room(), _Room()
        self.row: list[tuple[int, int]] | None = None
        self._begin = {view.name: _lowest(view) for view in views}
        self._accesses: list[tuple[int, int, int, int]] = []
        self._elements: list[np.ndarray] = []
        self._steps: list[tuple[int, int, int, int]] = []
        self._active: list[np.ndarray] = []
        self._rows = np.zeros(0, np.intp)
        self._shape = (1, 1)

    def begin_chunk(self, chunk: Chunk) -> None:
        """Find the watched blocks among those that begin."""
        self.row = []
        for room in (self._room_for_accesses, self._room_for_lines):
            room.entries = 0
        self.go_on_with(chunk)

    def go_on_with(self, chunk: Chunk) -> None:
        """The rows of the watched blocks have changed."""
        if self.row is None:
            return
        blocks, rows = np.unique(chunk.blocks, return_index=True) if self.blocks else ((), ())
        first = dict(zip(map(int, blocks), map(int, rows), strict=True))
        self.row = [(first[block], block) for block in self.blocks if block in first] or None
        begin = np.array([row for row, _ in self.row or ()], np.intp)
        self._rows = (begin[:, np.newaxis] + np.arange(chunk.rows_of_block)).reshape(-1)
        self._shape = chunk.shape

    def stays(self, chunk: Chunk) -> Any:
        """The rows of watched blocks, (rows, 1), which are never left out."""
        if self.row is None:
            return np.False_
        return np.isin(chunk.blocks, [block for _, block in self.row])[:, np.newaxis]

    def keeps(self, operation: str, space: Space) -> bool:
        """Whether accesses of such a site are kept."""
        writes = space is Space.GLOBAL and operation != Operation.LOAD
        return self._keep != "writes" or space is Space.SHARED or writes

    def _of(self, value: Any) -> Any:
        """The watched blocks' values, as (blocks, T) or what broadcasts to that."""
        if not np.ndim(value) or value.shape[0] == 1:
            return value
        return value[self._rows]

    def _wide(self, value: Any, dtype: type) -> np.ndarray:
        """Values of the watched blocks as (blocks, T)."""
        wide = np.empty((len(self._rows), self._shape[1]), dtype)
        wide[...] = value
        return wide.reshape(len(self.row or ()), -1)

    def _entries(self, now: int, number: int, epoch: Any) -> list[tuple[int, int, int, int]]:
        """An entry for each watched block that runs now."""
        if not np.ndim(epoch):
            return [(now, number, block, int(epoch)) for _, block in self.row or ()]
        return [(now, number, block, int(epoch[row, 0])) for row, block in self.row or ()]

    def access(self, now: int, site: int, view: View, at: Any, mask: Mask, epoch: Any) -> None:
        """Threads touched memory."""
        if self._room_for_accesses.is_full:
            self.truncated = self.accesses_truncated = True
            self.row = None
            return
        elements = self._of(at) - self._begin.get(view.name, 0)
        if mask is not None and mask is not True:
            elements = np.where(self._of(mask), elements, -1)
        self._accesses += self._entries(now, site, epoch)
        self._elements.append(self._room_for_accesses.take(self._wide(elements, np.int64)))

    def step(self, now: int, region: int, mask: Mask, epoch: Any) -> None:
        """A region of the program began."""
        if self._room_for_lines.is_full:
            self.truncated = True
            return
        self._steps += self._entries(now, region, epoch)
        active = self._wide(True if mask is None else self._of(mask), bool)
        self._active.append(self._room_for_lines.take(active))

    def events(self) -> Events:
        """The accesses, one row for each warp with an active lane."""
        lanes = _by_warp(self._elements, np.int64)
        entry, warp = np.nonzero((lanes >= 0).any(axis=-1))
        step, site, block, epoch = _columns(self._accesses, entry)
        return Events(
            step,
            site.astype(np.int32),
            block.astype(np.int32),
            warp.astype(np.int32),
            epoch.astype(np.int32),
            lanes[entry, warp],
        )

    def steps(self, regions: Sequence[Region], lines: dict[Place, int]) -> Steps:
        """The lines, one row for each warp with an active lane."""
        ran = [
            (n, lines[place]) for n, s in enumerate(self._steps) for place in regions[s[1]].lines
        ]
        entry, line = np.array(ran, np.int64).reshape(-1, 2).T
        packed = np.packbits(_by_warp(self._active, bool), axis=-1, bitorder="little")
        words = packed.view("<u4")[..., 0][entry]
        row, warp = np.nonzero(words)
        step, _, block, epoch = _columns(self._steps, entry[row])
        return Steps(
            step,
            line[row].astype(np.int32),
            block.astype(np.int32),
            warp.astype(np.int32),
            epoch.astype(np.int32),
            words[row, warp].astype(np.uint32),
        )


def _by_warp(parts: Sequence[np.ndarray], dtype: type) -> np.ndarray:
    """What was kept of all blocks as (entries, warps, 32)."""
    if not parts:
        return np.zeros((0, 1, WARP_SIZE), dtype)
    together = np.concatenate(parts)
    return together.reshape(len(together), -1, WARP_SIZE)


def _columns(entries: Sequence[tuple[int, int, int, int]], rows: np.ndarray) -> np.ndarray:
    """The four columns of some entries, (4, rows)."""
    return np.array(entries, np.int64).reshape(-1, 4)[rows].T


def _lowest(view: View) -> int:
    """The element of a view that comes first in memory."""
    reach = [(int(n) - 1) * step for n, step in zip(view.shape, view.strides, strict=True)]
    return int(view.offset) + sum(r for r in reach if r < 0)
