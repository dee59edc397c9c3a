"""Structures with arrays in them: made, passed, returned and copied, against g++."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from tests.simt.cuda_c.host_compiler import needs_gxx, run_here, run_many_by_host
from tests.simt.cuda_c.packed import PACKED

THREADS = 64
KERNEL = """
extern "C" __global__ void k(const int* xs, const int* ys, int* out) {
    int t = threadIdx.x;
    out[t] = f(xs[t], ys[t]);
}
"""

FUNCTIONS = {
    "constructor": """struct A { int n; int data[3];
__device__ A(int v) : n(v) { for (int i = 0; i < 3; ++i) data[i] = v + i; }
__device__ A(int v, int w) : n(w), data{v, w} { data[2] += n; } };
__device__ int f(int x, int y) { A a(x), b(x, y); A c = A(y); auto d = A{y, x};
return a.data[2] + 3 * b.data[2] + 5 * c.data[1] + 7 * d.data[0] + 11 * d.n + 13 * b.data[0]; }""",
    "static_functions": """struct A { int data[4];
__device__ static A filled(int v) { A made; for (int i = 0; i < 4; ++i) made.data[i] = v * i; return made; }
__device__ static A ones() { return filled(1); }
__device__ static int twice(int v) { return 2 * v; }
__device__ int total() const { return twice(data[1]) + data[3]; } };
__device__ int f(int x, int y) { A a = A::filled(x), b = A::ones(); a.data[0] = y;
return a.total() + 7 * a.data[0] + b.total() * A::twice(y) + A::filled(y).data[2] + b.filled(3).data[3]; }""",
    "copies_are_apart": """struct A { int data[2]; __device__ A(int v) : data{v, v + 1} {} };
__device__ A changed(A a) { a.data[0] += 100; return a; }
__device__ void change(A& a) { a.data[1] += 1000; }
__device__ int sum(const A& a) { return a.data[0] + a.data[1]; }
__device__ int f(int x, int y) { A a(x); A b = a; b.data[1] = y; A c = changed(a); change(b);
auto d = b; d.data[0] = 5; const A& r = c; A e = r; e.data[0] = 0; A g = changed(A(y)); a = c;
a.data[1] -= 1;
return sum(a) + 3 * sum(b) + 5 * sum(c) + 7 * sum(d) + 11 * sum(e) + 13 * sum(A(3)) + 17 * sum(g); }""",
    "itself": """struct A { int data[2];
__device__ A same() const { return *this; }
__device__ A& grow(int n) { data[0] += n; return *this; } };
__device__ int f(int x, int y) { A a{{x, y}}; A b = a.same(); b.data[0] = 9; A c = a.grow(2);
a.grow(3).grow(4); c.data[1] = 7; return a.data[0] + 3 * b.data[0] + 5 * c.data[0] + c.data[1]; }""",
    "returns_early": """struct A { int data[2]; };
__device__ A pick(int x, int y) { A a{{x, y}}; if (x > y) return a; A b{{y, 2 * x}};
for (int i = 0; i < 5; ++i) if (i * 9 > x) return A{{i, x}};
return b; }
__device__ int f(int x, int y) { A a = pick(x, y); return a.data[0] * 3 + a.data[1]; }""",
    "operators": """struct V { int d[3];
__device__ V operator+(const V& o) const { V r; for (int i = 0; i < 3; ++i) r.d[i] = d[i] + o.d[i]; return r; }
__device__ V& operator+=(V o) { for (int i = 0; i < 3; ++i) d[i] += o.d[i]; return *this; }
__device__ V operator-() const { return V{{-d[0], -d[1], -d[2]}}; }
__device__ int& operator()(int i) { return d[i]; } };
__device__ V operator*(int s, V v) { for (int i = 0; i < 3; ++i) v.d[i] *= s; return v; }
__device__ int f(int x, int y) { V a{{x, y, 1}}, b{{y, 2}}; V c = a + 2 * b; c += -a; (c += b) += a;
c(1) += 4; return c.d[0] + 5 * c.d[1] + 11 * c.d[2] + (a + b).d[1] + 100 * b.d[2]; }""",
    "values_of_their_own": """struct A { int n = 4; int data[3] = {1, 2}; int m; __device__ A() : m(3) {} };
struct B { int n; int data[3] = {7}; int last = 5; };
struct C { A a; B b[2]; int z; };
__device__ int f(int x, int y) { A a; B b{x}; B e{x, {y, x, 3}}; C c{}; c.b[1].data[2] += y;
return a.n + a.data[1] + 3 * a.data[2] + a.m + b.n * 5 + b.data[0] + b.data[1] + b.last + e.data[1]
+ e.data[2] + c.a.data[1] + 7 * c.b[1].data[2] + c.b[0].data[0] + c.z + c.b[1].last; }""",
    "lists": """struct A { int data[2][3]; short n; }; struct B { int data[4]; };
