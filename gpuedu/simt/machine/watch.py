"""Watched blocks: their accesses and lines one by one, for pictures and the stepper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuedu.simt.machine.masks import Mask
from gpuedu.simt.machine.regions import Region
from gpuedu.simt.machine.views import View
from gpuedu.trace import WARP_SIZE, Events, Place, Steps

if TYPE_CHECKING:
    from gpuedu.simt.machine.chunk import Chunk

MAX_ENTRIES = 4096


class Watch:
    """Keeps what the blocks in ``blocks`` do, up to a limit of entries each."""

    def __init__(self, blocks: Sequence[int], sites: int, views: Sequence[View]) -> None:
        self.blocks = tuple(blocks)
        self.truncated = False
        self.row: list[tuple[int, int]] | None = None
        self._begin = {view.name: _lowest(view) for view in views}
        self._accesses: list[tuple[int, int, int, int, np.ndarray]] = []
        self._steps: list[tuple[int, int, int, int, np.ndarray]] = []
        self._shape = (1, 1)

    def begin_chunk(self, chunk: Chunk) -> None:
        """Find the watched blocks among those that begin."""
        places = (
            {int(block): row for row, block in enumerate(chunk.blocks.tolist())}
            if self.blocks
            else {}
        )
        rows = [(places[block], block) for block in self.blocks if block in places]
        self.row = rows or None
        self._shape = chunk.shape

    def _of(self, value: Any, row: int) -> np.ndarray:
        """One block's values as (T,)."""
        if not np.ndim(value):
            return np.broadcast_to(value, self._shape[1])
        part = value[row if value.shape[0] > 1 else 0]
        return np.broadcast_to(part, self._shape[1])

    def access(self, now: int, site: int, view: View, at: Any, mask: Mask, epoch: Any) -> None:
        """Threads touched memory."""
        if len(self._accesses) >= MAX_ENTRIES:
            self.truncated, self.row = True, None
            return
        begin = self._begin.get(view.name, 0)
        for row, block in self.row or ():
            elements = np.where(
                self._of(True if mask is None else mask, row), self._of(at, row) - begin, -1
            )
            turn = int(epoch if not np.ndim(epoch) else epoch[row, 0])
            self._accesses.append((now, site, block, turn, elements))

    def step(self, now: int, region: int, mask: Mask, epoch: Any) -> None:
        """A stretch of the program began."""
        if len(self._steps) >= MAX_ENTRIES:
            self.truncated = True
            return
        for row, block in self.row or ():
            active = self._of(True if mask is None else mask, row)
            turn = int(epoch if not np.ndim(epoch) else epoch[row, 0])
            self._steps.append((now, region, block, turn, active))

    def events(self) -> Events:
        """The accesses, one row for each warp with an active lane."""
        columns: list[list[Any]] = [[] for _ in range(5)]
        elements = []
        for now, site, block, epoch, lanes in self._accesses:
            for warp, row in enumerate(lanes.reshape(-1, WARP_SIZE)):
                if (row >= 0).any():
                    for column, value in zip(columns, (now, site, block, warp, epoch), strict=True):
                        column.append(value)
                    elements.append(row)
        step, site_, block_, warp_, epoch_ = columns
        return Events(
            np.array(step, np.int64),
            np.array(site_, np.int32),
            np.array(block_, np.int32),
            np.array(warp_, np.int32),
            np.array(epoch_, np.int32),
            np.array(elements, np.int64).reshape(-1, WARP_SIZE),
        )

    def steps(self, regions: Sequence[Region], lines: dict[Place, int]) -> Steps:
        """The lines, one row for each warp with an active lane."""
        rows: list[tuple[int, int, int, int, int, int]] = []
        bits = np.uint64(1) << np.arange(WARP_SIZE, dtype=np.uint64)
        for now, region, block, epoch, active in self._steps:
            words = (active.reshape(-1, WARP_SIZE) * bits).sum(axis=1)
            for place in regions[region].lines:
                rows += [
                    (now, lines[place], block, warp, epoch, int(word))
                    for warp, word in enumerate(words)
                    if word
                ]
        table = np.array(rows, np.int64).reshape(-1, 6)
        step, line, block_, warp_, epoch_, active_ = table.T
        return Steps(
            step,
            line.astype(np.int32),
            block_.astype(np.int32),
            warp_.astype(np.int32),
            epoch_.astype(np.int32),
            active_.astype(np.uint32),
        )


def _lowest(view: View) -> int:
    """The element of a view that comes first in memory."""
    reach = [(int(n) - 1) * step for n, step in zip(view.shape, view.strides, strict=True)]
    return int(view.offset) + sum(r for r in reach if r < 0)
