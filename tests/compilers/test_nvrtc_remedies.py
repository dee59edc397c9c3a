"""Beginners' errors through the real compiler, each with what to try."""

from __future__ import annotations

import pytest

from gpuedu.compilers import CudaCError, check_cuda_c
from gpuedu.compilers.nvrtc_remedies import no_kernel, with_remedies
from gpuedu.compilers.nvrtc_remedy_rules import RULES

pytestmark = pytest.mark.usefixtures("nvrtc_compiler")

IN_KERNEL = {
    "int i = threadidx.x; a[i] = 1;": "threadIdx.x",
    "int i = thread.x; a[i] = 1;": "threadIdx.x",
    "int i = cuda.grid(1); a[i] = 1;": "blockIdx.x * blockDim.x + threadIdx.x",
    "int i = blockIdx * blockDim + threadIdx; a[i] = 1;": "the parts .x, .y and .z",
    "int i = threadIdx; a[i] = 1;": "the parts .x, .y and .z",
    "a[threadIdx] = 1;": "the parts .x, .y and .z",
    "a[threadIdx.X] = 1;": "the parts .x, .y and .z",
    "float4 v = {1, 2, 3, 4}; a[0] = v[0];": "v.x",
    "float4 v = a[0]; a[1] = v.x;": "make_float4",
    "int i = 0\n    a[i] = 1;": "a ; at the end of line 2",
    "a[0] = 1 // one\n\n    // two\n    a[1] = 2;": "a ; at the end of line 2",
    "a[0] = 1 a[1] = 2;": "a ; in front of `a`",
    "i = threadIdx.x; a[i] = 1;": "int i = ...;",
    "largest = a[0]; a[1] = largest;": "float largest = ...;",
    "n = 2; largest = a[0];": "float largest = ...;",
    "int half = blockDim.x // 2;\n    a[half] = 1;": "/ in place of // on line 2",
    "for (int k = n // 2; k > 0; k //= 2)\n        a[k] = 1;": "/ in place of //",
    "if (n < 8 // 2) {\n        a[0] = 1;\n    }": "/ in place of //",
    "n //= 2;\n    a[n] = 1;": "/ in place of //",
    "a[0] = 1 // of two rows (n)\n    a[1] = 2;": "a ; at the end of line 2",
    "a[0] = 1; # one": "// in place of #",
    "cuda.syncthreads();": "__syncthreads() in place of",
    "int i = cuda.threadIdx.x; a[i] = 1;": "threadIdx.x",
    "cuda.atomic.add(a, 0, 1);": "atomicAdd(",
    "a[0] = cuda.shfl_down_sync(1, s, 1);": "__shfl_down_sync(0xffffffff",
    "__shared__ float tile[n]; a[0] = tile[0];": "extern __shared__ float tile[]",
    "float own[n]; a[0] = own[0];": "#define SIZE 256",
    "__shared__ float tile[4] = {0}; a[0] = tile[0];": "then __syncthreads()",
    "__shared__ tile[32]; a[0] = tile[0];": "__shared__ float tile[32];",
    "syncthreads();": "__syncthreads()",
    "a[0] = sum;": "",
    "float sum = 0; a[0] = summ;": "sum",
    "c[0] = 1;": "no const",
    "if (n + 1 = 3) a[0] = 1;": "== to compare",
    "s[0] = 1;": "one index less, or float*",
    "a[0] = a.size;": "the size as an argument",
    "a[0] = s % 2;": "fmodf",
    "a[s] = 1;": "an int as the index",
    "a[0] = s ** 2;": "no **",
    "a = 3;": "a[i] = ...;",
    "a[0] = c;": "a[i]",
    "# a comment\n": "//",
    "for i in range(n): a[i] = 0;": "for (int i = 0; i < n; ++i)",
    "if n > 3: a[0] = 1;": "parentheses: if (i < n)",
    "for (int i = 0, i < n, i++) a[i] = 0;": "for (int i = 0; i < n; ++i)",
    "a[(n] = 1;": "a ) for each opening one",
    "a[n) = 1;": "a ] for each opening one",
    "int n = 3; a[0] = n;": "n = ...;",
    "atomicAdd(a[0], 1.0f);": "&a[i]",
    "a[0] = powf(2);": "number and types of arguments",
    "a[0] = max(n, 2.0f);": "two values of the same type",
    "a[0] = __shfl_down_sync(s, 1);": "the mask first",
    "a[0] = __shfl_down(s, 1);": "__shfl_down_sync(0xffffffff, ...)",
    "return 3;": "out[i] = ...;",
    "a[0] = n + s ^ 3;": "^ works on bits",
    "float2 p = make_float2(1, 2); a[0] = fmaxf(p, p);": "v.x, v.y",
    "for (i = n; i > 0; --i) a[i] = 0;": "int i = ...;",
    "a[0] = 1; inner = s;": "float inner = ...;",
    "for (int i = 0; i < n, i += 2) a[i] = 0;": "not a comma",
    "for (int i = 0; i < n; i += 2;) a[i] = 0;": "two ; between",
    "T inner = s; a[0] = inner;": "only where the parameters say T",
    "a[0] = cp.tanh(s);": "tanhf",
    "a[0] = -inf;": "CUDART_INF_F",
    "break;": "return;",
    "printf('hello');": "double quotes",
    'printf("hello);': '"',
    "printf(\u201chello\u201d);": "straight quotes",
    "a[0] = `n`;": "look-alikes",
    "a[0] = True;": "true",
    "a[0] = 3.0ff;": "1.0f",
    "int 2b = 3;": "begins with a letter",
    "else { a[0] = 1; }": "an if",
    "std::vector<int> v;": "plain arrays",
    "throw 1;": "exceptions",
    "cudaMalloc(&a, 4);": "in Python",
    "k<<<1, 1>>>(a, c, n, s);": "the launch in Python",
    "a[0] = M_PI;": "CUDART_PI_F",
    "half h = s; a[0] = h;": "cuda_fp16.h",
    "uint32_t u = n; a[0] = u;": "cuda/std/cstdint",
    "float f(float x) { return x; }\n    a[0] = f(1);": "one function after another",
}
SOURCES = {
    "__global__ int k(float* a) { return 1; }": "__global__ void",
    "__global__ k(float* a) { }": "__global__ void",
    "__global__ void k(float* a, n) { }": "int n",
    "__global__ void k(float[] a) { }": "float* a",
    "__global__ void k(float* restrict a) { }": "__restrict__",
    "__global__ void k(...) { }": "each argument",
    "__global__ void k(float* a); { a[0] = 1; }": "no ; before",
    "__global__ void k(float* a) { }\n}\n": "one } fewer",
    "__global__ void k(float* a) {\n    if (a[0]) {\n        a[0] = 1;\n}\n": "the { of line 1",
    "__host__ int f() { return 1; }": "__device__",
    "@cuda.jit\n": "decorator",
    "def k(a): pass": "a type in front",
    "__global__ void k() { f(); }\n__device__ void f() { }": "above",
    'extern "C" template <class T> __global__ void k(T* a) { }': "name_expressions",
    "struct P { float x; }\n__global__ void k(P* p) { }": "};",
    "__device__ int f() { return 1; }\n__device__ int f() { return 2; }": "one definition of f",
    "#define T 16;\n__global__ void k(float* a) { __shared__ float t[T]; }": "#define T 16",
    "#define N = 3\n__global__ void k(float* a) { a[0] = N; }": "#define N 3",
    "#include <stdio.h>\n": "built in",
    "#include <stdint.h>\n": "cuda/std/cstdint",
    '#include "mine.h"\n': "the code itself",
    "#if 1\n": "#endif",
    "/* open\n": "*/",
    "using namespace nvcuda;\n": "#include <mma.h>",
    "__global__ void k() { wmma::fill_fragment(1, 2); }": "using namespace nvcuda;",
}
WARP_MATRICES = {
    "wmma::load_matrix_sync(fa, a);": "a fragment, a pointer to its type, a leading dimension",
    "wmma::load_matrix_sync(fc, c, 16);": "an accumulator's layout as fourth",
    "wmma::store_matrix_sync(fc, c, 16, wmma::mem_row_major);": "a pointer to its type, an accum",
    "wmma::mma_sync(fc, fb, fa, fc);": "a of matrix_a, b of matrix_b",
    "wmma::fill_fragment(fc);": "fill_fragment(fragment, 0.0f)",
    "wmma::fragment<wmma::matrix_a, 16, 16, 16, half> f;": "wmma::row_major or col_major",
    "wmma::fragment<wmma::accumulator, 16, 16, 32, float> f;": "16, 16, 16 as M, N, K",
}
WARNED = {
    "if (n = 3) a[0] = 1;": "== to compare",
    "__syncthreads;": "__syncthreads();",
    "a[0] == 3;": "= to assign",
    "a[0] = a[0, 1];": "row * width + column",
}


