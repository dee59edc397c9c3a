"""Local arrays through pointers to vectors, as registers are filled from memory four at a time."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import GpueduError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.trace import Trace

RNG = np.random.default_rng(23)


def run(body: str, *arrays: np.ndarray, threads: int = 32) -> Trace:
    """Run a kernel of ``a`` and ``b``, both of float."""
    head = 'extern "C" __global__ void k(const float* a, float* b) {\nint t = threadIdx.x;\n'
    code = f"#include <cuda_fp16.h>\n{head}{body}\n}}"
    return simulate(CudaCKernel(code, "k"), 1, threads, *arrays)


def pair() -> tuple[np.ndarray, np.ndarray]:
    return RNG.random(256).astype(np.float32), np.zeros(256, np.float32)


STAGED = """float r[8];
    reinterpret_cast<float4*>(&r[0])[0] = reinterpret_cast<const float4*>(a)[2 * t];
    reinterpret_cast<float4*>(&r[4])[0] = reinterpret_cast<const float4*>(a)[2 * t + 1];
    for (int i = 0; i < 8; ++i) b[8 * t + i] = r[7 - i];"""

IN_A_LOOP = """float r[8];
    for (int i = 0; i < 8; i += 4)
        *(float4*)(&r[i]) = *(const float4*)(a + 8 * t + i);
    for (int i = 7; i >= 0; --i) b[8 * t + 7 - i] = r[i];"""

READ_BACK = """float r[2][4];
    for (int i = 0; i < 8; ++i) r[i / 4][i % 4] = a[8 * t + 7 - i];
    for (int i = 0; i < 2; ++i)
        reinterpret_cast<float4*>(b)[2 * t + i] = reinterpret_cast<float4*>(&r[i][0])[0];"""

BY_EACH_THREAD = """float r[8];
    for (int i = 0; i < 8; ++i) r[i] = a[8 * t + i];
    int half = t % 2;
    float4 v = reinterpret_cast<float4*>(r)[half], w = reinterpret_cast<float4*>(r)[1 - half];
    float s[8];
    reinterpret_cast<float4*>(s)[1 - half] = v;
    reinterpret_cast<float4*>(s)[half] = w;
    for (int i = 0; i < 8; ++i) b[8 * t + i] = s[(7 - i) ^ 4];"""

MEMBERS = """float r[8];
    float2* p = reinterpret_cast<float2*>(r);
    for (int i = 0; i < 4; ++i) { p[i].y = a[8 * t + 7 - 2 * i - 1]; p[i].x = a[8 * t + 7 - 2 * i]; }
    for (int i = 0; i < 8; ++i) b[8 * t + i] = r[i];"""


FROM_VECTORS = """float4 r[2];
    float* p = reinterpret_cast<float*>(r);
    for (int i = 0; i < 8; ++i) p[(i + t) % 8] = a[8 * t + (i + t) % 8];
    for (int i = 0; i < 8; ++i) b[8 * t + i] = p[7 - i];
    if (r[1].z != p[6]) b[8 * t] = -1;"""

BODIES = [STAGED, IN_A_LOOP, READ_BACK, BY_EACH_THREAD, MEMBERS, FROM_VECTORS]


@pytest.mark.parametrize("threads", [32, 19])
@pytest.mark.parametrize("body", BODIES)
def test_each_thread_reverses_its_eight_numbers(body, threads):
    a, b = pair()
    trace = run(body, a, b, threads=threads)
    assert trace.hazards == ()
    count = 8 * threads
    expected = a[:count].reshape(-1, 8)[:, ::-1].reshape(-1)
    np.testing.assert_array_equal(b[:count], expected)


def test_only_the_threads_that_wrote_have_a_value():
    body = """float r[4];
    r[3] = 1;
    if (t < 5) reinterpret_cast<float4*>(r)[0] = reinterpret_cast<const float4*>(a)[t];
    b[t] = r[2];
    b[32 + t] = r[3];"""
    a, b = pair()
    (hazard,) = run(body, a, b).hazards
    assert (hazard.kind, hazard.array, hazard.index) == ("uninitialised-read", "r", (2,))
    assert hazard.count == 27 and hazard.who.thread == (5, 0, 0) and hazard.place.line == 7
    np.testing.assert_array_equal(b[:5], a[2:20:4])
    np.testing.assert_array_equal(b[32:64], [*a[3:20:4], *np.ones(27)])


def test_a_vector_is_uninitialised_if_one_of_its_numbers_is():
    body = """float r[8];
    for (int i = 0; i < 7; ++i) r[i] = i;
    reinterpret_cast<float4*>(b)[t] = reinterpret_cast<float4*>(r)[0];
    float4 v = reinterpret_cast<float4*>(r)[1];
    b[128 + t] = v.x;"""
    (hazard,) = run(body, *pair()).hazards
    assert (hazard.kind, hazard.index, hazard.count) == ("uninitialised-read", (1,), 32)
    assert hazard.place.line == 7


def test_a_vector_past_the_end_is_out_of_bounds():
    body = """float r[8];
    for (int i = 0; i < 8; ++i) r[i] = i;
    float4 v = reinterpret_cast<float4*>(r)[1 + t / 30];
    b[t] = v.y;"""
    (hazard,) = run(body, *pair()).hazards
    assert (hazard.kind, hazard.array, hazard.index) == ("out-of-bounds", "r", (2,))
    assert hazard.count == 2 and hazard.who.thread == (30, 0, 0)


def test_a_vector_that_begins_between_is_misaligned():
    body = """float r[8];
    for (int i = 0; i < 8; ++i) r[i] = i;
    b[t] = reinterpret_cast<float4*>(&r[2])[0].x;"""
    (hazard,) = run(body, *pair()).hazards
    assert hazard.kind == "misaligned" and "multiple of 16" in hazard.message


def test_words_of_another_kind_show_the_same_bits():
    body = """float r[2];
    r[0] = a[t];
    r[1] = 1.0f;
    int* bits = reinterpret_cast<int*>(r);
    bits[0] ^= 0x80000000;
    b[t] = r[0];
    b[32 + t] = bits[1] == 0x3f800000;"""
    a, b = pair()
    assert run(body, a, b).hazards == ()
    np.testing.assert_array_equal(b[:64], [*-a[:32], *np.ones(32)])


def test_eight_halves_pass_through_one_vector():
    body = """half r[8];
    *reinterpret_cast<float4*>(&r[0]) = reinterpret_cast<const float4*>(a)[t];
    for (int i = 0; i < 8; ++i) b[8 * t + i] = __half2float(r[7 - i]);"""
    numbers, b = RNG.random(256).astype(np.float16), np.zeros(256, np.float32)
    assert run(body, numbers.view(np.float32), b).hazards == ()
    np.testing.assert_array_equal(b.reshape(-1, 8), numbers.reshape(-1, 8)[:, ::-1])


def test_parts_of_an_element_are_refused():
    body = """float r[2];
    reinterpret_cast<half*>(r)[0] = __float2half(1.0f);
    b[t] = r[0];"""
    with pytest.raises(GpueduError, match="not whole elements"):
        run(body, *pair())
