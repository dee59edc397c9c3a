"""``half2`` against NumPy's half precision, each of its functions alone."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import GpueduError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel

ONE = np.float16(1)

CASES = {
    "__hadd2(a, b)": lambda a, b: a + b,
    "__hsub2(a, b)": lambda a, b: a - b,
    "__hmul2(a, b)": lambda a, b: a * b,
    "__h2div(a, b)": lambda a, b: a / b,
    "__hfma2(a, b, a)": lambda a, b: (a.astype("f8") * b + a).astype("f2"),
    "__hmax2(a, b)": np.maximum,
    "__hmin2(a, b)": np.minimum,
    "__hneg2(a)": lambda a, b: -a,
    "__habs2(__hneg2(a))": lambda a, b: a,
    "h2sqrt(a)": lambda a, b: np.sqrt(a),
    "a * b + a / b - b": lambda a, b: (a * b + a / b) - b,
    "__half2half2(__low2half(a))": lambda a, b: a[:, [0, 0]],
    "__high2half2(a)": lambda a, b: a[:, [1, 1]],
    "__lowhigh2highlow(a)": lambda a, b: a[:, ::-1],
    "__halves2half2(a.y, __high2half(b))": lambda a, b: np.stack([a[:, 1], b[:, 1]], 1),
    "__float2half2_rn(1.0f)": lambda a, b: np.full_like(a, ONE),
    "__floats2half2_rn(__low2float(a), 1.0f)": lambda a, b: np.stack([a[:, 0], b[:, 0] * 0 + 1], 1),
    "__float22half2_rn(__half22float2(a))": lambda a, b: a,
    "make_half2(a.y, b.x)": lambda a, b: np.stack([a[:, 1], b[:, 0]], 1),
}


def kernel(result: str) -> CudaCKernel:
    code = (
        "#include <cuda_fp16.h>\n"
        'extern "C" __global__ void k(const half2* x, const __half2* y, half2* out) {\n'
        "    half2 a = x[threadIdx.x], b = y[threadIdx.x];\n"
        f"    out[threadIdx.x] = {result};\n}}"
    )
    return CudaCKernel(code, "k")


@pytest.mark.parametrize("result", CASES)
def test_a_function_of_pairs_does_the_same_to_both(result: str):
    rng = np.random.default_rng(5)
    a, b = ((rng.random((32, 2)) + 0.5).astype(np.float16) for _ in range(2))
    out = np.zeros((32, 2), np.float16)
    trace = simulate(kernel(result), 1, 32, a, b, out)
    np.testing.assert_array_equal(out, CASES[result](a, b))
    loads = {site.array: int(site.requests.sum()) for site in trace.sites}
    assert trace.hazards == () and loads == {"x": 1, "y": 1, "out": 1}


def test_a_wrong_number_of_arguments_is_told():
    pairs = np.ones((32, 2), np.float16)
    with pytest.raises(GpueduError, match=r"takes 2 arguments, got 1|too few arguments"):
        simulate(kernel("__hadd2(a)"), 1, 32, pairs, pairs, pairs)
