"""What to try about a data race: it depends on where the two accesses stand."""

from __future__ import annotations

import numpy as np

from gpuedu.simt import simulate
from gpuedu.simt.host import cuda


def remedies(kernel, *arguments, threads=64):
    """What is proposed about each race of one block."""
    trace = simulate(kernel, 1, threads, *arguments)
    return [seen.remedy for seen in trace.hazards if seen.kind == "data-race"]


def test_two_lines_want_a_barrier_between():
    def shift(x, out):
        part = cuda.shared.array(64, np.float32)
        t = cuda.threadIdx.x
        part[t] = x[t]
        out[t] = part[63 - t]

    (remedy,) = remedies(shift, np.ones(64, np.float32), np.zeros(64, np.float32))
    assert remedy.startswith("put `cuda.syncthreads()` between the two")


def test_one_line_that_reads_what_others_write_wants_a_variable():
    def widen(x, out):
        part = cuda.shared.array(64, np.float32)
        t = cuda.threadIdx.x
        part[t] = x[t]
        cuda.syncthreads()
        part[t] = max(part[t], part[63 - t])
        cuda.syncthreads()
        out[t] = part[t]

    (remedy,) = remedies(widen, np.arange(64, dtype=np.float32), np.zeros(64, np.float32))
    assert "keep the new value in a variable, then `cuda.syncthreads()`, then write it" in remedy


def test_one_line_of_a_loop_that_reads_what_a_turn_before_wrote_wants_a_barrier_between_turns():
    def fold(x, out):
        part = cuda.shared.array(64, np.float32)
        t = cuda.threadIdx.x
        part[t] = x[t]
        cuda.syncthreads()
        half = 32
        while half > 0:
            if t < half:
                part[t] += part[t + half]
            half //= 2
        cuda.syncthreads()
        if t == 0:
            out[0] = part[0]

    (remedy, *_) = remedies(fold, np.ones(64, np.float32), np.zeros(1, np.float32))
    assert "between one turn of the loop and the next" in remedy


def test_many_threads_that_change_one_place_hear_of_atomics():
    def count(total):
        total[0] += 1

    found = remedies(count, np.zeros(1, np.int32))
    assert found
    assert all("cuda.atomic" in remedy for remedy in found)


def test_the_remedy_is_in_the_words_of_cuda_c():
    from gpuedu import cp

    code = """extern "C" __global__ void widen(const float* x, float* y) {
        __shared__ float part[64];
        int t = threadIdx.x;
        part[t] = x[t];
        __syncthreads();
        part[t] = fmaxf(part[t], part[63 - t]);
        __syncthreads();
        y[t] = part[t];
    }"""
    kernel = cp.RawKernel(code, "widen")
    (remedy,) = remedies(kernel, np.ones(64, np.float32), np.zeros(64, np.float32))
    assert "then `__syncthreads()`, then write it" in remedy
    assert "an atomic such as `atomicAdd`" in remedy


def test_inside_one_warp_its_own_barrier_is_named():
    def neighbors(x, y):
        part = cuda.shared.array(32, np.float32)
        t = cuda.threadIdx.x
        part[t] = x[t]
        y[t] = part[31 - t]

    (remedy,) = remedies(neighbors, np.ones(32, np.float32), np.zeros(32, np.float32))
    assert "`cuda.syncthreads()` between the two" in remedy and "`cuda.syncwarp()`" in remedy
