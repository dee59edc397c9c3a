"""Reference answers of the lesson, written another way than the solution, and ways to hand in."""

from __future__ import annotations

import math

from numba import float32

from gpuedu.backend import cuda
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load


def intensities(counts):
    flop = counts["other_flop"] + counts["multiply_adds"] * 2
    l1_bytes = 4 * 32 * counts["passes"]
    return flop / l1_bytes, flop / (counts["written_bytes"] + counts["read_bytes"])


def attainable(per_l1_byte, per_memory_byte, device):
    return min(
        (1e12 * device["tflop_per_s"], "arithmetic"),
        (1e9 * device["l1_gb_per_s"] * per_l1_byte, "L1"),
        (1e9 * device["memory_gb_per_s"] * per_memory_byte, "device memory"),
    )


LIMITS = {
    **dict.fromkeys(("saxpy", "speed-of-rows"), "device memory"),
    **dict.fromkeys(("sum-of-rows", "stencil"), "L1"),
    **dict.fromkeys(("matmul-by-columns", "matmul-naive", "matmul-tiled"), "L1"),
    "power-series": "arithmetic",
}


def blocks_for(rows, columns):
    return math.ceil(columns / 32), math.ceil(rows / 32)


@cuda.jit
def matmul_naive(a, b, c):
    i = cuda.blockIdx.y * 32 + cuda.threadIdx.y
    j = cuda.blockIdx.x * 32 + cuda.threadIdx.x
    if i >= c.shape[0] or j >= c.shape[1]:
        return
    total = float32(0)
    for k in range(b.shape[0]):
        total += b[k, j] * a[i, k]
    c[i, j] = total


@cuda.jit
def rms_norm(x, w, out):
    j = cuda.grid(1)
    if j >= x.shape[1]:
        return
    mean = float32(1e-6)
    for k in range(x.shape[0]):
        mean += x[k, j] * x[k, j] / float32(x.shape[0])
    for k in range(x.shape[0]):
        out[k, j] = x[k, j] * w[k] / math.sqrt(mean)


@cuda.jit
def matmul(a, b, c):
    left = cuda.shared.array((32, 33), float32)
    right = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    i, j = 32 * cuda.blockIdx.y + y, 32 * cuda.blockIdx.x + x
    total = float32(0)
    for turn in range((a.shape[1] + 31) // 32):
        k = 32 * turn
        left[y, x] = 0
        right[y, x] = 0
        if i < a.shape[0] and k + x < a.shape[1]:
            left[y, x] = a[i, k + x]
        if k + y < b.shape[0] and j < b.shape[1]:
            right[y, x] = b[k + y, j]
        cuda.syncthreads()
        for step in range(32):
            total += left[y, step] * right[step, x]
        cuda.syncthreads()
    if i < c.shape[0] and j < c.shape[1]:
        c[i, j] = total


REFERENCE = {
    "roofline": (intensities, attainable, LIMITS),
    "naive": (blocks_for, matmul_naive),
    "accumulate-in-float32": (rms_norm,),
    "tiled": (matmul,),
    "any-shape": (matmul,),
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
