"""Answers that keep, pad or hide what a property asks about, so that it does not show."""

from __future__ import annotations

import pytest

from gpuedu.course.proof import Bench
from tests.grading.test_equal_verdicts import ROOT, graded

KEPT = """
import copy, random
kept = []

def save(run):
    kept.append((copy.deepcopy(vars(run)), torch.get_rng_state(), random.getstate()))
    return {"number": len(kept) - 1}

def resume(run, state):
    parts, of_torch, of_python = kept[state["number"]]
    vars(run).update(copy.deepcopy(parts))
    torch.set_rng_state(of_torch)
    random.setstate(of_python)
"""
"""All of a run stays in the process, and its file has a number."""

PADDED_COPY = """
@cuda.jit
def copy_striped(src, dst):
    i = cuda.grid(1)
    per_thread = (src.size + cuda.gridsize(1) - 1) // cuda.gridsize(1)
    for j in range(i, src.size, cuda.gridsize(1)):
        for _ in range(40):
            dst[j] = src[j]
    for j in range(i * per_thread, min((i + 1) * per_thread, src.size)):
        dst[j] = src[j]
"""
"""A copy of the worst kind, after forty in whole sectors."""

PADDED_TRANSPOSE = """
@cuda.jit
def transpose(m, out):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    if row < m.shape[0] and column < m.shape[1]:
        tile[y, x] = m[row, column]
    cuda.syncthreads()
    r, c = 32 * cuda.blockIdx.x + y, 32 * cuda.blockIdx.y + x
    if r < out.shape[0] and c < out.shape[1]:
        for _ in range(100):
            out[r, c] = 1.0
    cuda.syncthreads()
    if row < m.shape[0] and column < m.shape[1]:
        out[column, row] = tile[y, x]
"""
"""Writes down the columns, after a hundred times nothing along the rows."""

PADDED_TILE = """
def make_matmul(t, side):
    @cuda.jit
    def matmul(a, b, c):
        a_tile = cuda.shared.array((side, 8), float32)
        b_tile = cuda.shared.array((8, side), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        top, left = side * cuda.blockIdx.y, side * cuda.blockIdx.x
        sums = cuda.local.array((t, t), float32)
        sums[:] = 0
        one = float32(1)
        for first in range(0, a.shape[1], 8):
            fetch(a, top, first, a_tile)
            fetch(b, first, left, b_tile)
            cuda.syncthreads()
            for k in range(8):
                for i in range(t):
                    for j in range(t):
                        sums[i, j] += a_tile[y + 16 * i, k] * b_tile[k, x + 16 * j]
                        for _ in range(t):
                            one = one * float32(0.5) + float32(0.5)
            cuda.syncthreads()
        sums[0, 0] += one - float32(1)
        put(sums, c, top + y, left + x)
    return matmul
"""
"""Takes two numbers from shared memory for each multiply-add, and does others beside it."""

PADDED_VECTORS = """
takes = "p = *(float4*)&a_tile[k][4 * y]; q = *(float4*)&b_tile[k][4 * x]; " * 4
code = helpers + r'''
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K) {
    __shared__ __align__(16) float b_tile[8][64];
    __shared__ __align__(16) float a_tile[8][68];
    float sums[4][4] = {}, one = 1.0f;
    int x = threadIdx.x, y = threadIdx.y, top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    for (int first = 0; first < K; first += 8) {
        for (int n = 16 * y + x; n < 512; n += 256) {
            a_tile[n % 8][n / 8] = at(a, M, K, top + n / 8, first + n % 8);
            b_tile[n / 64][n % 64] = at(b, K, N, first + n / 64, left + n % 64);
        }
        __syncthreads();
        for (int k = 0; k < 8; k++) {
            float4 p, q;
            TAKES
            add_products(sums, p, q);
            BESIDE
        }
        __syncthreads();
    }
    sums[0][0] += one - 1.0f;
    put(sums, c, M, N, top + 4 * y, left + 4 * x);
}'''.replace("TAKES", takes).replace("BESIDE", "one = one * 0.5f + 0.5f; " * 48)
matmul = cp.RawKernel(code, "matmul")
"""
"""Takes each float4 four times, and does multiply-adds of no use beside those of the product."""

_STEP = """
            live = live if x * x + y * y <= 4 and n < limit else 0
            n += live
            x, y = (x * x - y * y + a) * live + 9 - 9 * live, (2 * x * y + b) * live
"""
WRITTEN_OUT = (
    """
@cuda.jit
def mandelbrot(left, top, step, limit, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        a, b = left + column * step, top - row * step
        x, y, n, live = 0.0, 0.0, 0, 1
        for _ in range((limit + 15) // 16):
"""
    + 16 * _STEP
    + """
        out[row, column] = n
"""
)
"""No thread stops: each line runs a sixteenth as often as there are steps."""

ANSWERS = {
    "mandelbrot": (WRITTEN_OUT, {"square", "any-shape", "inside"}),
    "save-and-resume": (KEPT, set()),
    "coalesced-copy": (PADDED_COPY, {"every", "inside"}),
    "transpose": (PADDED_TRANSPOSE, {"every", "inside", "reads"}),
    "register-tile": (
        PADDED_TILE,
        {"right", "inside", "waits", "float32", "banks", "registers"},
    ),
    "vector-loads": (PADDED_VECTORS, {"right", "inside", "waits", "banks", "sectors"}),
}
"""By exercise: the answer, and what it has earned all the same."""


@pytest.mark.parametrize("exercise", ANSWERS)
def test_what_is_not_done_is_not_hidden(exercise, zygote):
    text, earned = ANSWERS[exercise]
    bench = Bench(ROOT, exercise)
    report = graded(bench, [*bench.stub_cells(), text], zygote)
    assert report.state in ("wrong", "partly"), report.refusal
    assert {name for name, holds in report.held().items() if holds} == earned
