"""Measure CUDA C on the SIMT machine: the way from a source text to a launch, and its speed there.

    python benchmarks/cuda_c.py            tables
    python benchmarks/cuda_c.py --json     the figures for a program to read

"first launch" is a new source of 60 lines: the real compiler's check (where it is installed),
macros, parsing, lowering, code generation and the launch itself; "in a new process" has the
imports of the parser and of the compiler's bindings in it, too, but not of NumPy and gpuedu. The
source is made different each time, so that no cache knows it. "twin" is the time of a kernel in
CUDA C over the time of the same kernel in Python, both on the machine; the best of several runs.
Times are wall-clock seconds on this machine, but for the heavy kernels at the end, which are
processor seconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import numpy as np
from numba import cuda, float32
from simt import TILE, best_s, matmul, vector_add

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel

ROOT = Path(__file__).resolve().parents[1]
MATMUL = """#define TILE 16
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float left[TILE][TILE];
    __shared__ float right[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int column = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float total = 0.0f;
    for (int m = 0; m < n / TILE; ++m) {
        left[ty][tx] = a[row * n + m * TILE + tx];
        right[ty][tx] = b[(m * TILE + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; ++k) total += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    c[row * n + column] = total;
}"""

VECTOR_ADD = """extern "C" __global__
void vector_add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}"""

MANDELBROT = """extern "C" __global__ void mandelbrot(int* image, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        float re = -2.0f + 3.0f * (float)j / (float)n, im = -1.0f + 2.0f * (float)i / (float)n;
        float x = 0.0f, y = 0.0f;
        int k = 0;
        while (k < 50 && x * x + y * y <= 4.0f) {
            float next = x * x - y * y + re;
            y = 2.0f * x * y + im;
            x = next;
            k++;
        }
        image[i * n + j] = k;
    }
}"""

ESCAPE = MANDELBROT.replace("k < 50", "k < 100").replace("-1.0f + 2.0f", "-1.5f + 3.0f")
"""Up to 100 turns of a loop, of which a point takes 21 on average."""

SGEMM = """extern "C" __global__ void sgemm(const float* A, const float* B, float* C, int n) {
    const int TILE = 128, DEPTH = 8, EACH = 8;
    __shared__ float as[TILE * DEPTH];
    __shared__ float bs[DEPTH * TILE];
    int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
    int tr = threadIdx.x / (TILE / EACH), tc = threadIdx.x % (TILE / EACH);
    int ar = threadIdx.x / DEPTH, ac = threadIdx.x % DEPTH;
    int br = threadIdx.x / TILE, bc = threadIdx.x % TILE;
    int across = blockDim.x / DEPTH, down = blockDim.x / TILE;
    float sums[EACH * EACH] = {0.0f};
    float left[EACH], right[EACH];
    for (int k0 = 0; k0 < n; k0 += DEPTH) {
        for (int o = 0; o < TILE; o += across)
            as[(ar + o) * DEPTH + ac] = A[(row0 + ar + o) * n + k0 + ac];
        for (int o = 0; o < DEPTH; o += down)
            bs[(br + o) * TILE + bc] = B[(k0 + br + o) * n + column0 + bc];
        __syncthreads();
        for (int k = 0; k < DEPTH; ++k) {
            for (int i = 0; i < EACH; ++i) left[i] = as[(tr * EACH + i) * DEPTH + k];
            for (int j = 0; j < EACH; ++j) right[j] = bs[k * TILE + tc * EACH + j];
            for (int i = 0; i < EACH; ++i)
                for (int j = 0; j < EACH; ++j)
                    sums[i * EACH + j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; ++i)
        for (int j = 0; j < EACH; ++j)
            C[(row0 + tr * EACH + i) * n + column0 + tc * EACH + j] = sums[i * EACH + j];
}"""
"""128 x 128 of C a block of 256 threads, 8 x 8 of it in the registers of each."""

BLOCK_SUM = """extern "C" __global__ void block_sum(const float* x, float* out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}"""


def mandelbrot(image):
    j, i = cuda.grid(2)
    n = image.shape[0]
    if i < n and j < n:
        re = float32(-2) + float32(3) * float32(j) / float32(n)
        im = float32(-1) + float32(2) * float32(i) / float32(n)
        x, y = float32(0), float32(0)
        k = 0
        while k < 50 and x * x + y * y <= float32(4):
            following = x * x - y * y + re
            y = float32(2) * x * y + im
            x = following
            k += 1
        image[i, j] = k


def block_sum(x, out):
    s = cuda.shared.array(256, float32)
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


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).standard_normal(shape, dtype=np.float32)


def twins() -> dict[str, tuple]:
    """Kernel in Python, in C, grid, block, arrays, and what only C takes."""
    n, many, side = 256, 1_000_000, 512
    square = [floats(n, n), floats(n, n), np.zeros((n, n), np.float32)]
    rows = [floats(many), floats(many), np.zeros(many, np.float32)]
    image, parts = [np.zeros((side, side), np.int32)], [floats(many), np.zeros(3907, np.float32)]
    flat = -(-many // 256), 256
    return {
        "matmul 256": (matmul, MATMUL, (n // TILE, n // TILE), (TILE, TILE), square, n),
        "vector add 1M": (vector_add, VECTOR_ADD, *flat, rows, many),
        "mandelbrot 512": (mandelbrot, MANDELBROT, (side // 16,) * 2, (16, 16), image, side),
        "block sum 1M": (block_sum, BLOCK_SUM, *flat, parts, many),
    }


def twin_seconds(*, trace: bool) -> dict[str, dict[str, float]]:
    """Seconds of both kernels of each pair, whose results must be equal."""
    found = {}
    for name, (python, code, grid, block, arrays, number) in twins().items():
        in_c = CudaCKernel(code, python.__name__)
        results = []
        seconds = []
        for kernel, given in ((python, arrays), (in_c, [*arrays, np.int32(number)])):
            launch = (kernel, grid, block, *given)
            seconds.append(best_s(lambda launch=launch: simulate(*launch, trace=trace)))
            results.append(arrays[-1].copy())
            arrays[-1][...] = 0
        np.testing.assert_array_equal(*results)
        found[name] = {
            "python_s": seconds[0],
            "cuda_c_s": seconds[1],
            "ratio": seconds[1] / seconds[0],
        }
    return found


def heavy_launches() -> dict[str, tuple]:
    """Kernels in C whose cost is in what threads do one by one: kernel, grid, block, arguments."""
    n, side = 512, 1024
    image, square = np.zeros((side, side), np.int32), (floats(n, n), floats(n, n))
    sgemm, escape = CudaCKernel(SGEMM, "sgemm"), CudaCKernel(ESCAPE, "mandelbrot")
    product = np.zeros((n, n), np.float32)
    return {
        "sgemm 512, 8 x 8 registers": (sgemm, (4, 4), 256, *square, product, np.int32(n)),
        "mandelbrot 1024, 100 turns": (escape, (64, 64), (16, 16), image, np.int32(side)),
    }


def heavy_seconds() -> dict[str, dict[str, float]]:
    """Processor seconds of each, the best of several launches after the first."""
    found = {}
    for name, launch in heavy_launches().items():
        found[name] = {}
        for kind, trace in (("traced_s", True), ("untraced_s", False)):
            seconds = []
            for _ in range(4):
                began = time.process_time()
                simulate(*launch, trace=trace)
                seconds.append(time.process_time() - began)
            found[name][kind] = min(seconds[1:])
    return found


_marks = count(int(time.time() * 1000))


def source_of_60_lines() -> str:
    """A source that no cache has seen: macros, a structure, device functions, two kernels."""
    mark = next(_marks)
    steps = "\n".join(
        f"    acc[{k % 8}] += weight({k}, tile[threadIdx.x], value); // step {k}" for k in range(28)
    )
    return f"""#include <cuda_fp16.h>
#define BLOCK 128
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
// {mark}
struct Range {{ float low, high; }};

template <typename T> __device__ T square(T v) {{ return v * v; }}

__device__ float weight(int k, float a, float b) {{
    if (k % 3 == 0) return square(a) - b;
    return k % 2 ? a * b : CLAMP(a, -1.0f, 1.0f);
}}

extern "C" __global__ void work_{mark}(const float* x, float* y, int n) {{
    __shared__ float tile[BLOCK];
    float acc[8] = {{0.0f}};
    Range range = {{-4.0f, 4.0f}};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0.0f;
    tile[threadIdx.x] = value;
    __syncthreads();
{steps}
    float total = 0.0f;
    #pragma unroll
    for (int k = 0; k < 8; ++k) total += acc[k];
    for (int d = BLOCK / 2; d > 0; d /= 2) {{
        __syncthreads();
        if (threadIdx.x < d) tile[threadIdx.x] += tile[threadIdx.x + d];
    }}
    switch (i % 3) {{
        case 0: total += 1.0f; break;
        default: total -= 1.0f;
    }}
    if (i < n) y[i] = CLAMP(total, range.low, range.high);
}}
"""


def first_launch_s() -> float:
    """Seconds from a new source to the end of its first launch, in a process that is warm."""
    code = source_of_60_lines()
    name = code.partition("__global__ void ")[2].partition("(")[0]
    x, y = floats(1000), np.zeros(1000, np.float32)
    started = time.perf_counter()
    trace = simulate(CudaCKernel(code, name), 8, 128, x, y, np.int32(1000))
    seconds = time.perf_counter() - started
    assert trace.complete and y.any()
    return seconds


def first_launch_in_a_new_process_s() -> float:
    """The same as the first thing that a process does, NumPy and gpuedu imported."""
    script = (
        "import sys; sys.path.insert(0, 'benchmarks')\n"
        "import cuda_c; print(cuda_c.first_launch_s())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return float(done.stdout)


def measure() -> dict:
    """All figures."""
    first_launch_s()
    return {
        "source_lines": len(source_of_60_lines().splitlines()),
        "first_launch_s": statistics.median(first_launch_s() for _ in range(7)),
        "first_launch_in_a_new_process_s": statistics.median(
            first_launch_in_a_new_process_s() for _ in range(3)
        ),
        "traced": twin_seconds(trace=True),
        "untraced": twin_seconds(trace=False),
        "heavy": heavy_seconds(),
    }


def show(figures: dict) -> None:
    print(f"a source of {figures['source_lines']} lines, from text to the end of its first launch")
    print(f"  {figures['first_launch_s']:.3f} s in a warm process (goal: 0.15)")
    print(f"  {figures['first_launch_in_a_new_process_s']:.3f} s in a new one")
    for kind in ("traced", "untraced"):
        print(f"{kind}: {'Python':>20} {'CUDA C':>9} {'ratio':>7}  (goal: 1.3)")
        for name, row in figures[kind].items():
            print(
                f"  {name:<16} {row['python_s']:>9.4f} {row['cuda_c_s']:>9.4f} {row['ratio']:>7.2f}"
            )
    print(f"processor seconds {'traced':>21} {'untraced':>9}")
    for name, row in figures["heavy"].items():
        print(f"  {name:<28} {row['traced_s']:>9.4f} {row['untraced_s']:>9.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    figures = measure()
    print(json.dumps(figures, indent=2)) if parser.parse_args().json else show(figures)


if __name__ == "__main__":
    main()
