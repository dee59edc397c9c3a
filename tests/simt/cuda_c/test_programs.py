"""Textbook programs give NumPy's results, and nothing in them is taken for a hazard."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import GpueduError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.cuda_c.arguments import KernelArgumentError
from gpuedu.trace import Space, Trace
from tests.simt.cuda_c.programs import COMPACT, PROGRAMS, Program


def run(code: str, name: str, threads: int, *arguments: object) -> Trace:
    return simulate(CudaCKernel(code, name), 1, threads, *arguments)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_program_gives_numpys_result_without_a_hazard(program: Program):
    arrays = program.arrays(np.random.default_rng(11))
    expected = program.expected(*(array.copy() for array in arrays))
    name = program.kernel or program.code.partition("__global__ void ")[2].partition("(")[0]
    trace = simulate(
        CudaCKernel(program.code, name),
        *(program.grid, program.block, *arrays, *program.numbers),
        dynamic_shared_bytes=program.dynamic_shared_bytes,
    )
    found = arrays[program.result]
    np.testing.assert_allclose(found, expected, rtol=program.rtol, atol=program.rtol)
    assert np.abs(found).sum() > 0 and trace.hazards == ()


def test_a_lane_may_offer_what_it_never_set_to_a_shuffle():
    values = np.random.default_rng(3).integers(-5, 6, 1000).astype(np.int32)
    out, count = np.zeros(1000, np.int32), np.zeros(1, np.int32)
    trace = simulate(CudaCKernel(COMPACT, "compact"), 8, 128, values, out, count, np.int32(1000))
    assert trace.hazards == ()
    np.testing.assert_array_equal(np.sort(out[: count[0]]), np.sort(values[values > 0]))


def test_an_unset_variable_is_told_by_its_name_behind_a_reference():
    code = r"""
__device__ void add(float& sum, float v) { sum += v; }
extern "C" __global__ void k(float* x) {
    float sum;
    add(sum, x[0]);
    x[0] = sum;
}
"""
    (found,) = run(code, "k", 1, np.ones(1, np.float32)).hazards
    assert found.kind == "uninitialised-read" and "`sum`" in found.message


def test_a_null_pointer_is_asked_for():
    code = r"""
extern "C" __global__ void k(float* x, const float* mask) {
    x[0] = mask ? mask[0] : -1.0f;
    if (mask != nullptr) x[1] = mask[1];
    if (!mask) x[2] = 5;
    if (NULL == mask) x[3] = 6;
}
"""
    x = np.zeros(4, np.float32)
    assert run(code, "k", 1, x, np.zeros(0, np.float32)).hazards == ()
    assert x.tolist() == [-1, 0, 5, 6]
    assert run(code, "k", 1, x, np.full(2, 8, np.float32)).hazards == ()
    assert x.tolist() == [8, 8, 5, 6]


def test_zero_beside_a_pointer_is_null():
    code = r"""
extern "C" __global__ void k(float* x, const float* mask, int n) {
    if (mask != 0) x[0] += 1;
    if (0 == mask) x[1] += 1;
    if (mask == (0u) && x[2] == 0 && n != 0L) x[2] += 1;
    while (mask != 0 && x[3] < 3) x[3] += 1;
}
"""
    x = np.zeros(4, np.float32)
    assert run(code, "k", 1, x, np.zeros(0, np.float32), np.int32(1)).hazards == ()
    assert x.tolist() == [0, 1, 1, 0]
    assert run(code, "k", 1, x, np.zeros(2, np.float32), np.int32(1)).hazards == ()
    assert x.tolist() == [1, 1, 1, 3]


def test_a_zero_that_is_cast_to_a_pointer_is_null_beside_one():
    code = r"""
extern "C" __global__ void k(float* x, const float* mask) {
    if (mask == (const float*)0) x[0] = 1;
    if ((void*)NULL != mask) x[0] = 2;
}
"""
    x = np.zeros(1, np.float32)
    run(code, "k", 1, x, np.zeros(0, np.float32))
    assert x[0] == 1
    run(code, "k", 1, x, np.zeros(1, np.float32))
    assert x[0] == 2


LAST_BLOCK = r"""
__device__ unsigned int count = 0;
__shared__ bool isLastBlockDone;
__device__ void mark(float* x) {
    unsigned int value = atomicInc(&count, gridDim.x - 1);
    isLastBlockDone = (value == (gridDim.x - 1));
}
extern "C" __global__ void k(float* x) {
    if (threadIdx.x == 0) mark(x);
    __syncthreads();
    if (isLastBlockDone && threadIdx.x == blockDim.x - 1) x[0] += 1;
}
extern "C" __global__ void other(float* x, float isLastBlockDone) { x[0] = isLastBlockDone; }
"""


def test_shared_memory_outside_of_functions_is_each_blocks_own():
    x = np.zeros(1, np.float32)
    trace = simulate(CudaCKernel(LAST_BLOCK, "k"), 3, 64, x)
    assert trace.hazards == () and x[0] == 1
    assert trace.launch.shared_bytes == 1
    assert {"isLastBlockDone"} == {one.array for one in trace.sites if one.space is Space.SHARED}


def test_a_kernel_has_only_the_shared_memory_that_it_names():
    code = (
        "__shared__ float a[8];\n__shared__ float b[4];\n"
        + r"""
