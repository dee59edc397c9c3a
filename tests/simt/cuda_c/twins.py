"""Kernels written twice, in Python and in CUDA C, with launches for both.

A pair does the same work by the same accesses, so that results and counts must agree to the last
sector. Python indices are int64 and C's are int; Python's float literals are cast where C has ``f``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import boolean, float32, int32
from numba import uint32 as u32

from gpuedu.backend import cuda


@dataclass(frozen=True)
class Pair:
    """Two kernels and one launch; ``arguments`` makes fresh arrays and numbers from a generator.

    Arrays go to both; ``numbers`` are what only the C kernel takes, after them.
    """

    name: str
    python: Callable[..., None]
    code: str
    grid: Any
    block: Any
    arguments: Callable[[np.random.Generator], list[Any]]
    numbers: tuple[Any, ...] = ()
    dynamic_shared_bytes: int = 0


PAIRS: list[Pair] = []


def pair(code: str, grid: Any, block: Any, arguments: Callable, *numbers: Any, dynamic: int = 0):
    """Register the decorated Python kernel with its twin."""

    def register(python: Callable) -> Callable:
        PAIRS.append(Pair(python.__name__, python, code, grid, block, arguments, numbers, dynamic))
        return python

    return register


def floats(*shapes: Any) -> Callable[[np.random.Generator], list[Any]]:
    return lambda rng: [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


INT = np.int32


@pair(
    """extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) c[i] = a[i] + b[i];
    }""",
    4, 96, floats(300, 300, 300), INT(300),
)  # fmt: skip
def vector_add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@pair(
    """extern "C" __global__ void grid_stride(float* x, int n) {
        int stride = gridDim.x * blockDim.x;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) x[i] = x[i] * 2.0f + 1.0f;
    }""",
    3, 64, floats(1000), INT(1000),
)  # fmt: skip
def grid_stride(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] = x[i] * float32(2) + float32(1)


@pair(
    """extern "C" __global__ void strided(const float* x, float* y, int n) {
        int i = threadIdx.x + blockIdx.x * blockDim.x;
        if (i < n) y[i] = x[i * 7 % n];
    }""",
    2, 128, floats(200, 200), INT(200),
)  # fmt: skip
def strided(x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i * 7 % x.size]


@pair(
    """#define TILE 16
    extern "C" __global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K) {
        __shared__ float left[TILE][TILE], right[TILE][TILE];
        int tx = threadIdx.x, ty = threadIdx.y;
        int column = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
        float total = 0.0f;
        for (int m = 0; m < (K + TILE - 1) / TILE; ++m) {
            left[ty][tx] = row < M && m * TILE + tx < K ? a[row * K + m * TILE + tx] : 0.0f;
            right[ty][tx] = m * TILE + ty < K && column < N ? b[(m * TILE + ty) * N + column] : 0.0f;
            __syncthreads();
            for (int k = 0; k < TILE; ++k) total += left[ty][k] * right[k][tx];
            __syncthreads();
        }
        if (row < M && column < N) c[row * N + column] = total;
    }""",
    (3, 2), (16, 16), floats((30, 20), (20, 40), (30, 40)), INT(30), INT(40), INT(20),
)  # fmt: skip
def matmul(a, b, c):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for m in range((a.shape[1] + 15) // 16):
        left[ty, tx] = (
            a[row, m * 16 + tx] if row < a.shape[0] and m * 16 + tx < a.shape[1] else float32(0)
        )
        right[ty, tx] = (
            b[m * 16 + ty, column]
            if m * 16 + ty < a.shape[1] and column < b.shape[1]
            else float32(0)
        )
        cuda.syncthreads()
        for k in range(16):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def transposition(pad: int) -> str:
    return f"""extern "C" __global__ void transpose(const float* x, float* y, int M, int N) {{
        __shared__ float tile[32][32 + {pad}];
        int i = blockIdx.y * 32 + threadIdx.y, j = blockIdx.x * 32 + threadIdx.x;
        for (int r = 0; r < 32; r += 8)
            if (i + r < M && j < N) tile[threadIdx.y + r][threadIdx.x] = x[(i + r) * N + j];
        __syncthreads();
        i = blockIdx.x * 32 + threadIdx.y;
        j = blockIdx.y * 32 + threadIdx.x;
        for (int r = 0; r < 32; r += 8)
            if (i + r < N && j < M) y[(i + r) * M + j] = tile[threadIdx.x][threadIdx.y + r];
    }}"""


def transposing(width):
    def transpose(x, y):
        tile = cuda.shared.array((32, width), float32)
        j, i = cuda.blockIdx.x * 32 + cuda.threadIdx.x, cuda.blockIdx.y * 32 + cuda.threadIdx.y
        for r in range(0, 32, 8):
            if i + r < x.shape[0] and j < x.shape[1]:
                tile[cuda.threadIdx.y + r, cuda.threadIdx.x] = x[i + r, j]
        cuda.syncthreads()
        i = cuda.blockIdx.x * 32 + cuda.threadIdx.y
        j = cuda.blockIdx.y * 32 + cuda.threadIdx.x
        for r in range(0, 32, 8):
            if i + r < x.shape[1] and j < x.shape[0]:
                y[i + r, j] = tile[cuda.threadIdx.x, cuda.threadIdx.y + r]

    return transpose


for pad in (0, 1):
    pair(
        transposition(pad), (3, 2), (32, 8), floats((40, 70), (70, 40)), INT(40), INT(70)
    )(transposing(32 + pad))  # fmt: skip


@pair(
    """extern "C" __global__ void block_sum(const float* x, float* out, int n) {
        extern __shared__ float s[];
        int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
        s[t] = i < n ? x[i] : 0.0f;
        __syncthreads();
        for (int step = blockDim.x / 2; step > 0; step /= 2) {
            if (t < step) s[t] += s[t + step];
            __syncthreads();
        }
        if (t == 0) out[blockIdx.x] = s[0];
    }""",
    3, 128, floats(300, 3), INT(300), dynamic=512,
)  # fmt: skip
def block_sum(x, out):
    s = cuda.shared.array(0, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[t] = x[i] if i < x.size else float32(0)
    cuda.syncthreads()
    step = cuda.blockDim.x // 2
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = s[0]


@pair(
    """extern "C" __global__ void warp_sum(const float* x, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        float v = 0.0f;
        if (i < n) v = x[i];
        for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
        if (threadIdx.x % 32 == 0) out[i / 32] = v;
    }""",
    2, 64, floats(100, 4), INT(100),
)  # fmt: skip
def warp_sum(x, out):
    i = cuda.grid(1)
    v = float32(0)
    if i < x.size:
        v = x[i]
    d = 16
    while d > 0:
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, d)
        d //= 2
    if cuda.threadIdx.x % 32 == 0:
        out[i // 32] = v


@pair(
    """extern "C" __global__ void histogram(const int* values, unsigned int* counts, int n) {
        __shared__ unsigned int own[10];
        for (int b = threadIdx.x; b < 10; b += blockDim.x) own[b] = 0;
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) atomicAdd(&own[values[i]], 1u);
        __syncthreads();
        for (int b = threadIdx.x; b < 10; b += blockDim.x) atomicAdd(&counts[b], own[b]);
    }""",
    4, 64,
    lambda rng: [rng.integers(0, 10, 250, dtype=np.int32), np.zeros(10, np.uint32)],
    INT(250),
)  # fmt: skip
def histogram(values, counts):
    own = cuda.shared.array(10, u32)
    for b in range(cuda.threadIdx.x, 10, cuda.blockDim.x):
        own[b] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(own, values[i], 1)
    cuda.syncthreads()
    for b in range(cuda.threadIdx.x, 10, cuda.blockDim.x):
        cuda.atomic.add(counts, b, own[b])


@pair(
    """extern "C" __global__ void scan(const int* x, int* y, int n) {
        __shared__ int s[2][64];
        int t = threadIdx.x, from = 0;
        s[0][t] = t < n ? x[t] : 0;
        __syncthreads();
        for (int d = 1; d < 64; d *= 2) {
            int to = 1 - from;
            if (t >= d) s[to][t] = s[from][t] + s[from][t - d];
            else s[to][t] = s[from][t];
            __syncthreads();
            from = to;
        }
        if (t < n) y[t] = s[from][t];
    }""",
    1, 64, lambda rng: [rng.integers(-9, 9, 50, dtype=np.int32), np.zeros(50, np.int32)], INT(50),
)  # fmt: skip
def scan(x, y):
    s = cuda.shared.array((2, 64), int32)
    t, begin = cuda.threadIdx.x, 0
    s[0, t] = x[t] if t < x.size else int32(0)
    cuda.syncthreads()
    d = 1
    while d < 64:
        end = 1 - begin
        if t >= d:
            s[end, t] = s[begin, t] + s[begin, t - d]
        else:
            s[end, t] = s[begin, t]
        cuda.syncthreads()
        begin = end
        d *= 2
    if t < x.size:
        y[t] = s[begin, t]


@pair(
    """extern "C" __global__ void stencil(const float* x, float* y, int n) {
        __shared__ float s[64 + 2];
        int t = threadIdx.x, i = blockIdx.x * 64 + t;
        s[t + 1] = i < n ? x[i] : 0.0f;
        if (t == 0) s[0] = i > 0 ? x[i - 1] : 0.0f;
        if (t == 63) s[65] = i + 1 < n ? x[i + 1] : 0.0f;
        __syncthreads();
        if (i < n) y[i] = (s[t] + s[t + 1] + s[t + 2]) / 3.0f;
    }""",
    3, 64, floats(150, 150), INT(150),
)  # fmt: skip
def stencil(x, y):
    s = cuda.shared.array(66, float32)
    t, i = cuda.threadIdx.x, cuda.blockIdx.x * 64 + cuda.threadIdx.x
    s[t + 1] = x[i] if i < x.size else float32(0)
    if t == 0:
        s[0] = x[i - 1] if i > 0 else float32(0)
    if t == 63:
        s[65] = x[i + 1] if i + 1 < x.size else float32(0)
    cuda.syncthreads()
    if i < x.size:
        y[i] = (s[t] + s[t + 1] + s[t + 2]) / float32(3)


@pair(
    """__device__ int steps(float re, float im, int most) {
        float x = 0.0f, y = 0.0f;
        for (int k = 0; k < most; ++k) {
            float x2 = x * x, y2 = y * y;
            if (x2 + y2 > 4.0f) return k;
            y = 2.0f * x * y + im;
            x = x2 - y2 + re;
        }
        return most;
    }
    extern "C" __global__ void mandelbrot(int* image, int width, int height) {
        int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
        if (i < height && j < width) {
            float re = -2.0f + 3.0f * (float)j / (float)width;
            float im = -1.0f + 2.0f * (float)i / (float)height;
            image[i * width + j] = steps(re, im, 40);
        }
    }""",
    (3, 4), (16, 8), lambda rng: [np.zeros((30, 40), np.int32)], INT(40), INT(30),
)  # fmt: skip
def mandelbrot(image):
    j, i = cuda.grid(2)
    if i < image.shape[0] and j < image.shape[1]:
        re = float32(-2) + float32(3) * float32(j) / float32(image.shape[1])
        im = float32(-1) + float32(2) * float32(i) / float32(image.shape[0])
        image[i, j] = steps(re, im, 40)


@cuda.jit(device=True)
def steps(re, im, most):
    x, y = float32(0), float32(0)
    for k in range(most):
        x2, y2 = x * x, y * y
        if x2 + y2 > float32(4):
            return k
        y = float32(2) * x * y + im
        x = x2 - y2 + re
    return most


@pair(
    """extern "C" __global__ void registers(const float* a, const float* b, float* c, int n) {
        float left[4], right[4], acc[4][4];
        int i = (blockIdx.y * blockDim.y + threadIdx.y) * 4, j = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
        for (int r = 0; r < 4; ++r) for (int s = 0; s < 4; ++s) acc[r][s] = 0.0f;
        for (int k = 0; k < n; ++k) {
            for (int r = 0; r < 4; ++r) left[r] = a[(i + r) * n + k];
            for (int s = 0; s < 4; ++s) right[s] = b[k * n + j + s];
            for (int r = 0; r < 4; ++r) for (int s = 0; s < 4; ++s) acc[r][s] += left[r] * right[s];
        }
        for (int r = 0; r < 4; ++r) for (int s = 0; s < 4; ++s) c[(i + r) * n + j + s] = acc[r][s];
    }""",
    (2, 2), (4, 4), floats((32, 32), (32, 32), (32, 32)), INT(32),
)  # fmt: skip
def registers(a, b, c):
    left, right = cuda.local.array(4, float32), cuda.local.array(4, float32)
    acc = cuda.local.array((4, 4), float32)
    j, i = cuda.grid(2)
    i, j = i * 4, j * 4
    for r in range(4):
        for s in range(4):
            acc[r, s] = float32(0)
    for k in range(a.shape[0]):
        for r in range(4):
            left[r] = a[i + r, k]
        for s in range(4):
            right[s] = b[k, j + s]
        for r in range(4):
            for s in range(4):
                acc[r, s] += left[r] * right[s]
    for r in range(4):
        for s in range(4):
            c[i + r, j + s] = acc[r, s]


@pair(
    """extern "C" __global__ void softmax(const float* x, float* y, int columns) {
        __shared__ float s[64];
        int t = threadIdx.x;
        const float* row = x + blockIdx.x * columns;
        float best = row[t % columns];
        for (int j = t; j < columns; j += 64) best = fmaxf(best, row[j]);
        s[t] = best;
        __syncthreads();
        for (int d = 32; d > 0; d /= 2) {
            if (t < d) s[t] = fmaxf(s[t], s[t + d]);
            __syncthreads();
        }
        float top = s[0];
        __syncthreads();
        float total = 0.0f;
        for (int j = t; j < columns; j += 64) total += expf(row[j] - top);
        s[t] = total;
        __syncthreads();
        for (int d = 32; d > 0; d /= 2) {
            if (t < d) s[t] += s[t + d];
            __syncthreads();
        }
        for (int j = t; j < columns; j += 64) y[blockIdx.x * columns + j] = expf(row[j] - top) / s[0];
    }""",
    3, 64, floats((3, 100), (3, 100)), INT(100),
)  # fmt: skip
def softmax(x, y):
    s = cuda.shared.array(64, float32)
    t, row, columns = cuda.threadIdx.x, cuda.blockIdx.x, x.shape[1]
    best = x[row, t % columns]
    for j in range(t, columns, 64):
        best = max(best, x[row, j])
    s[t] = best
    cuda.syncthreads()
    d = 32
    while d > 0:
        if t < d:
            s[t] = max(s[t], s[t + d])
        cuda.syncthreads()
        d //= 2
    top = s[0]
    cuda.syncthreads()
    total = float32(0)
    for j in range(t, columns, 64):
        total += math.exp(x[row, j] - top)
    s[t] = total
    cuda.syncthreads()
    d = 32
    while d > 0:
        if t < d:
            s[t] += s[t + d]
        cuda.syncthreads()
        d //= 2
    for j in range(t, columns, 64):
        y[row, j] = math.exp(x[row, j] - top) / s[0]


@pair(
    """extern "C" __global__ void collatz(const int* x, int* y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        int value = x[i], count = 0;
        while (value != 1 && count < 50) {
            if (value % 2 == 0) value /= 2;
            else value = 3 * value + 1;
            count++;
        }
        y[i] = count;
    }""",
    2, 64, lambda rng: [rng.integers(1, 99, 100, dtype=np.int32), np.zeros(100, np.int32)], INT(100),
)  # fmt: skip
def collatz(x, y):
    i = cuda.grid(1)
    if i >= x.size:
        return
    value, count = x[i], 0
    while value != 1 and count < 50:
        if value % 2 == 0:
            value //= 2
        else:
            value = 3 * value + 1
        count += 1
    y[i] = count


@pair(
    """extern "C" __global__ void votes(const int* x, unsigned int* masks, int* counts, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        unsigned int mask = __ballot_sync(0xffffffff, i < n && x[i] > 0);
        if (threadIdx.x % 32 == 0) masks[i / 32] = mask;
        int count = __syncthreads_count(i < n && x[i] > 0);
        if (threadIdx.x == 0) counts[blockIdx.x] = count + __popc(mask);
    }""",
    2, 64,
    lambda rng: [
        rng.integers(-5, 5, 100, dtype=np.int32), np.zeros(4, np.uint32), np.zeros(2, np.int32)
    ],
    INT(100),
)  # fmt: skip
def votes(x, masks, counts):
    i = cuda.grid(1)
    mask = cuda.ballot_sync(0xFFFFFFFF, i < x.size and x[i] > 0)
    if cuda.threadIdx.x % 32 == 0:
        masks[i // 32] = mask
    count = cuda.syncthreads_count(int32(i < x.size and x[i] > 0))
    if cuda.threadIdx.x == 0:
        counts[cuda.blockIdx.x] = count + cuda.popc(mask)


@pair(
    """extern "C" __global__ void last_block(const int* x, int* parts, int* total, unsigned int* done, int n) {
        __shared__ int s[32];
        __shared__ bool is_last;
        int t = threadIdx.x, i = blockIdx.x * 32 + t;
        s[t] = i < n ? x[i] : 0;
        __syncthreads();
        if (t == 0) {
            int sum = 0;
            for (int k = 0; k < 32; ++k) sum += s[k];
            parts[blockIdx.x] = sum;
            __threadfence();
            is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
        }
        __syncthreads();
        if (is_last && t == 0) {
            __threadfence();
            int sum = 0;
            for (int k = 0; k < gridDim.x; ++k) sum += parts[k];
            *total = sum;
        }
    }""",
    4, 32,
    lambda rng: [
        rng.integers(-5, 5, 120, dtype=np.int32), np.zeros(4, np.int32), np.zeros(1, np.int32),
        np.zeros(1, np.uint32),
    ],
    INT(120),
)  # fmt: skip
def last_block(x, parts, total, done):
    s = cuda.shared.array(32, int32)
    is_last = cuda.shared.array(1, boolean)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    s[t] = x[i] if i < x.size else int32(0)
    cuda.syncthreads()
    if t == 0:
        found = int32(0)
        for k in range(32):
            found += s[k]
        parts[cuda.blockIdx.x] = found
        cuda.threadfence()
        is_last[0] = cuda.atomic.inc(done, 0, cuda.gridDim.x - 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if is_last[0] and t == 0:
        cuda.threadfence()
        found = int32(0)
        for k in range(cuda.gridDim.x):
            found += parts[k]
        total[0] = found


@pair(
    """struct Point { float x, y, z, w; };
    extern "C" __global__ void lengths(const Point* points, float* out, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = sqrtf(points[i].x * points[i].x + points[i].y * points[i].y);
    }""",
    2, 64,
    lambda rng: [
        np.array([tuple(row) for row in rng.random((100, 4))], [(c, "f4") for c in "xyzw"]),
        np.zeros(100, np.float32),
    ],
    INT(100),
)  # fmt: skip
def lengths(points, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.sqrt(points[i].x * points[i].x + points[i].y * points[i].y)
