"""Whole programs as textbooks have them: a kernel, its launch, and what NumPy says it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Program:
    """A kernel; ``arrays`` are its first arguments, ``numbers`` those behind them.

    ``result`` is the position of the array that ``expected`` tells from the arrays before.
    """

    name: str
    code: str
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    arrays: Callable[[np.random.Generator], Arrays]
    numbers: tuple[np.generic, ...]
    result: int
    expected: Callable[..., np.ndarray]
    kernel: str = ""
    dynamic_shared_bytes: int = 0
    rtol: float = 0


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def matrices(rng: np.random.Generator) -> Arrays:
    return [floats(rng, 24, 40), floats(rng, 40, 36), np.zeros((24, 36), np.float32)]


def life(board: np.ndarray, _: np.ndarray) -> np.ndarray:
    steps = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]
    near = sum(np.roll(board, step, (0, 1)) for step in steps)
    return ((near == 3) | ((board == 1) & (near == 2))).astype(np.uint8)


def forces(bodies: np.ndarray, _: np.ndarray) -> np.ndarray:
    away = bodies[np.newaxis, :, :3] - bodies[:, np.newaxis, :3]
    weight = bodies[:, 3] * ((away**2).sum(-1) + 0.01) ** -1.5
    pulled = (away * weight[..., np.newaxis]).sum(1)
    return np.pad(pulled, ((0, 0), (0, 1)))


def sparse(rng: np.random.Generator) -> Arrays:
    dense = rng.standard_normal((50, 60)) * (rng.random((50, 60)) < 0.3)
    rows = np.concatenate([[0], np.cumsum((dense != 0).sum(1))]).astype(np.int32)
    columns = np.nonzero(dense)[1].astype(np.int32)
    return [rows, columns, dense[dense != 0], rng.standard_normal(60), np.zeros(50)]


def times_vector(
    rows: np.ndarray, columns: np.ndarray, values: np.ndarray, x: np.ndarray, _: np.ndarray
) -> np.ndarray:
    return np.array([values[a:b] @ x[columns[a:b]] for a, b in pairwise(rows)])


def xorshift_hits(_: np.ndarray) -> np.ndarray:
    state = np.arange(1, 257, dtype=np.uint32) * np.uint32(2654435761)
    hits = 0
    for _turn in range(20):
        point = []
        for _axis in range(2):
            state = state ^ (state << np.uint32(13))
            state = state ^ (state >> np.uint32(17))
            state = state ^ (state << np.uint32(5))
            point.append((state >> np.uint32(8)).astype(np.float32) * np.float32(2**-24))
        hits += int((point[0] ** 2 + point[1] ** 2 <= 1).sum())
    return np.array([hits], np.uint64)


TILED = r"""
#define TILE 8
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int M, int N, int K) {
    __shared__ float As[TILE][TILE], Bs[TILE][TILE + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
        As[ty][tx] = (row < M && t * TILE + tx < K) ? A[row * K + t * TILE + tx] : 0.0f;
        Bs[ty][tx] = (col < N && t * TILE + ty < K) ? B[(t * TILE + ty) * N + col] : 0.0f;
        __syncthreads();
        #pragma unroll
        for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = sum;
}
"""

DOUBLE_BUFFERED = r"""
extern "C" __global__ void smooth(float* out, const float* in, int n, int steps) {
    __shared__ float first[128], second[128];
    float *now = first, *next = second;
    int t = threadIdx.x;
    now[t] = in[t];
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        bool edge = t == 0 or t == n - 1;
        next[t] = edge ? now[t] : 0.25f * now[t - 1] + 0.5f * now[t] + 0.25f * now[t + 1];
        float* other = now; now = next; next = other;
        __syncthreads();
    }
    out[t] = now[t];
}
"""

HISTOGRAM = r"""
extern "C" __global__ void histogram(const unsigned char* data, unsigned int* bins, int n) {
    __shared__ unsigned int own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
    while (i < n) { atomicAdd(&own[data[i]], 1u); i += step; }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (own[i]) atomicAdd(bins + i, own[i]);
}
"""

BLELLOCH = r"""
extern "C" __global__ void prescan(const int* in, int* out, int n) {
    extern __shared__ int temp[];
    int t = threadIdx.x, offset = 1;
    temp[2 * t] = in[2 * t];
    temp[2 * t + 1] = in[2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
        offset <<= 1;
    }
    if (t == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int old = temp[a]; temp[a] = temp[b]; temp[b] += old;
        }
    }
    __syncthreads();
    out[2 * t] = temp[2 * t];
    out[2 * t + 1] = temp[2 * t + 1];
}
"""

REDUCTION = r"""
template <typename T> __device__ __forceinline__ T warp_sum(T v) {
    for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}