__device__ B made(int v) { return {v, v + 1}; }
__device__ int take(B b, int at) { return b.data[at]; }
__device__ int f(int x, int y) { A a = {{{x, 1}, {y}}, 7}; B b = {x, y, 3}; A z{}; B c; c = {y, y + 2};
B d = made(x); int s = 0;
for (int i = 0; i < 2; ++i) for (int j = 0; j < 3; ++j) s = s * 3 + a.data[i][j] + z.data[i][j];
return s + a.n + b.data[1] + b.data[3] + c.data[1] + 5 * c.data[2] + d.data[1] + take({{x, 8}}, y & 3); }""",
    "arrays_of_objects": """struct A { int d[2]; __device__ A() { d[0] = 3; d[1] = 4; }
__device__ A(int v) { d[0] = v; d[1] = v + 1; } };
struct P { int v = 6; };
__device__ int f(int x, int y) { A a[3]; P p[2]; A b[2] = {A(x), A(y)}; a[y & 1].d[1] = x; A c = a[1];
a[1].d[0] = 50; b[0] = b[1]; b[1].d[0] = 1; int s = 0;
for (int i = 0; i < 3; ++i) s = s * 5 + a[i].d[0] + a[i].d[1];
return s + c.d[0] + p[1].v + b[0].d[0] + 3 * b[1].d[1]; }""",
    "in_a_loop": """struct A { int d[2]; __device__ A(int v) { d[0] = v; d[1] = 1; } };
__device__ A next(A a) { a.d[1] += a.d[0]; a.d[0] += 1; return a; }
__device__ int f(int x, int y) { A total(x); for (int i = 0; i < (y & 7); ++i) { A one = next(total);
if (i == 2) continue; one.d[1] -= i; total = one; } return total.d[0] + 3 * total.d[1]; }""",
    "members_with_arrays": """struct In { int d[2]; __device__ In(int v) : d{v, 2 * v} {}
__device__ int sum() const { return d[0] + d[1]; } };
struct Out { In in; int n; __device__ Out(int v) : in(v + 1), n(v) {}
__device__ Out(const In& i, int v) : in(i), n(v) { in.d[0] -= 1; } };
__device__ int f(int x, int y) { Out a(x); Out b(a.in, y); In c = b.in; c.d[1] = 3;
return a.in.sum() + 3 * b.in.sum() + 5 * c.sum() + b.n; }""",
    "early_return": """struct P { int a, b; int log[2];
__device__ int look(int n) const { if (n < 0) return -a; for (int i = 0; i < n; ++i) if (i * i > b) return i; return b; } };
struct Q { int a, b;
__device__ int add(int n) { if (n < 3) { a += 1; return a; } b += n; if (b > 40) return b; a += b; return 7; }
__device__ void go(int& n) { if (n & 1) return; n += 5; a = n; } };
__device__ int f(int x, int y) { P p{x, y, {1}}; Q q{x, y}; int n = y, s = 0;
for (int i = 0; i < 4; ++i) { s = s * 3 + q.add(i + (x & 3)); if (i != 1) q.go(n); }
return p.look(x) + s + 5 * q.a + 7 * q.b + 11 * n; }""",
    "early_return_of_a_constructor": """struct Q { int a, b; __device__ Q(int v) : a(v), b(1) { if (v < 0) return; b = v; } };