RARE = (
    "__device__ float f(float x) { if (x > 1) return 2; }",
    'extern "C" __device__ void f(); __global__ void k() { f(); }',
    'extern "C" __global__ void k(double* x) { __shared__ double t[7000]; t[threadIdx.x] = x[0]; '
    "__syncthreads(); x[threadIdx.x] = t[threadIdx.x ^ 1]; }",
)


def kernel(body):
    """A kernel with a few arguments, whose body begins on line 2."""
    head = 'extern "C" __global__ void k(float* a, const float* c, int n, float s) {'
    return f"{head}\n    {body}\n}}\n"


def remedy_of(code):
    """What is proposed about the first error of a source."""
    with pytest.raises(CudaCError) as caught:
        check_cuda_c(code)
    return caught.value.errors[0].remedy


def of_warp_matrices(body):
    """A kernel with three fragments."""
    return (
        "#include <mma.h>\nusing namespace nvcuda;\n"
        "__global__ void k(const half* a, float* c) {\n"
        "    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;\n"
        "    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;\n"
        f"    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;\n    {body}\n}}\n"
    )


@pytest.mark.parametrize("body", WARP_MATRICES)
def test_errors_with_warp_matrices(body):
    assert WARP_MATRICES[body] in remedy_of(of_warp_matrices(body))