namespace sums {
template <typename T, unsigned BLOCK, bool SQUARE>
__global__ void reduce(const T* __restrict__ in, T* out, unsigned n) {
    __shared__ T part[BLOCK];
    unsigned t = threadIdx.x;
    T sum = T(0);
    for (unsigned i = blockIdx.x * BLOCK + t; i < n; i += BLOCK * gridDim.x)
        if constexpr (SQUARE) sum += in[i] * in[i]; else sum += in[i];
    part[t] = sum;
    __syncthreads();
    if (BLOCK >= 256) { if (t < 128) part[t] += part[t + 128]; __syncthreads(); }
    if (BLOCK >= 128) { if (t < 64) part[t] += part[t + 64]; __syncthreads(); }
    if (t < 32) {
        T v = part[t] + part[t + 32];
        v = warp_sum<T>(v);
        if (t == 0) atomicAdd(out, v);
    }
}
}
"""

BITONIC = r"""
extern "C" __global__ void sort(unsigned* values) {
    extern __shared__ unsigned s[];
    const unsigned t = threadIdx.x;
    s[t] = values[t];
    __syncthreads();
    for (unsigned k = 2; k <= blockDim.x; k <<= 1)
        for (unsigned j = k >> 1; j > 0; j >>= 1) {
            unsigned other = t ^ j;
            if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
                unsigned old = s[t]; s[t] = s[other]; s[other] = old;
            }
            __syncthreads();
        }
    values[t] = s[t];
}
"""

LIFE = r"""
extern "C" __global__ void life(const unsigned char* in, unsigned char* out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int near = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0) continue;
            near += in[(y + dy + h) % h * w + (x + dx + w) % w];
        }
    out[y * w + x] = near == 3 || (in[y * w + x] && near == 2);
}
"""

N_BODY = r"""
__device__ float3 pull(float4 me, float4 other, float3 sum) {
    float3 r = make_float3(other.x - me.x, other.y - me.y, other.z - me.z);
    float inverse = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + 0.01f);
    float s = other.w * inverse * inverse * inverse;
    sum.x += r.x * s; sum.y += r.y * s; sum.z += r.z * s;
    return sum;
}
extern "C" __global__ void forces(const float4* bodies, float4* out, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float3 sum = {0.0f, 0.0f, 0.0f};
    for (int t = 0; t < n / (int)blockDim.x; t++) {
        tile[threadIdx.x] = bodies[t * blockDim.x + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++) sum = pull(me, tile[j], sum);
        __syncthreads();
    }
    out[i] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}
