"""Functions of structures, constructors, operators and templates of structures, against g++."""

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
    "method": """struct P { int a, b;
__device__ int sum() const { return a + b; }
__device__ int times(int n) { int found = sum() * n; return found - this->a; } };
__device__ int f(int x, int y) { P p = {x, y}; return p.sum() + 7 * p.times(3); }""",
    "for_chosen_arguments": """template <typename T> struct Size;
template <> struct Size<int> { int n = 3; __device__ int twice() { return 2 * n; } };
template <> struct Size<float> { int n = 5; };
template <typename T, int N> struct Sum { T a; __device__ T get() { return a + N; } };
template <> struct Sum<int, 7> { int a; __device__ int get() { return a * 100; } };
__device__ int f(int x, int y) { Size<int> s; Size<float> t; Sum<int, 7> u{x}; Sum<int, 8> v{y};
return s.twice() + t.n + u.get() + v.get(); }""",
    "function_as_argument": """using Op = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int larger(int a, int b) { return a > b ? a : b; }
template <Op op> __device__ int apply(int a, int b) { return op(a, b); }
template <Op op> __device__ int again(int a, int b) { return op(apply<op>(a, b), 5); }
__device__ int f(int x, int y) { return again<add>(x, y) + 3 * again<larger>(x, y); }""",
    "number_for_a_number": """struct P { float a, b; };
__device__ P operator*(P p, float s) { return P{p.a * s, p.b * s}; }
__device__ P operator*(float s, P p) { return P{p.a + s, p.b + s}; }
__device__ P operator*(P p, P q) { return P{p.a * q.a, p.b * q.b}; }
__device__ int f(int x, int y) { P p{1.0f * x, 2.0f}; P q = p * (y & 7); P r = 3 * q; P s = q * r;
return (int)(q.a + r.b + s.b); }""",
    "alignment": """struct alignas(16) P { int a; };
__device__ int f(int x, int y) { return x * alignof(P) + y * (int)alignof(short); }""",
    "change": """struct P { int a;
__device__ void add(int n) { a += n; }
__device__ void twice() { add(a); this->a -= 1; } };
__device__ int f(int x, int y) { P p; p.a = x; p.add(y); p.twice(); return p.a; }""",
    "change_in_a_loop": """struct P { int a;
__device__ void add(int n) { a += n; } };
__device__ int f(int x, int y) { P p; p.a = x;
for (int i = 0; i < (y & 7); ++i) { if (i != 3) p.add(i); } return p.a; }""",
    "loop_in_a_method": """struct P { int a, b;
__device__ void go(int n) { for (int i = 0; i < n; ++i) { a += b; if (a & 1) b += i; } } };
__device__ int f(int x, int y) { P p = {x, y}; p.go(x & 15); return p.a * 3 + p.b; }""",
    "constructor": """struct P { int a, b;
__device__ P(int v) : a(v), b{v + 1} { b *= 2; }
__device__ P(int v, int w) : a(v - w) { b = w; } };
__device__ int f(int x, int y) { P p(x); P q(x, y); P r = P(y); auto s = P{y, x};
return p.a + 3 * p.b + 5 * q.a + 7 * q.b + 11 * r.b + 13 * s.a; }""",
    "defaults": """struct P { int a = 3; int b = a + 4; int c;
__device__ P() : c(9) {}
__device__ P(int v) : a(v), c(1) {} };
__device__ int f(int x, int y) { P p; P q(y); return p.a + p.b + p.c + 100 * q.a + q.b + x; }""",
    "operators": """struct C { int re, im;
__device__ C operator*(const C& o) const { return C{re * o.re - im * o.im, re * o.im + im * o.re}; }
__device__ C& operator+=(const C& o) { re += o.re; im += o.im; return *this; }
__device__ C operator-() const { return C{-re, -im}; }
__device__ bool operator==(const C& o) const { return re == o.re && im == o.im; } };
__device__ C operator+(C a, C b) { a += b; return a; }
__device__ C operator*(int s, const C& c) { return C{s * c.re, s * c.im}; }
__device__ int f(int x, int y) { C a{x, y}, b{y, 3}; C c = a * b + 2 * a; c += -b;
(c += a) += b; return c.re * 5 + c.im + (a == b); }""",
    "compound_in_a_loop": """struct C { int re;
__device__ C& operator+=(const C& o) { re += o.re; return *this; } };
__device__ int f(int x, int y) { C total{x}; for (int i = 0; i < (x & 7); ++i) { C one{y + i}; total += one; }
return total.re; }""",
    "elements": """struct V { int x, y;
__device__ int& first() { return x; }
__device__ int pick(int i) const { return i ? y : x; } };
__device__ int f(int x, int y) { V v{x, y}; v.first() = y + 1; v.first() += 2;
for (int i = 0; i < 3; ++i) v.first() += i; return v.pick(0) * 3 + v.pick(1); }""",
    "subscript": """struct A { int data[4];
__device__ int& operator[](int i) { return data[i]; }
__device__ const int& operator[](int i) const { return data[i]; } };
__device__ int f(int x, int y) { A a; for (int i = 0; i < 4; ++i) a[i] = x * i; a[y & 3] += y;
int found = 0; for (int i = 0; i < 4; ++i) found = found * 3 + a[i]; return found; }""",
    "call_operator": """struct Add { int by; __device__ int operator()(int v) const { return v + by; } };
struct Count { int n; __device__ void operator()() { n += 2; } };
__device__ int f(int x, int y) { Add add{y}; Count c{0}; for (int i = 0; i < 4; ++i) c();
return add(x) * 3 + c.n; }""",
    "templates": """template <typename T, int N = 3> struct A { T data[N];
typedef T value; static constexpr int size = N; using Wide = long long;
__device__ T total() const { T s = 0; for (int i = 0; i < size; ++i) s += data[i]; return s; } };
__device__ int f(int x, int y) { A<int> a; A<short, 5> b;
for (int i = 0; i < A<int>::size; ++i) a.data[i] = x + i;
for (int i = 0; i < b.size; ++i) b.data[i] = (short)(y * i);
A<short, 5>::value narrow = x * 70000; typename A<int>::Wide wide = x;
return a.total() + b.total() * 3 + narrow + (int)sizeof(wide) + A<short, 5>::size; }""",
    "method_template": """struct P { int a; template <int N> __device__ int times() const { return a * N; }
template <typename T> __device__ T as(T other) const { return (T)a + other; } };
__device__ int f(int x, int y) { P p{x}; return p.times<3>() + (int)p.as(2.5f) + (int)p.as<short>(y); }""",
    "pass_through": """struct P { int a; __device__ void add(int n) { a += n; } };
__device__ void both(P& p, P q) { p.add(q.a); q.add(100); p.add(q.a); }
__device__ int f(int x, int y) { P p{x}, q{y}; both(p, q); P* r = &q; r->add(5); return p.a + 3 * q.a; }""",
    "classes": """class P { int a; public: __device__ P(int v) : a(v) {} __device__ int get() const { return a; } };
__device__ int f(int x, int y) { P p(x); P q = P(y); return p.get() + 3 * q.get(); }""",
}


