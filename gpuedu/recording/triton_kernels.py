"""Kernels in Triton whose time is the time of their bytes: what *Custom kernels* writes, tuned.

Importing this module needs Triton. Block sizes are chosen on the device from a few, once per shape;
without a GPU (``gpuedu.triton.launching``) the first of them is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import triton
import triton.language as tl

_LONGEST_BLOCK = 4096
"""Columns of a layer norm that a program holds at a time."""


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    """Launch: a program for each row; x and out are (rows, columns), one row after another.

    BLOCK is a power of 2 that holds a row. Each program writes its own row: there is no race.
    """
    at = tl.arange(0, BLOCK)
    first = tl.program_id(0).to(tl.int64) * columns
    values = tl.load(x + first + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + first + at, powers / tl.sum(powers, axis=0), mask=at < columns)


@triton.jit
def layer_norm(x, out, weight, bias, columns, eps, BLOCK: tl.constexpr):
    """Launch: a program for each row; x and out are (rows, columns), weight and bias (columns,).

    Mean and squared deviations come from one pass, by merging those of parts (Chan et al., 1983).
    Each program writes its own row: there is no race.
    """
    first = tl.program_id(0).to(tl.int64) * columns
    count, mean, squares = 0.0, 0.0, 0.0
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + first + at, mask=at < columns, other=0.0)
        more = tl.minimum(BLOCK, columns - start).to(tl.float32)
        middle = tl.sum(values, axis=0) / more
        off = tl.where(at < columns, values - middle, 0.0)
        delta = middle - mean
        mean += delta * more / (count + more)
        squares += tl.sum(off * off, axis=0) + delta * delta * count * more / (count + more)
        count += more
    scale = 1 / tl.sqrt(squares / columns + eps)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + first + at, mask=at < columns, other=0.0)
        by = tl.load(weight + at, mask=at < columns, other=0.0)
        plus = tl.load(bias + at, mask=at < columns, other=0.0)
        tl.store(out + first + at, (values - mean) * scale * by + plus, mask=at < columns)


@triton.jit
def attention(q, k, v, out, n, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Launch: a program for each BM queries of a head; all arrays are (heads, n, D), float16.

    Causal, by the online softmax of Dao et al., "FlashAttention", 2022, algorithm 1: no array of
    (n, n) in memory. Each program writes its own rows: there is no race.
    """
    head = tl.program_id(1).to(tl.int64) * n * D
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    place = head + rows[:, None] * D + columns[None, :]
    queries = tl.load(q + place, mask=rows[:, None] < n, other=0.0)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    weighted = tl.zeros((BM, D), tl.float32)
    for start in range(0, tl.minimum(n, (tl.program_id(0) + 1) * BM), BN):
        at = start + tl.arange(0, BN)
        block = head + at[:, None] * D + columns[None, :]
        keys = tl.load(k + block, mask=at[:, None] < n, other=0.0)
        values = tl.load(v + block, mask=at[:, None] < n, other=0.0)
        scores = tl.dot(queries, tl.trans(keys)) * scale
        counts = (at[None, :] < n) & (at[None, :] <= rows[:, None])
        scores = tl.where(counts, scores, -float("inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        shrink, powers = tl.exp(largest - new), tl.exp(scores - new[:, None])
        total = total * shrink + tl.sum(powers, axis=1)
        weighted = weighted * shrink[:, None] + tl.dot(powers.to(tl.float16), values)
        largest = new
    tl.store(out + place, (weighted / total[:, None]).to(tl.float16), mask=rows[:, None] < n)


@triton.jit
def matmul_int8(
    x, codes, scales, out, rows, n, k, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    """Launch: a program for each ROWS x N of out. out = x @ (codes * scales), few rows.

    x is (rows, k) float16, codes (k, n) int8, scales (n,) float16, out (rows, n) float16. The
    weights are read as 8 bits and become 16 on the chip. Each program writes its own tile.
    """
    i = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(0) * N + tl.arange(0, N)
    total = tl.zeros((ROWS, N), tl.float32)
    for start in range(0, k, K):
        at = start + tl.arange(0, K)
        left = tl.load(
            x + i[:, None] * k + at[None, :],
            mask=(i[:, None] < rows) & (at[None, :] < k),
            other=0.0,
        )
        right = tl.load(
            codes + at[:, None] * n + j[None, :],
            mask=(at[:, None] < k) & (j[None, :] < n),
            other=0,
        )
        total = tl.dot(left, right.to(tl.float16), total)
    by = tl.load(scales + j, mask=j < n, other=0.0).to(tl.float32)
    place = out + i[:, None] * n + j[None, :]
    inside = (i[:, None] < rows) & (j[None, :] < n)
    tl.store(place, (total * by[None, :]).to(tl.float16), mask=inside)


_attention = triton.autotune(
    configs=[
        triton.Config({"BM": bm, "BN": bn}, num_warps=warps, num_stages=stages)
        for bm, bn, warps, stages in (
            *((64, 64, 4, 3), (128, 64, 4, 3), (128, 64, 8, 3)),
            *((128, 128, 8, 3), (128, 32, 4, 4), (64, 32, 4, 4)),
        )
    ],
    key=["n", "D"],
)(attention)
_matmul_int8 = triton.autotune(
    configs=[
        triton.Config({"ROWS": 16, "N": n, "K": k}, num_warps=4, num_stages=stages)
        for n, k, stages in ((64, 128, 4), (64, 64, 5), (32, 256, 4), (128, 64, 4), (32, 128, 6))
    ],
    key=["rows", "n", "k"],
)(matmul_int8)


def bind_softmax(x: Any, out: Any) -> Callable[[], None]:
    """A function that enqueues the softmax of each row of x once; (rows, columns), float32."""
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    return lambda: softmax[(rows,)](x, out, columns, BLOCK=block, num_warps=_warps(block))


def bind_layer_norm(x: Any, out: Any, weight: Any, bias: Any, eps: float) -> Callable[[], None]:
    """A function that enqueues the layer norm of each row of x once; float32."""
    rows, columns = x.shape
    block = min(triton.next_power_of_2(columns), _LONGEST_BLOCK)
    given = (x, out, weight, bias, columns, eps)
    return lambda: layer_norm[(rows,)](*given, BLOCK=block, num_warps=_warps(block))


def bind_attention(q: Any, k: Any, v: Any, out: Any) -> Callable[[], None]:
    """A function that enqueues causal attention once; (heads, n, D), float16, D a power of 2."""
    heads, n, width = q.shape
    given = (q, k, v, out, n, width**-0.5)
    return lambda: _attention[lambda meta: (triton.cdiv(n, meta["BM"]), heads)](*given, D=width)


def bind_matmul_int8(x: Any, codes: Any, scales: Any, out: Any) -> Callable[[], None]:
    """A function that enqueues out = x @ (codes * scales) once."""
    (rows, k), n = x.shape, codes.shape[1]

    def grid(meta: dict[str, int]) -> tuple[int, int]:
        return triton.cdiv(n, meta["N"]), triton.cdiv(rows, meta["ROWS"])

    return lambda: _matmul_int8[grid](x, codes, scales, out, rows, n, k)


def _warps(block: int) -> int:
    """Warps of a program that holds so many numbers: some 8 of them a thread."""
    return min(16, max(1, block // 256))
