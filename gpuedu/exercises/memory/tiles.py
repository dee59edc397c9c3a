"""What the known wrong ways to transpose in tiles leave behind."""

from __future__ import annotations

import numpy as np

TILE = 32
"""Rows and columns of a tile."""


def tiles_in_place(m: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Each tile goes to its place in the transpose, but its rows stay rows.

    Args:
        m: (rows, columns).
        out: (columns, rows), what stood there before; elements that are not written keep it.

    >>> m = np.arange(6.0).reshape(2, 3)
    >>> tiles_in_place(m, np.full((3, 2), -1.0)).tolist()
    [[0.0, 1.0], [3.0, 4.0], [-1.0, -1.0]]
    """
    got = out.copy()
    for row in range(0, m.shape[0], TILE):
        for column in range(0, m.shape[1], TILE):
            place = got[column : column + TILE, row : row + TILE]
            tile = m[row : row + TILE, column : column + TILE]
            rows, columns = (min(a, b) for a, b in zip(place.shape, tile.shape, strict=True))
            place[:rows, :columns] = tile[:rows, :columns]
    return got


def swap_in_tiles(m: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Each tile is transposed and written where it was read.

    Args:
        m: (rows, columns).
        out: (columns, rows), what stood there before; elements that are not written keep it.

    >>> m = np.arange(6.0).reshape(2, 3)
    >>> swap_in_tiles(m, np.zeros((3, 2))).tolist()
    [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    """
    got = out.copy()
    for row in range(0, m.shape[0], TILE):
        for column in range(0, m.shape[1], TILE):
            place = got[row : row + TILE, column : column + TILE]
            tile = m[row : row + TILE, column : column + TILE].T
            rows, columns = (min(a, b) for a, b in zip(place.shape, tile.shape, strict=True))
            place[:rows, :columns] = tile[:rows, :columns]
    return got