@cache
def arguments() -> tuple[np.ndarray, np.ndarray]:
    pairs = np.random.default_rng(8).integers(-40, 60, (2, THREADS)).astype(np.int32)
    return pairs[0], pairs[1]


@cache
def expected() -> dict[str, np.ndarray]:
    results = {name: [*arguments(), np.zeros(THREADS, np.int32)] for name in FUNCTIONS}
    sources = {name: text + KERNEL for name, text in FUNCTIONS.items()}
    run_many_by_host(sources, THREADS, results)
    return {name: arrays[-1] for name, arrays in results.items()}


@needs_gxx
@pytest.mark.parametrize("name", FUNCTIONS)
def test_structures_do_what_the_host_compiler_makes_of_them(name: str):
    result = np.full(THREADS, -12345, np.int32)
    trace = run_here(FUNCTIONS[name] + KERNEL, THREADS, [*arguments(), result])
    assert trace.hazards == ()
    np.testing.assert_array_equal(result, expected()[name])


SHARED = """template <typename T> struct Shared {
__device__ operator T*() { extern __shared__ int memory[]; return (T*)memory; }
__device__ operator const T*() const { extern __shared__ int memory[]; return (T*)memory; } };
extern "C" __global__ void k(const float* x, float* out) {
    float* s = Shared<float>();
    s[threadIdx.x] = x[threadIdx.x];
    SYNC
    out[threadIdx.x] = s[threadIdx.x ^ 33];
}"""


def test_a_structure_may_become_the_pointer_that_it_promises():
    x = np.random.default_rng(2).standard_normal(64).astype(np.float32)
    out = np.zeros_like(x)
    kernel = CudaCKernel(SHARED.replace("SYNC", "__syncthreads();"), "k")
    assert simulate(kernel, 1, 64, x, out, dynamic_shared_bytes=256).hazards == ()
    np.testing.assert_array_equal(out, x[np.arange(64) ^ 33])
    kernel = CudaCKernel(SHARED.replace("SYNC", ""), "k")
    (hazard,) = simulate(kernel, 1, 64, x, out, dynamic_shared_bytes=256).hazards
    assert hazard.kind == "data-race"


REFUSED = {
    "early reference": "struct P { int a, b; __device__ int& g(int n) { if (n) return a; return b; } };",
    "destructor": "struct P { int a; __device__ ~P() {} __device__ int g(int n) { return n; } };",
    "const alone tells": "struct P { int a; __device__ int g(int n) { return n; } "
    "__device__ int g(int n) const { return a; } };",
    "base": "struct B { int b; };\nstruct P : B { int a; __device__ int g(int n) { return n; } };",
    "copy": "struct P { int a; __device__ P(const P& o) : a(o.a + 1) {} __device__ P() {} "
    "__device__ int g(int n) { return n; } };",
    "virtual": "struct P { int a; __device__ virtual int g(int n) { return n; } };",
    "union": "union P { int a; float b; __device__ int g(int n) { return n; } };",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_covered_in_a_structure_is_refused(name: str, monkeypatch):
    monkeypatch.setattr("gpuedu.simt.cuda_c.compile.require_valid", lambda kernel: None)
    code = REFUSED[name] + (
        '\nextern "C" __global__ void k(int* out) { P p; p.a = 1; out[threadIdx.x] = p.g(out[0]); }'
    )
    with pytest.raises(KernelSourceError):
        simulate(CudaCKernel(code, "k"), 1, 32, np.zeros(32, np.int32))


def test_an_operator_of_an_enumeration_is_refused():
    """Enumerations are numbers here, so the operator would go unseen."""
    code = """enum E { one = 1, two = 2 };
__device__ int operator+(E a, E b) { return 7; }
extern "C" __global__ void k(int* out) { out[threadIdx.x] = one + two; }"""
    with pytest.raises(KernelSourceError, match="enumeration"):
        simulate(CudaCKernel(code, "k"), 1, 32, np.zeros(32, np.int32))