"""

MONTE_CARLO = r"""
__device__ unsigned next(unsigned& state) {
    state ^= state << 13; state ^= state >> 17; state ^= state << 5;
    return state;
}
extern "C" __global__ void pi(unsigned long long* hits, int per_thread) {
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u, count = 0;
    for (int i = 0; i < per_thread; i++) {
        float x = (next(state) >> 8) * (1.0f / 16777216.0f);
        float y = (next(state) >> 8) * (1.0f / 16777216.0f);
        if (x * x + y * y <= 1.0f) ++count;
    }
    atomicAdd(hits, (unsigned long long)count);
}
"""

COMPACT = r"""
extern "C" __global__ void compact(const int* in, int* out, int* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, base;
    bool keep = i < n && in[i] > 0;
    unsigned chosen = __ballot_sync(0xffffffff, keep);
    if (lane == 0) base = atomicAdd(count, __popc(chosen));
    base = __shfl_sync(0xffffffff, base, 0);
    if (keep) out[base + __popc(chosen & ((1u << lane) - 1))] = in[i];
}
"""

TRANSPOSE = r"""
template <class T, int TILE, int ROWS> __global__ void transpose(const T* in, T* out, int w, int h) {
    __shared__ T tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""

SOFTMAX = r"""
#include <math_constants.h>
extern "C" __global__ void softmax(const float* in, float* out, int width) {
    extern __shared__ float s[];
    const float* x = in + blockIdx.x * width;
    int t = threadIdx.x;
    float most = -CUDART_INF_F, sum = 0;
    for (int i = t; i < width; i += blockDim.x) most = fmaxf(most, x[i]);
    s[t] = most;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    for (int i = t; i < width; i += blockDim.x) sum += __expf(x[i] - most);
    s[t] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    for (int i = t; i < width; i += blockDim.x)
        out[blockIdx.x * width + i] = __fdividef(__expf(x[i] - most), s[0]);
}
"""

STENCIL = r"""
#define AT(i, j, k) (((k) * ny + (j)) * nx + (i))
extern "C" __global__ void laplace(const float* a, float* b, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i < 1 || j < 1 || k < 1 || i >= nx - 1 || j >= ny - 1 || k >= nz - 1) return;
    b[AT(i, j, k)] = __ldg(&a[AT(i - 1, j, k)]) + __ldg(a + AT(i + 1, j, k)) + a[AT(i, j - 1, k)]
        + a[AT(i, j + 1, k)] + a[AT(i, j, k - 1)] + a[AT(i, j, k + 1)] - 6.f * a[AT(i, j, k)];
}
"""

SPARSE = r"""
extern "C" __global__ void spmv(const int* rows, const int* columns, const double* values,
                                const double* x, double* y, int n) {
    int row = (blockDim.x * blockIdx.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= n) return;
    double sum = 0;
    for (int j = rows[row] + lane; j < rows[row + 1]; j += 32) sum += values[j] * x[columns[j]];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
    if (lane == 0) y[row] = sum;
}
"""

ARG_MAX = r"""
__device__ unsigned ordered(float f) {
    unsigned u = __float_as_uint(f);
    return (u & 0x80000000u) ? ~u : u | 0x80000000u;
}
extern "C" __global__ void arg_max(const float* x, unsigned long long* best, int n) {
    unsigned long long most = 0ull;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long pair = ((unsigned long long)ordered(x[i]) << 32) | (unsigned)(~i);
        if (pair > most) most = pair;
    }
    for (int o = 16; o > 0; o >>= 1) {
        unsigned long long other = __shfl_down_sync(0xffffffffu, most, o);
        most = other > most ? other : most;
    }
    if ((threadIdx.x & 31) == 0) atomicMax(best, most);
}
"""

MEDIAN = r"""
extern "C" __global__ void median(const int* in, int* out, int w, int h) {
    int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (c < 1 || r < 1 || c >= w - 1 || r >= h - 1) return;
    int v[9], k = 0;
    for (int i = -1; i < 2; i++)
        for (int j = -1; j < 2; j++) v[k++] = in[(r + i) * w + c + j];
    for (int i = 1; i < 9; i++) {
        int t = v[i], j = i - 1;
        while (j >= 0 && v[j] > t) { v[j + 1] = v[j]; j--; }
        v[j + 1] = t;
    }
    out[r * w + c] = v[4];
}
"""

QUANTIZE = r"""
extern "C" __global__ void quantize(const float4* x, char4* y, float scale, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 v = x[i];
    char4 q;
    q.x = (signed char)min(127, max(-127, __float2int_rn(v.x / scale)));
    q.y = (char)min(127, max(-127, __float2int_rn(v.y / scale)));
    q.z = max(-127, min(127, __float2int_rn(v.z / scale)));
    q.w = static_cast<signed char>(fminf(fmaxf(rintf(v.w / scale), -127.f), 127.f));
    y[i] = q;
}
"""

DOT_OF_BYTES = r"""
extern "C" __global__ void dot(const int* a, const int* b, int* out) {
    int i = threadIdx.x, sum = __dp4a(a[i], b[i], 5);
    out[i] = sum - (int)__dp4a((unsigned)a[i], 0x01010101u, 0u);
}
"""

RANGES = r"""
__device__ void range_of(const float* v, int n, float* low, float& high) {
    *low = v[0]; high = v[0];
    for (int i = 1; i < n; ++i) {
        if (v[i] < *low) *low = v[i];
        high = v[i] > high ? v[i] : high;
    }
}
template <typename F> __device__ void exchange(F& a, F& b) { F t = a; a = b; b = t; }
extern "C" __global__ void ranges(const float* v, float2* out, int n) {
    float low, high;
    range_of(v + threadIdx.x * n, n, &low, high);
    exchange(low, high);
    out[threadIdx.x] = make_float2(low, high);
}
"""

INVERSE_ROOT = r"""
namespace step { const float HALF = 0.5f; const float MORE = 1.5f; }
__device__ int at(uint3 t, dim3 n) { dim3 grid(n.x); return t.x + n.x * (grid.z - 1); }
extern "C" __global__ void inverse_root(float* x) {
    float v = x[at(threadIdx, blockDim)];
    int bits = *(int*)&v;
    bits = 0x5f3759df - (bits >> 1);
    float y = *reinterpret_cast<float*>(&bits);
    for (int i = 0; i < 3; i++) y = y * (step::MORE - step::HALF * v * y * y);
    x[threadIdx.x] = y;
}
"""


def smoothed(_: np.ndarray, x: np.ndarray) -> np.ndarray:
    for _step in range(20):
        inner = 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:]
        x = np.concatenate([x[:1], inner, x[-1:]])
    return x


