"""Reference answers of the lesson, written another way than the solution, and ways to hand in."""

from __future__ import annotations

from numba import float32

from gpuedu.backend import cp, cuda
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load


def blocks_per_sm(sm, threads, registers, shared_bytes):
    warps = (threads + 31) // 32
    places = 4 * (sm["registers"] // 4 // (256 * ((registers + 7) // 8)))
    shared = shared_bytes + sm["reserved_bytes"]
    shared += -shared % sm["unit_bytes"]
    by_shared = sm["shared_bytes"] // shared if shared else sm["blocks"]
    return min(sm["warps"] // warps, sm["blocks"], places // warps, by_shared)


def warps_needed(latency, independent):
    return 4 * ((latency + independent - 1) // independent)


@cuda.jit(device=True)
def element(matrix, row, column):
    if row < matrix.shape[0] and column < matrix.shape[1]:
        return matrix[row, column]
    return float32(0)


def make_matmul(t, side):
    @cuda.jit
    def matmul(a, b, c):
        a_tile = cuda.shared.array((side, 8), float32)
        b_tile = cuda.shared.array((8, side), float32)
        sums = cuda.local.array((t, t), float32)
        column = cuda.local.array(t, float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        top, left = side * cuda.blockIdx.y, side * cuda.blockIdx.x
        sums[:] = 0
        for first in range(0, a.shape[1], 8):
            for turn in range(t // 2):
                n = 256 * turn + 16 * y + x
                a_tile[n // 8, n % 8] = element(a, top + n // 8, first + n % 8)
                b_tile[n // side, n % side] = element(b, first + n // side, left + n % side)
            cuda.syncthreads()
            for k in range(8):
                for j in range(t):
                    column[j] = b_tile[k, x + 16 * j]
                for i in range(t):
                    factor = a_tile[y + 16 * i, k]
                    for j in range(t):
                        sums[i, j] += factor * column[j]
            cuda.syncthreads()
        for i in range(t):
            for j in range(t):
                if top + y + 16 * i < c.shape[0] and left + x + 16 * j < c.shape[1]:
                    c[top + y + 16 * i, left + x + 16 * j] = sums[i, j]

    return matmul


CODE = r"""
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K) {
    __shared__ __align__(16) float a_tile[8][68], b_tile[8][68];
    float4 sums[4] = {};
    int x = threadIdx.x, y = threadIdx.y, top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    for (int first = 0; first < K; first += 8) {
        for (int n = 16 * y + x; n < 512; n += 256) {
            int row = top + n / 8, k = first + n % 8;
            a_tile[n % 8][n / 8] = row < M && k < K ? a[row * K + k] : 0.0f;
            k = first + n / 64;
            int column = left + n % 64;
            b_tile[n / 64][n % 64] = k < K && column < N ? b[k * N + column] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float4 p = *(const float4*)&a_tile[k][4 * y], q = *(const float4*)&b_tile[k][4 * x];
            float of_a[4] = {p.x, p.y, p.z, p.w};
            for (int i = 0; i < 4; i++) {
                sums[i].x += of_a[i] * q.x;
                sums[i].y += of_a[i] * q.y;
                sums[i].z += of_a[i] * q.z;
                sums[i].w += of_a[i] * q.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        int row = top + 4 * y + i, column = left + 4 * x;
        float own[4] = {sums[i].x, sums[i].y, sums[i].z, sums[i].w};
        for (int j = 0; j < 4; j++)
            if (row < M && column + j < N) c[row * N + column + j] = own[j];
    }
}"""
matmul = cp.RawKernel(CODE, "matmul")

ORDER = {"slowest": "D", "second": "A", "third": "C", "fastest": "E"}


def limit_of(account):
    if account["spill_bytes"] > 0 or account["warps"] < account["warps_needed"]:
        return "registers"
    seconds = {
        "arithmetic": account["flop"] / account["flop_per_s"],
        "device memory": account["memory_bytes"] / account["memory_bytes_per_s"],
        "data path": account["l1_bytes"] / account["l1_bytes_per_s"],
    }
    name = max(seconds, key=seconds.get)
    wasted = account["excess_bytes"] / account["l1_bytes"]
    return "sectors" if name == "data path" and wasted > 0.5 else name


@cuda.jit
def matmul_twice(a, b, c):
    a_tile = cuda.shared.array((2, 64, 8), float32)
    b_tile = cuda.shared.array((2, 8, 64), float32)
    sums = cuda.local.array((4, 4), float32)
    coming = cuda.local.array((2, 2), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    top, left = 64 * cuda.blockIdx.y, 64 * cuda.blockIdx.x
    sums[:] = 0
    # Step -1 only fetches: the same code brings the first tile and all others.
    for step in range(-1, (a.shape[1] + 7) // 8):
        first = 8 * (step + 1)
        for i in range(2):
            n = 256 * i + 16 * y + x
            coming[0, i] = element(a, top + n // 8, first + n % 8)
            coming[1, i] = element(b, first + n // 64, left + n % 64)
        if step >= 0:
            for k in range(8):
                for i in range(4):
                    for j in range(4):
                        product = a_tile[step % 2, y + 16 * i, k] * b_tile[step % 2, k, x + 16 * j]
                        sums[i, j] += product
        for i in range(2):
            n = 256 * i + 16 * y + x
            a_tile[(step + 1) % 2, n // 8, n % 8] = coming[0, i]
            b_tile[(step + 1) % 2, n // 64, n % 64] = coming[1, i]
        cuda.syncthreads()
    for i in range(4):
        for j in range(4):
            if top + y + 16 * i < c.shape[0] and left + x + 16 * j < c.shape[1]:
                c[top + y + 16 * i, left + x + 16 * j] = sums[i, j]


REFERENCE = {
    "occupancy": (blocks_per_sm, warps_needed),
    "register-tile": (make_matmul,),
    "vector-loads": (matmul,),
    "read-the-ladder": (ORDER, limit_of),
    "double-buffer": (matmul_twice,),
}


def hand_in(exercise: str, *answers: object, seed: int = 0) -> Report:
    """The verdict on these answers; the reference by default."""
    return examine(load(exercise), answers or REFERENCE[exercise], seed)


def lost(report: Report) -> list[str]:
    """The properties that do not hold."""
    return [name for name, holds in report.held().items() if not holds]


def fault(report: Report, name: str):
    """The fault of a property."""
    (found,) = (r.fault for r in report.results if r.property.name == name)
    return found
