"""The tiled matmul of ``simt.py`` by hand in NumPy: what the machine is measured against."""

from __future__ import annotations

import numpy as np

TILE = 16
WARP = 32


class HandWritten:
    """The kernel by hand in NumPy: (blocks, 256) lanes in step, as one would write it once.

    With ``counts`` it also sorts every access's addresses by warp: distinct sectors of global
    memory, and wavefronts of shared memory (the most distinct words of any bank).
    """

    def __init__(self, n: int, *, counts: bool) -> None:
        self.n = n
        self.counts = counts
        thread = np.arange(TILE * TILE)
        self.tx, self.ty = thread % TILE, thread // TILE
        block = np.arange((n // TILE) ** 2)[:, None]
        self.column = block % (n // TILE) * TILE + self.tx
        self.row = block // (n // TILE) * TILE + self.ty
        self.sectors = np.zeros(block.size * TILE * TILE // WARP, np.int64)
        self.wavefronts = np.zeros_like(self.sectors)

    def run(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
        """Multiply a and b into c."""
        n, tx, ty, column, row = self.n, self.tx, self.ty, self.column, self.row
        a, b, c = a.ravel(), b.ravel(), c.reshape(-1)
        total = np.zeros(row.shape, np.float32)
        own = ty * TILE + tx
        for m in range(n // TILE):
            left = self._load(a, row * n + (m * TILE + tx))
            right = self._load(b, (m * TILE + ty) * n + column)
            self._count_shared(own)
            self._count_shared(own)
            for k in range(TILE):
                one, two = ty * TILE + k, k * TILE + tx
                total += left[:, one] * right[:, two]
                self._count_shared(one)
                self._count_shared(two)
        self._count_global(row * n + column)
        c[row * n + column] = total

    def _load(self, array: np.ndarray, index: np.ndarray) -> np.ndarray:
        self._count_global(index)
        return array[index]

    def _count_global(self, index: np.ndarray) -> None:
        if self.counts:
            sector = np.sort((index * 4 // 32).reshape(-1, WARP), axis=1)
            self.sectors += 1 + (np.diff(sector, axis=1) != 0).sum(axis=1)

    def _count_shared(self, index: np.ndarray) -> None:
        if not self.counts:
            return
        word = np.sort(np.broadcast_to(index, self.row.shape).reshape(-1, WARP), axis=1)
        is_new = np.ones(word.shape, bool)
        is_new[:, 1:] = word[:, 1:] != word[:, :-1]
        warp = np.arange(len(word))[:, None] * WARP
        in_bank = np.bincount((warp + word % 32)[is_new], minlength=word.size)
        self.wavefronts += in_bank.reshape(-1, WARP).max(axis=1)
