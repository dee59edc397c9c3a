"""Matrices that a warp holds: which lane holds which element, products, what loading costs.

CUDA leaves open which lane holds which element of a fragment, in which order a product is summed,
and how many requests a load makes. This is what the machine does for each:

- **Who holds what** (``holders``): a matrix is cut into blocks of 8x8, one row of blocks after
  another; in each, lane ``l`` holds two neighbors in row ``l // 4``, columns ``2 * (l % 4)`` and
  the next. That is the layout of ``mma`` instructions on 16-bit numbers. If a fragment has more
  elements than that, all are held again in the same order.
- **Products** (``product``): of two float16 numbers a product is exact in float32; the products
  are added to the accumulator in float32, in the order of k, each sum rounded to nearest. An
  accumulator of float16 is rounded once, at the end.
- **Requests** (``requests``): those of the machine code that ptxas 12.9 makes for compute
  capability 8.0 and 9.0, checked against its disassembly for every shape: multiplicands come from
  global memory in words of 4 bytes (8 lines by 16 bytes a request), from shared memory by
  ``ldmatrix`` (rows of 16 bytes, up to 32 of them a request); accumulators of float in pairs if
  neighbors are adjacent in memory and one by one otherwise, of half in words.

Sources: PTX ISA 8.8, "Warp Level Matrix Multiply-Accumulate Instructions" (wmma.load, wmma.mma,
and "Matrix Fragments for mma.m16n8k16"); CUDA C++ Programming Guide 12.9, "Warp Matrix Functions".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

LANES = 32
BLOCK = 8
_ROW_BYTES = 16  # a row of a block of 16-bit numbers


@lru_cache
def holders(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The row and column of each lane's elements, both int64 of shape (elements, 32).

    >>> row, column = holders(16, 16)
    >>> row.shape, (int(row[0, 5]), int(column[0, 5])), (int(row[7, 5]), int(column[7, 5]))
    ((8, 32), (1, 2), (9, 11))
    """
    lane = np.arange(LANES)
    at_row, at_column = [], []
    for top, left in np.ndindex(rows // BLOCK, columns // BLOCK):
        for neighbor in range(2):
            at_row.append(BLOCK * top + lane // 4)
            at_column.append(BLOCK * left + 2 * (lane % 4) + neighbor)
    return np.stack(at_row), np.stack(at_column)


def gathered(values: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """The matrices (..., rows, columns) that warps hold: ``values`` is (elements, ..., 32)."""
    row, column = holders(rows, columns)
    made = np.empty((*values.shape[1:-1], rows, columns), values.dtype)
    made[..., row, column] = np.moveaxis(values, 0, -2)
    return made


def scattered(matrices: np.ndarray) -> np.ndarray:
    """The reverse of ``gathered``: (elements, ..., 32) of matrices (..., rows, columns)."""
    row, column = holders(*matrices.shape[-2:])
    return np.moveaxis(matrices[..., row, column], -2, 0)


def product(left: np.ndarray, right: np.ndarray, start: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """``left @ right + start`` of float16 matrices (..., M, K) and (..., K, N), as ``dtype``."""
    a, b, total = (part.astype(np.float32) for part in (left, right, start))
    for k in range(a.shape[-1]):
        total = total + a[..., :, k, np.newaxis] * b[..., np.newaxis, k, :]
    return total.astype(dtype)


@dataclass(frozen=True, eq=False)
class Request:
    """One request of a warp: each lane asks for ``width`` adjacent elements of a line.

    A line is a row in a matrix stored by rows, a column in one stored by columns. ``line`` and
    ``position`` are (32,) int64; ``active`` is (32,) bool, or None for all lanes.
    """

    line: np.ndarray
    position: np.ndarray
    active: np.ndarray | None = None


def width_of(dtype: np.dtype, shape: tuple[int, int], kind: str, *, by_columns: bool) -> int:
    """The elements that a lane asks for at once.

    Args:
        dtype: of the elements.
        shape: (rows, columns).
        kind: "multiplicand" or "accumulator", or "ldmatrix" for one from shared memory.
        by_columns: whether the matrix is stored by columns.
    """
    if kind == "ldmatrix":
        return _ROW_BYTES // dtype.itemsize
    return 1 if dtype.itemsize == 4 and by_columns != _is_turned(shape) else 2


def _is_turned(shape: tuple[int, int]) -> bool:
    """Whether neighbors of an accumulator lie in a column: the compiler swaps the factors then."""
    return shape[0] == BLOCK


@lru_cache
def requests(
    dtype: np.dtype, shape: tuple[int, int], kind: str, *, by_columns: bool
) -> tuple[Request, ...]:
    """What a warp asks for to load or store one matrix; the arguments are those of ``width_of``.

    >>> float32, half = np.dtype(np.float32), np.dtype(np.float16)
    >>> len(requests(half, (16, 16), "multiplicand", by_columns=False))
    4
    >>> [len(requests(float32, (16, 16), "accumulator", by_columns=flag)) for flag in (False, True)]
    [4, 8]
    >>> len(requests(half, (16, 16), "ldmatrix", by_columns=True))
    1
    """
    lines, length = shape[::-1] if by_columns else shape
    blocks = list(np.ndindex(lines // BLOCK, length // BLOCK))
    if kind == "ldmatrix":
        return tuple(_rows(blocks[at : at + 4]) for at in range(0, len(blocks), 4))
    lane = np.arange(LANES)
    if width_of(dtype, shape, kind, by_columns=by_columns) == 2:
        return tuple(
            Request(BLOCK * top + lane // 4, BLOCK * left + 2 * (lane % 4)) for top, left in blocks
        )
    return tuple(
        Request(BLOCK * top + 2 * (lane % 4) + neighbor, BLOCK * left + lane // 4)
        for top, left in blocks
        for neighbor in range(2)
    )


def _rows(blocks: list[tuple[int, ...]]) -> Request:
    """One ``ldmatrix``: eight lanes name the rows of each block."""
    lane = np.arange(LANES)
    top, left = np.array([blocks[i % len(blocks)] for i in range(4)])[lane // BLOCK].T
    active = None if len(blocks) == 4 else lane < BLOCK * len(blocks)
    return Request(BLOCK * top + lane % BLOCK, BLOCK * left, active)


def word(dtype: np.dtype, width: int) -> np.dtype:
    """This many elements as one.

    >>> word(np.dtype(np.float16), 2).itemsize
    4
    """
    return dtype if width == 1 else np.dtype([(f"e{i}", dtype) for i in range(width)])
