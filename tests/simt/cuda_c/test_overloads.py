"""A source's own functions beside CUDA's of the same name, and what stands in namespaces."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import GpueduError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel


def run(code: str, values: list[float], header: str = "") -> list[float]:
    """What one warp writes to ``out`` from ``x``."""
    kernel = f"""{header}{code}
extern "C" __global__ void k(const float* x, float* out) {{ out[threadIdx.x] = f(x[threadIdx.x]); }}"""
    x, out = np.zeros(32, np.float32), np.zeros(32, np.float32)
    x[: len(values)] = values
    trace = simulate(CudaCKernel(kernel, "k"), 1, 32, x, out)
    assert not trace.hazards
    return out[: len(values)].tolist()


VECTORS = """
__device__ float3 make_float3(float s) { return make_float3(s, 2 * s, 3 * s); }
__device__ float3 make_float3(float4 v) { return make_float3(v.x, v.y, v.z); }
__device__ float3 fminf(float3 a, float3 b) {
    return make_float3(fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z));
}
"""


def test_cudas_function_is_called_where_no_own_one_takes_these_types():
    code = (
        VECTORS
        + """__device__ float f(float x) {
    float3 low = fminf(make_float3(x), make_float3(make_float4(1.0f, 1.0f, 10.0f, 0.0f)));
    return low.x + 100 * low.y + 10000 * low.z; }"""
    )
    assert run(code, [1, 2, 4]) == [30101, 60101, 100101]


def test_an_own_function_of_these_types_hides_cudas():
    code = "__device__ float fminf(float a, float b) { return 7; }\n"
    assert run(code + "__device__ float f(float x) { return fminf(x, 3.0f); }", [1]) == [7]


def test_a_groups_reduce_is_meant_by_its_namespace():
    header = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
    code = """namespace cg = cooperative_groups;
__device__ float reduce(float a) { return a + 1; }
__device__ float f(float x) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    return cg::reduce(warp, x, cg::plus<float>()) + reduce(x); }"""
    assert run(code, [1, 2, 4], header) == [9, 10, 12]


def test_each_instance_of_a_function_as_argument_has_shared_memory_of_its_own():
    code = """using Op = float (*)(float, float);
__device__ float add(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
template <Op op> __device__ float pairs(float x) {
    __shared__ float part[32];
    part[threadIdx.x] = x;
    __syncthreads();
    return op(x, part[threadIdx.x ^ 1]);
}
__device__ float f(float x) { return pairs<add>(x) + 100 * pairs<times>(x); }"""
    assert run(code, [1, 2, 4, 3]) == [203, 203, 1207, 1207]


def test_a_structure_in_constant_memory_has_its_values():
    code = """__constant__ float3 weights = {1.0f, 2.0f, 4.0f};
__device__ int2 pairs[2] = {{1, 2}, {3}};
__device__ float f(float x) { return x * weights.y + pairs[1].x + 10 * pairs[1].y + pairs[0].y; }"""
    assert run(code, [1, 2]) == [7, 9]


def test_more_values_than_elements_are_refused():
    code = "__constant__ int two[2] = {1, 2, 3};\n"
    with pytest.raises(GpueduError, match=r"2 values fit here, got 3|too many initializer values"):
        run(code + "__device__ float f(float x) { return two[1]; }", [1])


def test_the_clock_goes_on_from_one_reading_to_the_next():
    code = """__device__ float f(float x) {
    clock_t begin = clock();
    long long now = clock64(), turns = 0;
    while (clock64() - now < 50000) ++turns;
    return now > begin && turns > 0 && turns < 1000; }"""
    assert run(code, [1, 2]) == [1, 1]