struct E { int a; __device__ E(int v) { a = v; return; } __device__ void twice() { a *= 2; return; } };
struct A { int d[2]; __device__ A(int v) : d{v, 0} { if (v & 1) return; d[1] = 6; } };
__device__ int f(int x, int y) { Q q(x); A a(y); E e(x); e.twice();
return q.a + 3 * q.b + a.d[0] + a.d[1] + 7 * e.a; }""",
    "return_of_itself_early": """struct A { int d[4]; int n;
__device__ A& push(int v) { if (n >= 3) return *this; d[n++] = v; return *this; } };
struct Q { int a; __device__ Q& add(int v) { if (v < 0) return *this; a += v; return *this; } };
__device__ int f(int x, int y) { A a{}; a.push(x).push(y).push(3).push(4); Q q{y};
for (int i = 0; i < 3; ++i) q.add(x + i).add(2); (q.add(x) = Q{y}).add(1);
return a.d[1] + a.d[3] + a.n + 3 * q.a; }""",
    "searches": """struct A { int d[3];
__device__ int find(int v) const { for (int i = 0; i < 3; ++i) { if (d[i] == v) return i; if (d[i] > 90) break; } return -1; }
__device__ bool set(int i, int v) { if (i < 0 || i > 2) return false; d[i] = v; return true; } };
struct R { int v; __device__ bool step(int most) { while (true) { if (v > most) return false; v += 3;
if (v % 7 == 0) return true; } } };
__device__ int f(int x, int y) { A a{{x, y, 3}}; R r{x}; int s = 0; for (int i = 0; i < 5; ++i) {
if (!a.set(i - 1, i * y)) s += 10; if (r.step(y)) s++; else s += 100; }
return s + 3 * a.find(y * 2) + a.find(x) + r.v; }""",
    "powers_of_a_matrix": """struct M { int m[2][2]; __device__ M operator*(const M& o) const { M r{};
for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) for (int k = 0; k < 2; k++) r.m[i][j] += m[i][k] * o.m[k][j];
return r; } };
__device__ M power(M b, int e) { M r = {{{1, 0}, {0, 1}}}; while (e > 0) { if (e & 1) r = r * b; b = b * b; e >>= 1; }
return r; }
__device__ int f(int x, int y) { M one = {{{1, 1}, {1, 0}}}; M p = power(one, x & 15);
return p.m[0][1] + 3 * (p * one).m[0][0] + one.m[1][1]; }""",
    "an_array_as_a_class": """template <class T, int N> struct Arr { T v[N];
__device__ T& operator[](int i) { return v[i]; }
__device__ const T& operator[](int i) const { return v[i]; }
__device__ Arr operator+(const Arr& o) const { Arr r; for (int i = 0; i < N; ++i) r[i] = v[i] + o[i]; return r; }
static __device__ Arr fill(T x) { Arr r; for (int i = 0; i < N; ++i) r.v[i] = x; return r; } };
template <class T> __device__ T sum(T* p, int n) { T s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }
__device__ int f(int x, int y) { using A = Arr<int, 4>; A a = A::fill(x); a[2u] = y; Arr<short, 3> b{{1, 2, 3}};
A c = a + a + A::fill(1); c = c + c;
return sum(c.v, 4) + b[x & 1] + sum(&c[1], 2) + (int)sizeof(A); }""",
    "through_pointers": """struct A { int d[2]; };
__device__ A made(int v) { A r; r.d[0] = v; r.d[1] = v * 2; return r; }
__device__ A two(A a, A b) { a.d[0] += b.d[1]; return a; }
__device__ int f(int x, int y) { A a = made(x); A b = two(a, a); A c = two(made(y), b); const A& k = made(3);
A e = k; e.d[0] = 100; A* p = &a; p->d[1] += 3; A q = *p; q.d[0] = 1; (*p).d[0] += q.d[1];
return a.d[0] + a.d[1] * 3 + b.d[0] * 5 + c.d[0] * 7 + c.d[1] + k.d[0] + e.d[1] + q.d[1]; }""",
    "early_return_in_conditions": """struct R { int v;
__device__ bool step(int most) { if (v > most) return false; v += 3; return true; }
__device__ bool big() const { if (v > 40) return true; return v < -20; } };
__device__ int f(int x, int y) { R r{x}; int n = 0; while (r.step(y)) n++;
for (; !r.big() && n < 60; n++) r.v += 2; bool a = y > 0 && r.step(100); int c = x > 5 ? r.step(90) : n; bool d = r.big() || r.step(1000);
 do { n += 1; } while (r.step(60) && n < 90); return n + 3 * r.v + 5 * a + 7 * c + 11 * d; }""",
    "a_stack": """struct A { int d[3]; int n;
__device__ A() : n(0) { for (int i = 0; i < 3; ++i) d[i] = i; }
__device__ bool pop(int& out) { if (n == 0) return false; out = d[--n]; return true; }
__device__ void push(int v) { if (n == 3) return; d[n++] = v; } };
__device__ int f(int x, int y) { A a;
for (int i = 0; i < (x & 3) + 2; ++i) a.push(y + i); int s = 0, v = 0; while (a.pop(v)) s = s * 3 + v; if (a.n == 0 && !a.pop(s)) s += 1; return s + v; }""",
    "objects_in_objects": """struct T3 { int e[3]; }; struct Two { T3 p, q; int n; };
