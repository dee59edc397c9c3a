"""Verdicts on idioms of CUDA C: assertions, and loops around a compare-and-swap."""

from __future__ import annotations

import numpy as np

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel

LARGEST = """extern "C" __global__ void largest(float* out, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int* p = (int*)out;
    int old = *p, guess;
    do {
        guess = old;
        old = atomicCAS(p, guess, __float_as_int(fmaxf(x[i], __int_as_float(guess))));
    } while (guess != old);
}"""


def test_the_guess_before_a_compare_and_swap_is_no_hazard():
    x = np.random.default_rng(3).random(200).astype(np.float32)
    out = np.zeros(1, np.float32)
    trace = simulate(CudaCKernel(LARGEST, "largest"), 4, 64, out, x, np.int32(200))
    assert out[0] == x.max() and trace.hazards == ()
    assert {found.kind for found in trace.findings} >= {"unordered-guess"}


def test_a_read_beside_other_atomics_stays_a_race():
    code = """extern "C" __global__ void count(int* counter, int* seen) {
        atomicAdd(counter, 1);
        seen[threadIdx.x] = *counter;
    }"""
    arrays = np.zeros(1, np.int32), np.zeros(32, np.int32)
    (hazard, *_) = simulate(CudaCKernel(code, "count"), 1, 32, *arrays).hazards
    assert hazard.kind == "data-race" and hazard.array == "counter"


def test_a_failed_assertion_is_a_hazard_that_stops_a_gpu():
    code = """extern "C" __global__ void k(float* x, int n) {
        assert(n > 3);
        x[threadIdx.x] = 1;
    }"""
    x = np.zeros(32, np.float32)
    (hazard,) = simulate(CudaCKernel(code, "k"), 1, 32, x, np.int32(3)).hazards
    assert hazard.kind == "trap" and hazard.place.line == 2 and "`n > 3`" in hazard.message
    assert not x.any()
    assert simulate(CudaCKernel(code, "k"), 1, 32, x, np.int32(4)).hazards == ()
