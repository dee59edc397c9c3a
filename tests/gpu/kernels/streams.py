"""Kernels that read and write global memory once: strides, offsets, widths, shapes of launches."""

from __future__ import annotations

import numpy as np

from gpuedu.backend import cuda
from tests.gpu.case import Case, Prediction, blank, floats, integers

THREADS = 2048
BLOCK = 128
GRID = THREADS // BLOCK
WARPS = THREADS // 32
UNROLLED = "the loop is unrolled by four: lanes of a warp that go round less often go by themselves"
COMPLEX = "Numba loads and stores a complex128 as two numbers of 8 bytes, 16 bytes apart"


def scale_strided(a, out, stride):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i * stride] * np.float32(2)


def scale_strided_oracle(a, out, stride):
    out[:] = a[:: int(stride)][: out.size] * np.float32(2)


def copy_shifted(a, out, offset):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i + offset]


def copy_shifted_oracle(a, out, offset):
    out[:] = a[int(offset) :][: out.size]


def one_word_for_a_warp(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i // 32]


def one_word_for_a_warp_oracle(a, out):
    out[:] = np.repeat(a, 32)[: out.size]


def copy(a, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i]


def copy_oracle(a, out):
    out[:] = a[: out.size]


def saxpy_grid_stride(alpha, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = alpha * x[i] + y[i]


def saxpy_oracle(alpha, x, y):
    y[:] = alpha * x + y


def stencil(a, out):
    i = cuda.grid(1)
    if 0 < i < a.size - 1:
        out[i] = a[i - 1] + a[i] + a[i + 1]


def stencil_oracle(a, out):
    out[1:-1] = a[:-2] + a[1:-1] + a[2:]


def sum_rows(a, out):
    row = cuda.grid(1)
    if row < a.shape[0]:
        total = np.float32(0)
        for column in range(a.shape[1]):
            total += a[row, column]
        out[row] = total


def sum_rows_oracle(a, out):
    out[:] = a.astype(np.float64).sum(axis=1)


def transpose_naive(a, out):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[x, y] = a[y, x]


def transpose_oracle(a, out):
    out[:] = a.T


def matmul_naive(a, b, c):
    column, row = cuda.grid(2)
    if row < c.shape[0] and column < c.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        c[row, column] = total


def matmul_oracle(a, b, c):
    c[:] = a.astype(np.float64) @ b.astype(np.float64)


def _strided(stride: int) -> Case:
    return Case(
        f"stride {stride}",
        scale_strided,
        GRID,
        BLOCK,
        lambda: (floats(THREADS * stride), blank(THREADS), np.int64(stride)),
        scale_strided_oracle,
    )


def _copy(name: str, dtype: type, predictions: tuple[Prediction, ...] = ()) -> Case:
    def arguments() -> tuple[np.ndarray, ...]:
        values = integers(THREADS, high=100).astype(dtype)
        return values + dtype(1j) if np.dtype(dtype).kind == "c" else values, blank(
            THREADS, dtype=dtype
        )

    return Case(name, copy, GRID, BLOCK, arguments, copy_oracle, predictions=predictions)


CASES = (
    *(_strided(stride) for stride in (1, 2, 4, 8, 32)),
    Case(
        "offset 1",
        copy_shifted,
        GRID,
        BLOCK,
        lambda: (floats(THREADS + 1), blank(THREADS), np.int64(1)),
        copy_shifted_oracle,
    ),
    Case(
        "broadcast",
        one_word_for_a_warp,
        GRID,
        BLOCK,
        lambda: (floats(WARPS), blank(THREADS)),
        one_word_for_a_warp_oracle,
    ),
    _copy("1 byte a lane", np.uint8),
    _copy("2 bytes a lane", np.int16),
    _copy("8 bytes a lane", np.float64),
    _copy(
        "16 bytes a lane",
        np.complex128,
        tuple(
            Prediction(counter, value, COMPLEX)
            for counter, value in (
                ("global load requests", 2 * WARPS),
                ("global load sectors", 32 * WARPS),
                ("global store requests", 2 * WARPS),
                ("global store sectors", 32 * WARPS),
            )
        ),
    ),
    Case("partial warps", copy, 41, 50, lambda: (floats(2030), blank(2030)), copy_oracle),
    Case(
        "grid stride",
        saxpy_grid_stride,
        3,
        96,
        lambda: (np.float32(1.5), floats(1000), floats(1000)),
        saxpy_oracle,
        tolerance=1e-6,
        # In the fifth warp 8 lanes go round four times and 24 three times: 4 + 3 rounds for 4.
        predictions=(
            Prediction("global load requests", 2 * 35, UNROLLED),
            Prediction("global store requests", 35, UNROLLED),
        ),
    ),
    Case(
        "stencil",
        stencil,
        8,
        BLOCK,
        lambda: (floats(1000), blank(1000)),
        stencil_oracle,
        tolerance=1e-6,
    ),
    Case(
        "rows by threads",
        sum_rows,
        2,
        64,
        lambda: (floats(100, 33), blank(100)),
        sum_rows_oracle,
        tolerance=1e-5,
    ),
    Case(
        "transpose naive",
        transpose_naive,
        (3, 8),
        (32, 8),
        lambda: (floats(61, 90), blank(90, 61)),
        transpose_oracle,
    ),
    Case(
        "matmul naive",
        matmul_naive,
        (3, 3),
        (16, 16),
        lambda: (floats(33, 40), floats(40, 47), blank(33, 47)),
        matmul_oracle,
        tolerance=1e-5,
    ),
)
