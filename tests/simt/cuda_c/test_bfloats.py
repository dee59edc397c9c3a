"""bfloat16 against rounding worked out in NumPy's doubles; templates for chosen arguments."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel


def to_float(bits: np.ndarray) -> np.ndarray:
    return (bits.astype(np.uint32) << 16).view(np.float32)


def nearest(value: np.ndarray) -> np.ndarray:
    """The bits of the bfloat16 nearest to a double, by trying both neighbors."""
    with np.errstate(all="ignore"):
        low = (value.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        tries = np.stack([low - np.uint16(1), low, low + np.uint16(1)])
        apart = np.abs(to_float(tries).astype(np.float64) - value)
    best = apart == np.nanmin(apart, axis=0)
    rank = best * 2 + (best & (tries % 2 == 0))
    return np.take_along_axis(tries, rank.argmax(axis=0)[np.newaxis], axis=0)[0]


KERNEL = """#include <cuda_bf16.h>
extern "C" __global__ void k(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* out) {{
    int i = threadIdx.x;
    {body}
}}"""


def launch(body: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out = np.zeros(x.size, np.uint16)
    trace = simulate(CudaCKernel(KERNEL.format(body=body), "k"), 1, x.size, x, y, out)
    assert trace.hazards == ()
    return out


@pytest.fixture
def pairs() -> tuple[np.ndarray, np.ndarray]:
    values = np.random.default_rng(6).standard_normal((2, 512)) * 2.0 ** np.arange(-8, 8).repeat(32)
    return tuple(nearest(row) for row in values)


@pytest.mark.parametrize(
    ("sign", "exact"),
    [("+", np.add), ("-", np.subtract), ("*", np.multiply), ("/", np.divide)],
)
def test_arithmetic_rounds_once(pairs, sign, exact):
    x, y = pairs
    wanted = nearest(exact(*(to_float(side).astype(np.float64) for side in pairs)))
    np.testing.assert_array_equal(launch(f"out[i] = x[i] {sign} y[i];", x, y), wanted)


def test_a_float_becomes_the_nearest_and_of_two_the_even_one(pairs):
    x, y = pairs
    wanted = nearest(to_float(x).astype(np.float64) * 1.00390625 + to_float(y))
    body = """float v = __bfloat162float(x[i]) * 1.00390625f + (float)y[i];
out[i] = __float2bfloat16_rn(v);"""
    assert (launch(body, x, y) != wanted).sum() <= 2  # the float itself was rounded
    halves = (x.astype(np.uint32) << 16 | 0x8000).view(np.float32)
    code = """#include <cuda_bf16.h>
extern "C" __global__ void k(const float* x, __nv_bfloat16* out) { out[threadIdx.x] = (__nv_bfloat16)x[threadIdx.x]; }"""
    out = np.zeros(x.size, np.uint16)
    simulate(CudaCKernel(code, "k"), 1, x.size, halves, out)
    np.testing.assert_array_equal(out, x + x % 2)


def test_infinities_stay_and_nan_has_one_form():
    x = np.array([np.inf, -np.inf, np.nan, 3.4e38, -0.0], np.float32)
    code = """#include <cuda_bf16.h>
extern "C" __global__ void k(const float* x, __nv_bfloat16* out) { out[threadIdx.x] = __float2bfloat16(x[threadIdx.x]); }"""
    out = np.zeros(5, np.uint16)
    simulate(CudaCKernel(code, "k"), 1, 5, x, out)
    assert [hex(bits) for bits in out] == ["0x7f80", "0xff80", "0x7fff", "0x7f80", "0x8000"]


def test_comparisons_are_those_of_the_numbers(pairs):
    x, y = pairs
    told = launch("out[i] = __float2bfloat16(x[i] < y[i] ? 1.0f : 0.0f);", x, y)
    np.testing.assert_array_equal(to_float(told), to_float(x) < to_float(y))


SPECIAL = """
template <typename T, int N> __device__ int f(T x) { return 1 + N; }
template <> __device__ int f<float, 2>(float x) { return 100 + (int)x; }
template <typename T> __device__ int g(T x) { return 5; }
template <> __device__ int g<int>(int x) { return x; }
template <int N> __global__ void kernel(int* out) { out[threadIdx.x] = N; }
template <> __global__ void kernel<3>(int* out) { out[threadIdx.x] = 33; }
extern "C" __global__ void k(int* out) {
    out[0] = f<float, 2>(7.5f); out[1] = f<float, 3>(7.5f); out[2] = f<int, 2>(7);
    out[3] = g(9); out[4] = g(9.0f);
}"""


def test_a_template_for_chosen_arguments_is_taken_for_those_alone():
    out = np.zeros(5, np.int32)
    assert simulate(CudaCKernel(SPECIAL, "k"), 1, 1, out).hazards == ()
    assert out.tolist() == [107, 4, 3, 9, 5]
    for number, told in ((3, 33), (4, 4)):
        simulate(CudaCKernel(SPECIAL, f"kernel<{number}>"), 1, 1, out)
        assert out[0] == told
