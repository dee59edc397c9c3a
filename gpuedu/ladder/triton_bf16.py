"""A rung for Tensor Cores, in Triton: c = a @ b in bfloat16 with sums in float32.

Importing this module needs Triton. A program (block) computes a tile of c; Triton divides it among
warps, stages tiles of a and b in shared memory ahead of their use, and picks the instructions of
the Tensor Cores. The best sizes are found on the device by trying ``CONFIGS``, once per shape.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl

GROUP = 8
"""Rows of tiles that are processed together, while their tiles of b are in the L2 cache."""

SIZES = (
    # rows, columns, depth, warps, stages
    (128, 256, 64, 8, 3),
    (128, 256, 64, 8, 4),
    (256, 128, 64, 8, 3),
    (128, 128, 64, 4, 4),
    (128, 128, 64, 8, 4),
    (128, 128, 32, 4, 4),
    (64, 256, 32, 4, 4),
    (64, 64, 32, 4, 3),
)
CONFIGS = [
    triton.Config(
        {"ROWS": rows, "COLUMNS": columns, "DEPTH": depth}, num_warps=warps, num_stages=stages
    )
    for rows, columns, depth, warps, stages in SIZES
]


@triton.jit
def matmul_bf16(
    a, b, c, m, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
    GROUP: tl.constexpr,
):  # fmt: skip
    """Launch: a program for each ROWS x COLUMNS of c, in one dimension.

    a is (m, k), b is (k, n), c is (m, n), bfloat16 and stored row by row, of any size. Each program
    writes its own tile, so there is no race.
    """
    program, across = tl.program_id(0), tl.cdiv(n, COLUMNS)
    band = GROUP * across
    first = program // band * GROUP
    height = min(tl.cdiv(m, ROWS) - first, GROUP)
    row = (first + program % band % height) * ROWS + tl.arange(0, ROWS)
    column = program % band // height * COLUMNS + tl.arange(0, COLUMNS)
    step = tl.arange(0, DEPTH)
    # Rows and columns outside are taken from inside instead: their results are not written.
    from_a = a + (row % m)[:, None] * k + step[None, :]
    from_b = b + step[:, None] * n + (column % n)[None, :]
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, k, DEPTH):
        tile_a = tl.load(from_a, mask=step[None, :] < k - start, other=0.0)
        tile_b = tl.load(from_b, mask=step[:, None] < k - start, other=0.0)
        total = tl.dot(tile_a, tile_b, total)
        from_a += DEPTH
        from_b += DEPTH * n
    is_inside = (row < m)[:, None] & (column < n)[None, :]
    to = c + row[:, None] * n + column[None, :]
    tl.store(to, total.to(c.dtype.element_ty), mask=is_inside)


_tuned = triton.autotune(configs=CONFIGS, key=["m", "n", "k"])(matmul_bf16)


def bind_triton(a: Any, b: Any, c: Any) -> Callable[[], None]:
    """A function that enqueues c = a @ b once, on contiguous bfloat16 tensors of a GPU.

    Its first call tries all of ``CONFIGS`` and takes a second or more.
    """
    (m, k), n = a.shape, b.shape[1]

    def grid(meta: dict[str, int]) -> tuple[int]:
        return (triton.cdiv(m, meta["ROWS"]) * triton.cdiv(n, meta["COLUMNS"]),)

    def launch() -> None:
        _tuned[grid](a, b, c, m, n, k, GROUP=GROUP)

    return launch
