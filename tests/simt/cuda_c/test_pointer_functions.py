"""CUDA's functions with results behind pointers, and what kernels take for types and raw memory."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import GpueduError, KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from tests.simt.cuda_c.packed import PACKED

NUMBERS = np.array([0, 1, -0.75, 8, 1e-40, 3e38, -5.5, 1e-3], np.float32)


@pytest.mark.parametrize(
    ("type_", "function"), [("float", "frexpf"), ("float", "frexp"), ("double", "frexp")]
)
def test_a_number_is_told_by_mantissa_and_exponent(type_: str, function: str):
    code = f"""extern "C" __global__ void k(const {type_}* x, {type_}* m, int* e) {{
    int found; m[threadIdx.x] = {function}(x[threadIdx.x], &found); e[threadIdx.x] = found; }}"""
    x = NUMBERS.astype(np.float32 if type_ == "float" else np.float64)
    m, e = np.zeros_like(x), np.zeros(8, np.int32)
    assert simulate(CudaCKernel(code, "k"), 1, 8, x, m, e).hazards == ()
    np.testing.assert_array_equal(m, np.frexp(x)[0])
    np.testing.assert_array_equal(e, np.frexp(x)[1])


RAW = (
    PACKED
    + """extern "C" __global__ void k(const float* x, float* y) {
    extern __shared__ char* memory[];
    Packed<float>* kept = reinterpret_cast<Packed<float>*>(memory);
    float* sums = reinterpret_cast<float*>(kept + blockDim.x);
    kept[threadIdx.x] = load(x + 4 * threadIdx.x);
    sums[threadIdx.x] = threadIdx.x;
    __syncthreads();
    Packed<float> other = kept[blockDim.x - 1 - threadIdx.x];
    other[0] += sums[threadIdx.x ^ 1];
    store((float*)__builtin_assume_aligned(y, 16) + 4 * threadIdx.x, other);
}"""
)


def test_shared_memory_declared_as_pointers_is_raw_memory(monkeypatch):
    monkeypatch.setattr("gpuedu.simt.cuda_c.compile.require_valid", lambda kernel: None)
    x = np.random.default_rng(5).standard_normal(128).astype(np.float32)
    y = np.zeros_like(x)
    trace = simulate(CudaCKernel(RAW, "k"), 1, 32, x, y, dynamic_shared_bytes=20 * 32)
    assert trace.hazards == ()
    expected = x.reshape(-1, 4)[::-1].copy()
    expected[:, 0] += np.arange(32) ^ 1
    np.testing.assert_array_equal(y.reshape(-1, 4), expected)
    shared = [site for site in trace.sites if site.array == "memory" and site.itemsize == 16]
    assert len(shared) == 2
    for wrong in ("memory[0] = 0;", "float z = *memory[0];"):
        code = RAW.replace("__syncthreads();", wrong)
        with pytest.raises(KernelSourceError):
            simulate(CudaCKernel(code, "k"), 1, 32, x, y, dynamic_shared_bytes=20 * 32)


TOLD = """#include <type_traits>
template <bool Doubles, bool B>
__global__ void k(int* out, std::bool_constant<Doubles>, std::bool_constant<(B && true)> b) {
    int n = threadIdx.x;
    if constexpr (Doubles) n *= 2;
    if (std::bool_constant<B>::value) n += 100;
    if (b.value) n += 1000;
    out[threadIdx.x] = n;
}"""


@pytest.mark.parametrize("doubles", [True, False])
@pytest.mark.parametrize("adds", [True, False])
def test_a_constant_as_a_parameter_tells_by_its_type(doubles: bool, adds: bool, monkeypatch):
    monkeypatch.setattr("gpuedu.simt.cuda_c.compile.require_valid", lambda kernel: None)
    out = np.zeros(32, np.int32)
    name = f"k<{str(doubles).lower()}, {str(adds).lower()}>"
    kernel = CudaCKernel(TOLD, name, (), 0, True)
    simulate(kernel, 1, 32, out, np.uint8(0), np.bool_(doubles))
    np.testing.assert_array_equal(out, np.arange(32) * (1 + doubles) + 1100 * adds)
    with pytest.raises(GpueduError):
        simulate(kernel, 1, 32, out, np.int32(0), np.uint8(0))