__device__ T3 rot(const T3& t) { T3 r = {{t.e[1], t.e[2], t.e[0]}}; return r; }
__device__ Two mk(int x) { Two t{}; t.p = {{x, 1, 2}}; t.q = rot(t.p); t.n = 3; return t; }
__device__ void swap(T3& a, T3& b) { T3 t = a; a = b; b = t; }
__device__ int f(int x, int y) { Two t = mk(x), u = t; swap(t.p, t.q); swap(t.p, u.q); t.p = rot(rot(t.p)); Two w[2] = {t, mk(y)}; swap(w[0].p, w[1].q); T3 z = w[y & 1].p;
 int s = 0;
for (int i = 0; i < 3; ++i) s = s * 5 + t.p.e[i] + 2 * t.q.e[i] + 3 * u.q.e[i] + w[0].p.e[i] * 7 + w[1].q.e[i] + z.e[i]; return s; }""",
    "aligned_objects": """struct alignas(8) H { short s[4];
__device__ H(int v) { for (int i = 0; i < 4; ++i) s[i] = v + i; } H() = default; };
__device__ H pick(bool c, H a, H b) { if (c) return a; return b; }
__device__ int f(int x, int y) { H a(x), b(y); H c = pick(x > y, a, b); H e; e = pick(x < y, c, H(7)); c.s[0] = 99; auto g = pick(true, e, c); return c.s[0] + e.s[1] * 3 + g.s[2] * 7 + a.s[3]; }""",
    "references": """struct float3_ { int x, y, z; };
__device__ int& at(float3_& v, int i) { return reinterpret_cast<int*>(&v)[i]; }
__device__ int& second(int& a, int& b) { a += 1; return b; }
__device__ int& of(int* p, int i) { return p[i]; }
__device__ int& largest(float3_& v) { int best = 0; for (int i = 1; i < 3; ++i) if (at(v, i) > at(v, best)) best = i;
return at(v, best); }
__device__ int f(int x, int y) { float3_ v{x, y, 3}; int a = x, b = y, c[2] = {1, 2}; at(v, 2) += y;
at(v, x & 1) = 8; second(a, b) = 5; int& r = of(c, 1); r += x; largest(v) -= 100;
for (int i = 0; i < 3; ++i) { second(a, b) += i; at(v, i) += i; }
return v.x + 3 * v.y + 5 * v.z + 7 * a + 11 * b + 13 * c[1] + at(v, 1); }""",
    "copied_bits": """