template <typename T> __device__ T twice(T v) { b[0] = v; return b[0] + b[0]; }
extern "C" __global__ void neither(float* x) { x[0] = 1; }
extern "C" __global__ void one(float* x) { x[0] = twice(x[0]); }
extern "C" __global__ void both(float* x) { a[0] = x[0]; x[0] = a[0] + twice<float>(x[0]); }
"""
    )
    sizes = {
        name: run(code, name, 1, np.ones(1, np.float32)).launch.shared_bytes
        for name in ("neither", "one", "both")
    }
    assert sizes == {"neither": 0, "one": 16, "both": 48}


def test_dynamic_shared_memory_may_be_declared_outside_of_functions():
    code = r"""
extern __shared__ float t[];
extern "C" __global__ void k(float* x) {
    t[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = t[31 - threadIdx.x];
}
"""
    x = np.arange(32, dtype=np.float32)
    simulate(CudaCKernel(code, "k"), 1, 32, x, dynamic_shared_bytes=128)
    np.testing.assert_array_equal(x, np.arange(32)[::-1])


def test_device_functions_see_the_memory_of_the_module():
    code = r"""
__device__ int calls;
__device__ int next() { return ++calls; }
extern "C" __global__ void k(int* x) { x[0] = next() + next(); }
"""
    x = np.zeros(1, np.int32)
    run(code, "k", 1, x)
    assert x[0] == 3


@pytest.mark.parametrize("test", ["x != 1", "x == n", "x > 0", "x != 0.0f"])
def test_other_numbers_are_not_held_against_a_pointer(test):
    code = f'extern "C" __global__ void k(float* x, int n) {{ if ({test}) x[0] = 1; }}'
    with pytest.raises(GpueduError, match=r"pointer|float \*"):
        run(code, "k", 1, np.zeros(1, np.float32), np.int32(0))


@pytest.mark.parametrize(
    "definition",
    [
        "typedef unsigned long long uint64_t;",
        "typedef unsigned int uint32_t; typedef unsigned long uint64_t;",
        "typedef unsigned long int uint64_t;",
        "typedef unsigned long size_t; typedef size_t uint64_t;",
        "using uint64_t = unsigned long long;",
    ],
)
def test_a_name_of_a_type_may_be_defined_again(definition):
    code = f"""{definition}
extern "C" __global__ void k(uint64_t* x) {{ typedef int int32_t; x[0] += (int32_t)3.5f; }}"""
    x = np.array([1 << 40], np.uint64)
    run(code, "k", 1, x)
    assert x[0] == (1 << 40) + 3


def test_templates_are_called_through_namespaces():
    code = r"""
namespace wt {
    template <int N> __device__ float scaled(float x) { return N * x; }
    template <typename T> __device__ void add(T& sum, T x) { sum += x; }
    namespace in { template <int N, typename T> __device__ T plus(T x) { return x + N; } }
}
extern "C" __global__ void k(float* x) {
    float sum = wt::scaled<3>(x[0]);
    wt::add<float>(sum, wt::in::plus<4, float>(0.5f));
    if (threadIdx.x == 0) { wt::add<float>(sum, 100.0f); }
    for (int i = 0; i < 2; ++i) ::wt::add(sum, ::wt::scaled<(1 + 1)>(1.0f));
    x[0] = sum;
}
"""
    x = np.full(1, 2, np.float32)
    assert run(code, "k", 1, x).hazards == ()
    assert x[0] == 3 * 2 + 4.5 + 100 + 4


def test_a_structure_with_an_array_is_copied_member_by_member():
    code = r"""
struct In { int key; float v[2]; };
struct Out { In in; float m[2][2]; short s; };
extern "C" __global__ void k(float* x) {
    Out a, b[2];
    a.in.key = 7; a.in.v[0] = x[0]; a.in.v[1] = 5; a.s = 3;
    for (int i = 0; i < 4; ++i) a.m[i / 2][i % 2] = i + x[1];
    b[1] = a;
    a.m[1][0] = -1;
    Out c = b[1];
    auto d = c.in;
    b[0] = b[1] = c;
    Out* p = &b[0];
    c = *p;
    x[0] = c.m[1][0] + 10 * c.in.key + d.v[0];
    x[1] = c.s + b[0].in.v[1];
}
"""
    x = np.array([0.25, 4], np.float32)
    assert run(code, "k", 1, x).hazards == ()
    assert x.tolist() == [2 + 4 + 70 + 0.25, 8]


def test_records_may_be_passed_as_their_bytes():
    code = r"""
struct Particle { float x, v; int id; };
extern "C" __global__ void k(Particle* p, float dt) {
    Particle& own = p[threadIdx.x];
    own.x += dt * own.v;
    own.id = threadIdx.x;
}
"""
    kind = np.dtype([("x", "f4"), ("v", "f4"), ("id", "i4")])
    particles = np.zeros(32, kind)
    particles["v"] = np.arange(32)
    held = particles.view(np.uint8).copy()
    run(code, "k", 32, held, np.float32(0.5))
    np.testing.assert_array_equal(held.view(kind)["x"], np.arange(32) / 2)
    np.testing.assert_array_equal(held.view(kind)["id"], np.arange(32))
    with pytest.raises(KernelArgumentError, match=r"records\.view"):
        run(code, "k", 32, np.zeros(96, np.float32), np.float32(0.5))


def test_a_vector_needs_an_aligned_array():
    code = 'extern "C" __global__ void k(float4* x) { x[0].y = 7; }'
    x = np.zeros(16, np.float32)
    run(code, "k", 1, x[4:12])
    assert x[5] == 7
    with pytest.raises(KernelArgumentError, match="begins 4 bytes past one"):
        run(code, "k", 1, x[1:9])


@pytest.mark.parametrize(
    ("parameter", "words"), [("float** x", "points to pointers"), ("Node x", "a pointer in it")]
)
def test_pointers_to_pointers_are_refused_in_words(parameter: str, words: str):
    code = "struct Node { float* p; int n; };\n" + (
        f'extern "C" __global__ void k({parameter}, float* y) {{ y[0] = 1; }}'
    )
    given = np.zeros(1, [("p", "u8"), ("n", "i4")])[0] if "Node" in parameter else np.zeros(2, "u8")
    with pytest.raises(Exception, match=words) as caught:
        run(code, "k", 1, given, np.zeros(1, np.float32))
    assert "separate argument" in str(caught.value)


def test_a_template_for_chosen_arguments_is_taken_for_them():
    code = r"""
template <int N> __device__ int f(int a) { return a; }
template <> __device__ int f<1>(int a) { return 10; }
extern "C" __global__ void k(int* x) { x[0] = f<1>(2) * 100 + f<3>(2); }
"""
    x = np.zeros(1, np.int32)
    run(code, "k", 1, x)
    assert x[0] == 1002


def test_a_template_may_be_declared_alone_beside_its_chosen_arguments():
    code = r"""
template <typename To, typename From> __device__ To cast(From x);
template <> __device__ float cast<float, int>(int x) { return x * 0.5f; }
template <> __device__ int cast<int, int>(int x) { return x + 1; }
extern "C" __global__ void k(float* x) { x[0] = cast<float, int>(3); x[1] = cast<int, int>(3); }
"""
    x = np.zeros(2, np.float32)
    run(code, "k", 1, x)
    assert x.tolist() == [1.5, 4]


def test_dim3_is_one_where_nothing_is_told():
    code = r"""
extern "C" __global__ void k(int* x) {
    dim3 a, b(2, 3), c{4};
    x[0] = a.x + a.y + a.z; x[1] = b.x * b.y * b.z; x[2] = c.x * c.y * c.z;
}
"""
    x = np.zeros(3, np.int32)
    run(code, "k", 1, x)
    assert x.tolist() == [3, 6, 4]


def test_operators_may_be_words():
    code = r"""
extern "C" __global__ void k(int* x) {
    int i = threadIdx.x;
    x[i] = (i > 3 and i not_eq 6 or not i) + 2 * (i bitand 5) + 100 * (compl i xor 7);
}
"""
    x, i = np.zeros(8, np.int32), np.arange(8)
    run(code, "k", 8, x)
    expected = (((i > 3) & (i != 6)) | (i == 0)) + 2 * (i & 5) + 100 * (~i ^ 7)
    np.testing.assert_array_equal(x, expected)
