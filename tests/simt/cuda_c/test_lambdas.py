"""Lambdas that are called in place, against g++."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from tests.simt.cuda_c.host_compiler import needs_gxx, run_here, run_many_by_host

THREADS = 64
KERNEL = """
extern "C" __global__ void k(const int* xs, const int* ys, int* out) {
    int t = threadIdx.x;
    out[t] = f(xs[t], ys[t]);
}
"""

FUNCTIONS = {
    "changes_what_it_sees": """__device__ int f(int x, int y) { int sum = 0, d[3] = {x, y, 1};
auto step = [&](int i) { int more = d[i % 3] * i; sum += more; d[1] -= 1; };
int i = 0; for (; i < (x & 7); ++i) { step(i); } if (y > 3) step(y & 7);
while (i > 0) { int other = 2; step(i); i -= other; } return sum + d[1]; }""",
    "gives_a_value": """__device__ int f(int x, int y) { auto twice = [](int v) { return 2 * v; };
auto most = [&](float a, int b) -> float { float c = a > b ? a : b; return c + x; };
auto low = [&](int v) -> short { return v * 3000; }; auto both = [&](auto a, auto b) { return a * 0.5f + b; };
return twice(x) + 3 * twice(twice(y)) + (int)most(0.5f, y) + low(x) + (int)both(x, y); }""",
    "references": """struct A { int d[2]; };
__device__ int f(int x, int y) { A a{{x, y}}; auto add = [&](int& v, A& b, A c) { v += 3; b.d[0] += v; c.d[1] = 9; return c; };
int n = y; for (int i = 0; i < 3; ++i) { A made = add(n, a, a); a.d[1] += made.d[0]; }
return a.d[0] + 3 * a.d[1] + 5 * n; }""",
    "at_once": """__device__ int f(int x, int y) { const int n = [&] { int s = x; for (int i = 0; i < 3; ++i) s += y * i; return s; }();
int z = 1; [&](int by) { z += by; }(x); return n * 3 + z; }""",
    "in_a_method": """struct P { int a; __device__ int go(int n) { auto add = [&](int v) { a += v; }; for (int i = 0; i < n; ++i) add(i); return a; } };
__device__ int f(int x, int y) { P p{x}; return p.go(y & 7) + 3 * p.a; }""",
}


@cache
def arguments() -> tuple[np.ndarray, np.ndarray]:
    pairs = np.random.default_rng(18).integers(-40, 60, (2, THREADS)).astype(np.int32)
    return pairs[0], pairs[1]


@cache
def expected() -> dict[str, np.ndarray]:
    results = {name: [*arguments(), np.zeros(THREADS, np.int32)] for name in FUNCTIONS}
    run_many_by_host({name: text + KERNEL for name, text in FUNCTIONS.items()}, THREADS, results)
    return {name: arrays[-1] for name, arrays in results.items()}


@needs_gxx
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_lambda_does_what_the_host_compiler_makes_of_it(name: str):
    result = np.full(THREADS, -12345, np.int32)
    trace = run_here(FUNCTIONS[name] + KERNEL, THREADS, [*arguments(), result])
    assert trace.hazards == ()
    np.testing.assert_array_equal(result, expected()[name])


REFUSED = {
    "by value": "auto g = [=](int v) { return v + x; }; x = 3; return g(1);",
    "returns early": "auto g = [&](int v) { if (v > x) return 1; return 2; }; return g(1);",
    "another variable": "auto g = [&](int v) { x += v; }; { int x = 5; g(x); } return x;",
    "passed on": "auto g = [&](int v) { return x + v; }; auto h = g; return h(3);",
    "nested": "auto g = [&](int v) { auto h = [&] { return v; }; return h(); }; return g(1);",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_covered_of_lambdas_is_refused(name: str):
    code = f"__device__ int f(int x, int y) {{ {REFUSED[name]} }}{KERNEL}"
    with pytest.raises(KernelSourceError):
        simulate(CudaCKernel(code, "k"), 1, 32, *np.zeros((3, 32), np.int32))