struct Mixed { short a; unsigned char b, c; int d; float e; };
__device__ int f(int x, int y) { float g = x * 0.37f, h; int bits; memcpy(&bits, &g, sizeof(bits));
bits ^= y; memcpy(&h, &bits, 4); Mixed m{(short)x, (unsigned char)y, 7, x * y, g}; unsigned char raw[12];
memcpy(raw, &m, sizeof(m)); long long wide; memcpy(&wide, &m, 8); Mixed n; memcpy(&n, raw, sizeof(n));
unsigned u[3]; memcpy(u, &n, sizeof u); double dd = y * 0.1; int two[2]; memcpy((void*)&two[0], (const void*)&dd, 8);
short low = 0; memcpy(&low, &bits, 2); bool same = h == h; char cc; memcpy(&cc, &same, 1);
int2 p = make_int2(x, y); memcpy(&p.y, &p.x, 4); for (int i = 0; i < 3; ++i) memcpy(&x, &u[i], 4);
int s = 0; for (int i = 0; i < 12; ++i) s = s * 31 + raw[i];
return s ^ (int)wide ^ (int)(wide >> 32) ^ (int)(h == h ? bits : 3) ^ u[2] ^ two[0] ^ two[1] ^ low ^ cc ^ p.y ^ x ^ n.c; }""",
    "packed": PACKED
    + """__device__ int f(int x, int y) { Packed<short> a = Packed<short>::zeros(); Packed<int> b = Packed<int>::constant(y);
a[x & 7] = y; b[1] += x; int4 bits = a.get_bits(); Packed<short> c{bits}; c[2] -= 3; Packed<int> d(c.get_bits());
return bits.x ^ bits.y ^ bits.z ^ bits.w ^ (c[2] * 3) ^ d[1] ^ b[1] ^ (int)Packed<short>::size ^ (int)b.size ^ b.payload[3]; }""",
}


@cache
def arguments() -> tuple[np.ndarray, np.ndarray]:
    pairs = np.random.default_rng(81).integers(-40, 60, (2, THREADS)).astype(np.int32)
    return pairs[0], pairs[1]


@cache
def expected() -> dict[str, np.ndarray]:
    results = {name: [*arguments(), np.zeros(THREADS, np.int32)] for name in FUNCTIONS}
    sources = {name: text + KERNEL for name, text in FUNCTIONS.items()}
    run_many_by_host(sources, THREADS, results)
    return {name: arrays[-1] for name, arrays in results.items()}


@needs_gxx
@pytest.mark.parametrize("name", FUNCTIONS)
def test_objects_are_what_the_host_compiler_makes_of_them(name: str):
    result = np.full(THREADS, -12345, np.int32)
    trace = run_here(FUNCTIONS[name] + KERNEL, THREADS, [*arguments(), result])
    assert trace.hazards == ()
    np.testing.assert_array_equal(result, expected()[name])


DOUBLED = """extern "C" __global__ void k(const T* x, T* y) {
    int i = threadIdx.x * Packed<T>::size;
    Packed<T> a = load(x + i), b;
    for (int j = 0; j < a.size; ++j) b[j] = a[j] + a[j];
    store(y + i, b);
}"""
TYPES = {
    "float": np.float32,
    "int": np.int32,
    "double": np.float64,
    "unsigned char": np.uint8,
    "half": np.float16,
}


@pytest.mark.parametrize("name", TYPES)
def test_a_warp_loads_and_stores_sixteen_bytes_a_thread(name: str):
    dtype = TYPES[name]
    x = np.random.default_rng(4).integers(1, 99, 512 // np.dtype(dtype).itemsize).astype(dtype)
    y = np.zeros_like(x)
    head = "#include <cuda_fp16.h>\n" if name == "half" else ""
    code = head + PACKED + DOUBLED.replace("T", name)
    trace = simulate(CudaCKernel(code, "k"), 1, 32, x, y)
    assert trace.hazards == ()
    np.testing.assert_array_equal(y, x + x)
    outside = [site for site in trace.sites if site.array in ("x", "y")]
    assert [site.itemsize for site in outside] == [16, 16]
    assert all(site.requests.tolist() == [1] for site in outside)
    assert all(site.sectors.tolist() == [16] for site in outside)


def test_a_bfloat16_keeps_its_bits_on_the_way():
    code = "#include <cuda_bf16.h>\n" + PACKED + DOUBLED.replace("T", "__nv_bfloat16")
    code = code.replace("a[j] + a[j]", "(__nv_bfloat16)(2.0f * (float)a[j])")
    numbers = np.random.default_rng(3).standard_normal(256).astype(np.float32)
    x = (numbers.view(np.uint32) >> 16).astype(np.uint16)
    y = np.zeros_like(x)
    assert simulate(CudaCKernel(code, "k"), 1, 32, x, y).hazards == ()
    doubled = 2 * (x.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal((y.astype(np.uint32) << 16).view(np.float32), doubled)


def test_what_is_not_set_in_an_object_is_told_where_it_is_read():
    code = PACKED + DOUBLED.replace("T", "int").replace("j < a.size", "j < threadIdx.x % 5")
    x, y = np.arange(128, dtype=np.int32), np.zeros(128, np.int32)
    hazards = simulate(CudaCKernel(code, "k"), 1, 32, x, y).hazards
    assert {hazard.kind for hazard in hazards} == {"uninitialised-read"}


STAGED = """extern "C" __global__ void k(const float* x, float* y) {
    __shared__ Packed<float> kept[32];
    const Packed<float>* from = reinterpret_cast<const Packed<float>*>(x);
    kept[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    Packed<float> mine = kept[threadIdx.x ^ 1];
    mine[1u] += 1;
    reinterpret_cast<Packed<float>*>(y)[threadIdx.x] = mine;
}"""


@pytest.mark.parametrize(
    ("alignment", "bytes_at_once"), [("alignas(16)", 16), ("alignas(8)", 8), ("", 4)]
)
def test_a_copy_moves_as_many_bytes_at_once_as_the_alignment_allows(
    alignment: str, bytes_at_once: int
):
    x = np.random.default_rng(6).standard_normal(128).astype(np.float32)
    y = np.zeros_like(x)
    code = (PACKED + STAGED).replace("alignas(16)", alignment)
    trace = simulate(CudaCKernel(code, "k"), 1, 32, x, y)
    assert trace.hazards == ()
    expected = x.reshape(-1, 4)[np.arange(32) ^ 1] + np.float32([0, 1, 0, 0])
    np.testing.assert_array_equal(y.reshape(-1, 4), expected)
    widths = {site.array: site.itemsize for site in trace.sites if site.array != "mine"}
    assert widths == {"x": bytes_at_once, "kept": bytes_at_once, "y": bytes_at_once}
    requests = sum(int(site.requests.sum()) for site in trace.sites if site.array == "x")
    assert requests == 16 // bytes_at_once
