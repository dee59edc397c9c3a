"""Vector types: one access of 8 or 16 bytes, whose every word counts."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel

RNG = np.random.default_rng(11)


def launched(code: str, *arguments, grid=1, block=32, dynamic=0):
    name = code.partition("__global__ void ")[2].partition("(")[0]
    return simulate(CudaCKernel(code, name), grid, block, *arguments, dynamic_shared_bytes=dynamic)


COPY = """extern "C" __global__ void copy(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n) reinterpret_cast<float4*>(y)[i] = reinterpret_cast<const float4*>(x)[i];
}"""


def test_a_warp_reads_512_bytes_in_one_request():
    x, y = RNG.random(256).astype(np.float32), np.zeros(256, np.float32)
    trace = launched(COPY, x, y, np.int32(256), grid=2)
    np.testing.assert_array_equal(x, y)
    for site in trace.sites:
        assert site.itemsize == 16
        assert site.requests.tolist() == [1, 1] and site.sectors.tolist() == [16, 16]
        assert site.ideal_sectors.tolist() == [16, 16]
    assert {use.array: use.read_bytes for use in trace.arrays} == {"x": 1024, "y": 0}
    assert trace.hazards == ()


def test_a_vector_past_the_end_is_told_in_vectors():
    x, y = RNG.random(10).astype(np.float32), np.zeros(12, np.float32)
    trace = launched(COPY.replace("if (4 * i + 3 < n) ", ""), x, y, np.int32(10), block=3)
    (hazard,) = [found for found in trace.hazards if found.array == "x"]
    assert hazard.kind == "out-of-bounds" and hazard.index == (2,)


def test_a_vector_that_begins_between_is_misaligned():
    code = """extern "C" __global__ void shifted(const float* x, float* y) {
        const float4* p = (const float4*)(x + 1);
        y[threadIdx.x] = p[threadIdx.x].x;
    }"""
    trace = launched(code, np.zeros(132, np.float32), np.zeros(32, np.float32))
    (hazard,) = trace.hazards
    assert hazard.kind == "misaligned" and hazard.array == "x" and hazard.place.line == 2
    assert "multiple of 16" in hazard.message


def test_an_aligned_offset_is_none():
    code = """extern "C" __global__ void shifted(const float* x, float* y) {
        const float4* p = (const float4*)(x + 4 * threadIdx.x);
        y[threadIdx.x] = p->w + p[1].x;
    }"""
    x, y = RNG.random(132).astype(np.float32), np.zeros(32, np.float32)
    trace = launched(code, x, y)
    assert trace.hazards == ()
    np.testing.assert_array_equal(y, x[3:131:4] + x[4:132:4])


TILE = """extern "C" __global__ void tile(const float* x, float* y) {{
    __shared__ float s[128];
    int t = threadIdx.x;
    if (t < {writers}) *reinterpret_cast<float4*>(&s[4 * t]) = ((const float4*)x)[t];
    {barrier}
    for (int k = t; k < 128; k += 64) y[k] = s[127 - k];
}}"""


def test_all_words_of_a_vector_count_as_written():
    x, y = RNG.random(128).astype(np.float32), np.zeros(128, np.float32)
    trace = launched(TILE.format(writers=32, barrier="__syncthreads();"), x, y, block=64)
    assert trace.hazards == ()
    np.testing.assert_array_equal(y, x[::-1])


def test_a_vector_that_was_not_written_is_missed():
    x, y = RNG.random(128).astype(np.float32), np.zeros(128, np.float32)
    trace = launched(TILE.format(writers=31, barrier="__syncthreads();"), x, y, block=64)
    (hazard,) = trace.hazards
    assert hazard.kind == "uninitialised-read" and hazard.array == "s" and hazard.index == (127,)


def test_a_race_is_seen_on_any_word_of_a_vector():
    x, y = RNG.random(128).astype(np.float32), np.zeros(128, np.float32)
    trace = launched(TILE.format(writers=32, barrier=""), x, y, block=64)
    assert {found.kind for found in trace.hazards} >= {"data-race"}
    race = next(found for found in trace.hazards if found.kind == "data-race")
    assert {race.place.line, race.other_place.line} == {4, 6}


def test_shared_vectors_of_neighbors_have_no_conflict():
    code = """extern "C" __global__ void banks(float* y) {
        __shared__ float4 s[64];
        s[threadIdx.x] = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
        __syncthreads();
        y[threadIdx.x] = s[threadIdx.x].z + s[2 * threadIdx.x % 32].w;
    }"""
    y = np.zeros(32, np.float32)
    trace = launched(code, y)
    store, straight, doubled = [site for site in trace.sites if site.space == "shared"]
    assert store.wavefronts.sum() == store.ideal_wavefronts.sum() == 4
    # A member of every fourth word: 8 banks only, so that 4 lanes meet on each.
    assert straight.itemsize == 4 and straight.wavefronts.sum() == 4
    assert doubled.wavefronts.sum() == 4
    np.testing.assert_array_equal(y, 7)


@pytest.mark.parametrize("vector", ["float2", "int2", "uint4", "double2", "short4", "uchar4"])
def test_every_vector_type_goes_round(vector):
    code = f"""extern "C" __global__ void through(const {vector}* a, {vector}* b) {{
        {vector} v = a[threadIdx.x];
        v.y = v.x + v.y;
        {vector} w = v;
        w.x = 1;
        b[threadIdx.x] = w;
    }}"""
    from gpuedu.simt.cuda_c.types import VECTORS, dtype_of

    dtype = dtype_of(VECTORS[vector])
    a = np.zeros(32, dtype)
    for name in dtype.names:
        a[name] = RNG.integers(0, 50, 32)
    b = np.zeros(32, dtype)
    trace = launched(code, a, b)
    assert trace.hazards == () and (b["x"] == 1).all()
    np.testing.assert_array_equal(b["y"], a["x"] + a["y"])
    assert [site.itemsize for site in trace.sites] == [dtype.itemsize, dtype.itemsize]


REGISTER_TILED = """
template <int BM, int BN, int BK, int TM, int TN>
__global__ void gemm(int M, int N, int K, const float* A, const float* B, float* C) {
    const int column = threadIdx.x % (BN / TN), row = threadIdx.x / (BN / TN);
    __shared__ float As[BK * BM], Bs[BK * BN];
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;
    const unsigned int rowA = threadIdx.x / (BK / 4), columnA = threadIdx.x % (BK / 4);
    const unsigned int rowB = threadIdx.x / (BN / 4), columnB = threadIdx.x % (BN / 4);
    float sums[TM * TN] = {0.0f}, left[TM], right[TN];
    for (int k = 0; k < K; k += BK, A += BK, B += BK * N) {
        const float4 v = reinterpret_cast<const float4*>(&A[rowA * K + columnA * 4])[0];
        As[(columnA * 4 + 0) * BM + rowA] = v.x;
        As[(columnA * 4 + 1) * BM + rowA] = v.y;
        As[(columnA * 4 + 2) * BM + rowA] = v.z;
        As[(columnA * 4 + 3) * BM + rowA] = v.w;
        reinterpret_cast<float4*>(&Bs[rowB * BN + columnB * 4])[0] =
            reinterpret_cast<const float4*>(&B[rowB * N + columnB * 4])[0];
        __syncthreads();
        for (int d = 0; d < BK; ++d) {
            for (int i = 0; i < TM; ++i) left[i] = As[d * BM + row * TM + i];
            for (int j = 0; j < TN; ++j) right[j] = Bs[d * BN + column * TN + j];
            for (int i = 0; i < TM; ++i)
                for (int j = 0; j < TN; ++j) sums[i * TN + j] += left[i] * right[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; j += 4) {
            float4* out = reinterpret_cast<float4*>(&C[(row * TM + i) * N + column * TN + j]);
            *out = make_float4(sums[i * TN + j], sums[i * TN + j + 1], sums[i * TN + j + 2],
                               sums[i * TN + j + 3]);
        }
}"""


def test_a_register_tiled_matmul_of_a_template():
    M, N, K = 128, 64, 16
    a, b = (RNG.standard_normal(shape).astype(np.float32) for shape in ((M, K), (K, N)))
    c = np.zeros((M, N), np.float32)
    kernel = CudaCKernel(REGISTER_TILED, "gemm<64, 32, 8, 4, 4>")
    sizes = [np.int32(n) for n in (M, N, K)]
    # 64 x 32 elements, 4 x 4 for each of 128 threads, which load 64 x 8 and (half of them) 8 x 32.
    code = REGISTER_TILED.replace(
        "        reinterpret_cast<float4*>(&Bs",
        "        if (rowB < BK) reinterpret_cast<float4*>(&Bs",
    )
    trace = simulate(CudaCKernel(code, kernel.name), (2, 2), 128, *sizes, a, b, c)
    assert trace.hazards == ()
    np.testing.assert_allclose(c, a.astype(float) @ b, rtol=1e-4, atol=1e-4)
    flop = sum(line.flop.get("float32", 0) for line in trace.lines)
    assert flop == 2 * M * N * K
