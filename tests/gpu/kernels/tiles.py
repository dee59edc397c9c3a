"""Kernels that work together through shared memory."""

from __future__ import annotations

import numpy as np

from gpuedu.backend import cuda
from tests.gpu.case import Case, Prediction, blank, floats, integers
from tests.gpu.kernels.streams import matmul_oracle, transpose_oracle

BLOCK = 128
TILE = 16
SIDE = 32
PADDED = SIDE + 1
BINS = 64
HALO = BLOCK + 2
WARPS = BLOCK // 32
DOUBLE = 2 * BLOCK
MERGED = "the compiler makes one load and one store of those that both branches have"
WIDE = "the compiler loads four neighbors, the same for all lanes of a row, as one of 16 bytes"


def transpose_tiled(a, out):
    tile = cuda.shared.array((SIDE, SIDE), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * SIDE, cuda.blockIdx.y * SIDE
    tile[y, x] = a[row + y, column + x]
    cuda.syncthreads()
    out[column + y, row + x] = tile[x, y]


def transpose_padded(a, out):
    tile = cuda.shared.array((SIDE, PADDED), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * SIDE, cuda.blockIdx.y * SIDE
    tile[y, x] = a[row + y, column + x]
    cuda.syncthreads()
    out[column + y, row + x] = tile[x, y]


def matmul_tiled(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), np.float32)
    tile_b = cuda.shared.array((TILE, TILE), np.float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = np.float32(0)
    for start in range(0, a.shape[1], TILE):
        tile_a[y, x] = a[row, start + x]
        tile_b[y, x] = b[start + y, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[y, k] * tile_b[k, x]
        cuda.syncthreads()
    c[row, column] = total


def reduction_tree(a, out):
    part = cuda.shared.array(BLOCK, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = a[i] if i < a.size else np.float32(0)
    reach = BLOCK // 2
    while reach > 0:
        cuda.syncthreads()
        if t < reach:
            part[t] += part[t + reach]
        reach //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def reduction_shuffles(a, out):
    part = cuda.shared.array(WARPS, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    value = a[i] if i < a.size else np.float32(0)
    for step in range(5):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, 16 >> step)
    if t % 32 == 0:
        part[t // 32] = value
    cuda.syncthreads()
    if t == 0:
        total = part[0]
        for warp in range(1, WARPS):
            total += part[warp]
        out[cuda.blockIdx.x] = total


def block_sums_oracle(a, out):
    padded = np.zeros(out.size * BLOCK)
    padded[: a.size] = a
    out[:] = padded.reshape(-1, BLOCK).sum(axis=1)


def histogram_shared(a, bins):
    own = cuda.shared.array(BINS, np.int32)
    t = cuda.threadIdx.x
    if t < BINS:
        own[t] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(own, a[i], 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(bins, t, own[t])


def histogram_global(a, bins):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(bins, a[i], 1)


def histogram_oracle(a, bins):
    bins += np.bincount(a, minlength=bins.size).astype(bins.dtype)


def scan(a, out):
    part = cuda.shared.array((2, BLOCK), np.int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    now = 0
    part[now, t] = a[i]
    cuda.syncthreads()
    reach = 1
    while reach < BLOCK:
        if t >= reach:
            part[1 - now, t] = part[now, t] + part[now, t - reach]
        else:
            part[1 - now, t] = part[now, t]
        now = 1 - now
        reach *= 2
        cuda.syncthreads()
    out[i] = part[now, t]


def scan_oracle(a, out):
    out[:] = a.reshape(-1, BLOCK).cumsum(axis=1).reshape(-1)


def stencil_shared(a, out):
    tile = cuda.shared.array(HALO, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    last = a.size - 1
    tile[t + 1] = a[min(i, last)]
    if t == 0:
        tile[0] = a[max(i - 1, 0)]
    if t == BLOCK - 1:
        tile[BLOCK + 1] = a[min(i + 1, last)]
    cuda.syncthreads()
    if i <= last:
        out[i] = tile[t] + tile[t + 1] + tile[t + 2]


def stencil_shared_oracle(a, out):
    wide = np.pad(a, 1, mode="edge")
    out[:] = wide[:-2] + wide[1:-1] + wide[2:]


def reverse_dynamic(a, out):
    tile = cuda.shared.array(0, np.float64)
    t = cuda.threadIdx.x
    tile[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = tile[cuda.blockDim.x - 1 - t]


def reverse_oracle(a, out):
    out[:] = a.reshape(-1, BLOCK)[:, ::-1].reshape(-1)


def every_second_word(a, out):
    tile = cuda.shared.array(DOUBLE, np.float32)
    t = cuda.threadIdx.x
    tile[2 * t] = a[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = tile[2 * (BLOCK - 1 - t)]


CASES = (
    Case(
        "transpose tiled",
        transpose_tiled,
        (3, 2),
        (SIDE, SIDE),
        lambda: (floats(64, 96), blank(96, 64)),
        transpose_oracle,
    ),
    Case(
        "transpose padded",
        transpose_padded,
        (3, 2),
        (SIDE, SIDE),
        lambda: (floats(64, 96), blank(96, 64)),
        transpose_oracle,
    ),
    Case(
        "matmul tiled",
        matmul_tiled,
        (3, 2),
        (TILE, TILE),
        lambda: (floats(32, 64), floats(64, 48), blank(32, 48)),
        matmul_oracle,
        tolerance=1e-5,
        # Half of the 6144 loads are of a: 3072 become 768. A warp spans two rows, and a load of
        # 16 bytes a lane takes a pass for each of them.
        predictions=(
            Prediction("shared load requests", 3072 + 768, WIDE),
            Prediction("shared load wavefronts", 3072 + 2 * 768, WIDE),
        ),
    ),
    Case(
        "reduction tree",
        reduction_tree,
        5,
        BLOCK,
        lambda: (floats(600), blank(5)),
        block_sums_oracle,
        tolerance=1e-5,
    ),
    Case(
        "reduction shuffles",
        reduction_shuffles,
        5,
        BLOCK,
        lambda: (floats(600), blank(5)),
        block_sums_oracle,
        tolerance=1e-5,
        # One thread of each of five blocks loads what four warps left: 20 loads become 5.
        predictions=(
            Prediction("shared load requests", 5, WIDE),
            Prediction("shared load wavefronts", 5, WIDE),
        ),
    ),
    Case(
        "histogram shared",
        histogram_shared,
        8,
        BLOCK,
        lambda: (integers(1000, high=BINS), blank(BINS, dtype=np.int32)),
        histogram_oracle,
    ),
    Case(
        "histogram global",
        histogram_global,
        8,
        BLOCK,
        lambda: (integers(1000, high=BINS), blank(BINS, dtype=np.int32)),
        histogram_oracle,
    ),
    Case(
        "scan",
        scan,
        4,
        BLOCK,
        lambda: (integers(4 * BLOCK, high=100), blank(4 * BLOCK, dtype=np.int32)),
        scan_oracle,
        # In five of seven rounds both branches are taken by lanes of each block's first warp.
        predictions=tuple(
            Prediction(counter, value, MERGED)
            for counter, value in (
                ("shared load requests", 228),
                ("shared load wavefronts", 228),
                ("shared store requests", 128),
                ("shared store wavefronts", 128),
            )
        ),
    ),
    Case(
        "stencil shared",
        stencil_shared,
        8,
        BLOCK,
        lambda: (floats(1000), blank(1000)),
        stencil_shared_oracle,
        tolerance=1e-6,
    ),
    Case(
        "dynamic shared, 8 bytes",
        reverse_dynamic,
        4,
        BLOCK,
        lambda: (floats(4 * BLOCK, dtype=np.float64), blank(4 * BLOCK, dtype=np.float64)),
        reverse_oracle,
        dynamic_shared_bytes=BLOCK * 8,
    ),
    Case(
        "shared stride 2",
        every_second_word,
        4,
        BLOCK,
        lambda: (floats(4 * BLOCK), blank(4 * BLOCK)),
        reverse_oracle,
    ),
)
