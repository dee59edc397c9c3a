"""The threads that run together: which blocks, and which thread is which."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np

from gpuedu.simt.machine.masks import Mask
from gpuedu.simt.machine.warps import Warps
from gpuedu.trace import WARP_SIZE, Thread

Dim3 = tuple[int, int, int]
_OF_THREADS = {
    "everybody",
    "thread",
    "lane",
    *(f"{a}{b}" for a in ("t", "b", "grid_") for b in "xyz"),
}


class Chunk:
    """Blocks of one launch, all of whose threads take each step together.

    A row is a block; after ``few`` it is a warp.

    ``blocks`` is (B,) int64, linear block numbers. Values of threads have shape (B, T), where T is
    a block's size rounded up to whole warps; lanes past the block's end are never in ``everybody``.
    An index that all threads or all blocks share is kept as a scalar, (1, T) or (B, 1). ``thread``
    is the linear thread in its block.
    """

    def __init__(self, grid: Dim3, block: Dim3, blocks: np.ndarray) -> None:
        self.grid, self.block, self.blocks = grid, block, blocks
        self.size = block[0] * block[1] * block[2]
        self.warps = -(-self.size // WARP_SIZE)
        self.shape = (len(blocks), self.warps * WARP_SIZE)
        self.thread = thread = np.arange(self.shape[1])[np.newaxis]
        self.everybody: Mask = None if self.size == self.shape[1] else thread < self.size
        self.tx, self.ty, self.tz = _split(thread, block)
        self.bx, self.by, self.bz = _split(blocks[:, np.newaxis], grid)
        self.nx, self.ny, self.nz = map(np.int32, block)
        self.gx, self.gy, self.gz = map(np.int32, grid)
        self.lane = (thread % WARP_SIZE).astype(np.int32)
        self.rows = np.arange(len(blocks))[:, np.newaxis]

    def few(self, warps: Warps) -> Self:
        """A copy with only these warps, each as its own row."""
        made = copy(self)
        made.shape, made.warps = (len(warps.number), WARP_SIZE), 1
        for name in _OF_THREADS & vars(self).keys():
            setattr(made, name, warps.of(getattr(self, name)))
        made.blocks = self.blocks[warps.number // self.warps]
        made.rows = np.arange(made.shape[0])[:, np.newaxis]
        return made

    @property
    def rows_of_block(self) -> int:
        """1, or the warps of a block if each is a row."""
        return -(-self.size // WARP_SIZE) // self.warps

    @property
    def counted(self) -> Any:
        """Where these rows are in counts of (blocks of the launch, warps of a block)."""
        if self.rows_of_block > 1:
            return self.blocks[:, np.newaxis], self.thread[:, :1] // WARP_SIZE
        first, last = int(self.blocks[0]), int(self.blocks[-1])
        return slice(first, last + 1) if last - first + 1 == len(self.blocks) else self.blocks

    def _grid(self, block: Any, size: np.int32, thread: Any) -> Any:
        return np.multiply(block, size, dtype=np.int64) + thread

    @cached_property
    def grid_x(self) -> Any:
        """``cuda.grid`` along x."""
        return self._grid(self.bx, self.nx, self.tx)

    @cached_property
    def grid_y(self) -> Any:
        """``cuda.grid`` along y."""
        return self._grid(self.by, self.ny, self.ty)

    @cached_property
    def grid_z(self) -> Any:
        """``cuda.grid`` along z."""
        return self._grid(self.bz, self.nz, self.tz)

    @cached_property
    def gridsize_x(self) -> np.int64:
        """``cuda.gridsize`` along x."""
        return np.int64(self.grid[0] * self.block[0])

    @cached_property
    def gridsize_y(self) -> np.int64:
        """``cuda.gridsize`` along y."""
        return np.int64(self.grid[1] * self.block[1])

    @cached_property
    def gridsize_z(self) -> np.int64:
        """``cuda.gridsize`` along z."""
        return np.int64(self.grid[2] * self.block[2])

    def who(self, row: int, thread: int) -> Thread:
        """The thread at a place of (B, T)."""
        of_block = np.broadcast_to(self.thread, self.shape)[row, thread]
        return self.person(int(self.blocks[row]), int(of_block))

    def person(self, block: int, thread: int) -> Thread:
        """The thread of a linear block and a linear thread in it."""
        used = [max(pair) > 1 for pair in zip(self.grid, self.block, strict=True)]
        ndim = 3 if used[2] else 2 if used[1] else 1
        return Thread(_unravel(block, self.grid), _unravel(thread, self.block), ndim)


def _unravel(linear: int, extents: Dim3) -> Dim3:
    x, rest = linear % extents[0], linear // extents[0]
    return x, rest % extents[1], rest // extents[1]


def _split(linear: np.ndarray, extents: Dim3) -> list[Any]:
    """The three indices as int32; 0 where there is only one."""
    x = linear % extents[0]
    y = linear // extents[0] % extents[1]
    z = linear // (extents[0] * extents[1])
    return [
        np.int32(0) if extent == 1 else part.astype(np.int32)
        for part, extent in zip((x, y, z), extents, strict=True)
    ]