def laplace(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    c = slice(1, -1)
    near = a[:-2, c, c] + a[2:, c, c] + a[c, :-2, c] + a[c, 2:, c] + a[c, c, :-2] + a[c, c, 2:]
    found = b.copy()
    found[c, c, c] = near - 6 * a[c, c, c]
    return found


def medians(image: np.ndarray, _: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3))
    return np.pad(np.median(windows, axis=(2, 3)).astype(np.int32), 1)


def i32(*numbers: int) -> tuple[np.generic, ...]:
    return tuple(map(np.int32, numbers))


def packed_bytes(rng: np.random.Generator) -> Arrays:
    words = [rng.integers(-128, 128, 128).astype(np.int8).view(np.int32) for _ in range(2)]
    return [*words, np.zeros(32, np.int32)]


def byte_dots(a: np.ndarray, b: np.ndarray, _: np.ndarray) -> np.ndarray:
    one, other = (side.view(np.int8).reshape(-1, 4).astype(int) for side in (a, b))
    return (one * other).sum(1) + 5 - a.view(np.uint8).reshape(-1, 4).sum(1, dtype=int)


def best(x: np.ndarray, _: np.ndarray) -> np.ndarray:
    bits = x.max(keepdims=True).view(np.uint32).astype(np.uint64) | np.uint64(1 << 31)
    return (bits << np.uint64(32)) | np.uint64(~int(x.argmax()) & 0xFFFFFFFF)


