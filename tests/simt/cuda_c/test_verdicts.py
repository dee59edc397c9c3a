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


BLOCK_SUM = """template <int N> __device__ float block_sum(float v) {{
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t] = v;
    __syncthreads();
    for (int d = N / 2; d > 0; d /= 2) {{
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }}
    return s[0];
}}
extern "C" __global__ void k(const float* x, float* y) {{
    float a = block_sum<64>(x[threadIdx.x]);
    {between}
    float b = block_sum<64>(2.0f * x[threadIdx.x]);
    y[threadIdx.x] = a + b;
}}"""


def sums(between: str):
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    trace = simulate(CudaCKernel(BLOCK_SUM.format(between=between), "k"), 1, 64, x, y)
    return trace, y


def test_two_calls_of_a_function_share_its_shared_memory():
    trace, _ = sums("")
    assert {(found.kind, found.array) for found in trace.hazards} == {("data-race", "s")}
    assert {found.place.line for found in trace.hazards} <= {4, 10}
    assert trace.launch.shared_bytes == 256


def test_a_barrier_between_the_calls_mends_it():
    trace, y = sums("__syncthreads();")
    assert trace.hazards == () and (y == 192).all()


def test_instances_of_a_template_have_shared_memory_of_their_own():
    both = """template <int N> __device__ int put() {
        __shared__ int s[32];
        s[threadIdx.x] = N;
        return s[threadIdx.x];
    }
    extern "C" __global__ void k(int* y) { y[threadIdx.x] = put<1>() + put<2>() + put<1>(); }"""
    got = np.zeros(32, np.int32)
    trace = simulate(CudaCKernel(both, "k"), 1, 32, got)
    assert trace.launch.shared_bytes == 256 and (got == 4).all()