@pytest.mark.parametrize("body", IN_KERNEL)
def test_errors_in_a_kernel(body):
    remedy = remedy_of(kernel(body))
    assert IN_KERNEL[body] in remedy
    assert bool(remedy) == bool(IN_KERNEL[body])


@pytest.mark.parametrize("code", SOURCES)
def test_errors_around_a_kernel(code):
    assert SOURCES[code] in remedy_of(code)


@pytest.mark.parametrize("body", WARNED)
def test_warnings(body):
    remedies = [one.remedy for one in check_cuda_c(kernel(body)).warnings]
    assert any(WARNED[body] in remedy for remedy in remedies)


def test_remedies_are_one_short_line():
    for rule in RULES:
        shown = rule.remedy.format("float", "4", name="tile")
        assert len(shown) < 120
        assert "\n" not in shown


def test_every_rule_is_reached_by_an_error_above():
    sources = (*map(kernel, IN_KERNEL), *map(kernel, WARNED), *SOURCES, *RARE)
    sources += tuple(map(of_warp_matrices, WARP_MATRICES))
    complaints = [one for code in sources for one in complaints_of(code)]
    complaints += complaints_of("", options=("-std",))
    for rule in RULES:
        message, line = rule.patterns
        assert any(
            message.search(" ".join((one.message, *one.notes))) and line.search(one.text)
            for one in complaints
        ), rule


def complaints_of(code, **settings):
    """All that the compiler says about a source."""
    try:
        return check_cuda_c(code, **settings).warnings
    except CudaCError as refused:
        return refused.complaints


def test_errors_of_headers_get_no_remedy():
    with pytest.raises(CudaCError) as caught:
        check_cuda_c("#define half broken(\n#include <cuda_fp16.h>\n")
    assert all(one.remedy == "" for one in caught.value.errors if one.is_header)


def test_remedies_that_are_there_stay():
    given = no_kernel("k", ["_Z1kPf"])
    assert with_remedies([given], "") == (given,)