PROGRAMS = [
    Program(
        *("tiled_matmul", TILED, (5, 3), (8, 8), matrices, i32(24, 36, 40), 2),
        lambda a, b, _: a.astype(float) @ b.astype(float),
        rtol=1e-4,
    ),
    Program(
        *("double_buffered_heat", DOUBLE_BUFFERED, 1, 128),
        lambda rng: [np.zeros(128, np.float32), floats(rng, 128)],
        *(i32(128, 20), 0, smoothed),
        rtol=1e-4,
    ),
    Program(
        *("histogram", HISTOGRAM, 8, 128),
        lambda rng: [rng.integers(0, 256, 9000).astype(np.uint8), np.zeros(256, np.uint32)],
        *(i32(9000), 1, lambda data, _: np.bincount(data, minlength=256)),
    ),
    Program(
        *("blelloch_scan", BLELLOCH, 1, 128),
        lambda rng: [rng.integers(0, 10, 256).astype(np.int32), np.zeros(256, np.int32)],
        *(i32(256), 1, lambda x, _: np.cumsum(x) - x),
        dynamic_shared_bytes=1024,
    ),
    *(
        Program(
            *(f"reduction_{kernel[-6:-1].strip(' ,')}", REDUCTION, 4, block),
            lambda rng, dtype=dtype: [rng.integers(0, 9, 5001).astype(dtype), np.zeros(1, dtype)],
            *((np.uint32(5001),), 1, lambda x, _, power=power: (x.astype(int) ** power).sum()),
            kernel=kernel,
        )
        for kernel, block, dtype, power in (
            ("sums::reduce<int, 256, true>", 256, np.int32, 2),
            ("sums::reduce<double,64,false>", 64, np.float64, 1),
        )
    ),
    Program(
        *("bitonic_sort", BITONIC, 1, 256),
        lambda rng: [rng.integers(0, 2**32, 256, dtype=np.uint32)],
        *((), 0, np.sort),
        dynamic_shared_bytes=1024,
    ),
    Program(
        *("game_of_life", LIFE, (3, 2), (16, 16)),
        lambda rng: [(rng.random((30, 45)) < 0.3).astype(np.uint8), np.zeros((30, 45), np.uint8)],
        *(i32(45, 30), 1, life),
    ),
    Program(
        *("n_body", N_BODY, 4, 32),
        lambda rng: [rng.random((128, 4), np.float32), np.zeros((128, 4), np.float32)],
        *(i32(128), 1, forces),
        dynamic_shared_bytes=512,
        rtol=1e-3,
    ),
    Program(
        *("monte_carlo_pi", MONTE_CARLO, 4, 64, lambda rng: [np.zeros(1, np.uint64)]),
        *(i32(20), 0, xorshift_hits),
    ),
    Program(
        *("transpose", TRANSPOSE, (4, 3), (32, 8)),
        lambda rng: [rng.random((70, 100)), np.zeros((100, 70))],
        *(i32(100, 70), 1, lambda x, _: x.T),
        kernel="transpose<double, 32, 8>",
    ),
    Program(
        *("softmax", SOFTMAX, 6, 64, lambda rng: [floats(rng, 6, 100), np.zeros((6, 100), "f4")]),
        *(i32(100), 1, lambda x, _: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
        dynamic_shared_bytes=256,
        rtol=1e-4,
    ),
    Program(
        *("stencil_in_3d", STENCIL, (3, 4, 3), (8, 4, 4)),
        lambda rng: [floats(rng, 12, 14, 20), np.zeros((12, 14, 20), np.float32)],
        *(i32(20, 14, 12), 1, laplace),
        rtol=1e-4,
    ),
    Program("sparse_rows", SPARSE, 13, 128, sparse, i32(50), 4, times_vector, rtol=1e-10),
    Program(
        *("arg_max_in_64_bits", ARG_MAX, 4, 64),
        lambda rng: [floats(rng, 3000), np.zeros(1, np.uint64)],
        *(i32(3000), 1, best),
    ),
    Program(
        *("median_by_insertion", MEDIAN, (3, 3), (8, 8)),
        lambda rng: [
            rng.integers(0, 255, (20, 24)).astype(np.int32),
            np.zeros((20, 24), np.int32),
        ],
        *(i32(24, 20), 1, medians),
    ),
    Program(
        *("int8_quantization", QUANTIZE, 1, 128),
        lambda rng: [3 * floats(rng, 400), np.zeros(400, np.int8)],
        *((np.float32(0.05), np.int32(100)), 1),
        lambda x, _: np.clip(np.rint(x / np.float32(0.05)), -127, 127),
    ),
    Program("dot_of_bytes", DOT_OF_BYTES, 1, 32, packed_bytes, (), 2, byte_dots),
    Program(
        *("unset_variables_by_reference", RANGES, 1, 32),
        lambda rng: [floats(rng, 32, 9), np.zeros((32, 2), np.float32)],
        *(i32(9), 1, lambda v, _: np.stack([v.max(1), v.min(1)], 1)),
    ),
    Program(
        *("inverse_root_by_bits", INVERSE_ROOT, 1, 64),
        lambda rng: [rng.random(64, np.float32) + np.float32(0.1)],
        *((), 0, lambda x: 1 / np.sqrt(x)),
        rtol=1e-5,
    ),
]
