"""Functions of two integers in C, each with some of the language's statements; both compilers take them.

``f`` is called with a different pair of numbers by each thread; none of its results is undefined.
"""

from __future__ import annotations

FUNCTIONS: dict[str, str] = {}


def add(name: str, text: str) -> None:
    """Enter a function."""
    assert name not in FUNCTIONS
    FUNCTIONS[name] = text


add(
    "for_with_continue_and_break",
    """
__device__ int f(int x, int y) {
    int sum = 0;
    for (int i = 0; i < 40; i++) {
        if (i % 3 == x % 3) continue;
        if (sum > y) break;
        sum += i * x;
    }
    return sum;
}
""",
)

add(
    "nested_loops_leave_the_inner_one",
    """
__device__ int f(int x, int y) {
    int found = -1, turns = 0;
    for (int i = 1; i < 12; ++i) {
        for (int j = i; j < 12; ++j) {
            ++turns;
            if (i * j == (x & 31)) { found = i * 100 + j; break; }
            if (j > (y & 15)) break;
        }
        if (found > 0 && (y & 1)) break;
    }
    return found * 1000 + turns;
}
""",
)

add(
    "do_while_runs_once",
    """
__device__ int f(int x, int y) {
    int n = 0;
    int turns = 0;
    do { n += 3; if (n == 9) continue; n ^= y & 1; } while (n < x && ++turns < 20);
    return n * 100 + turns;
}
""",
)

add(
    "do_while_with_break_and_declared_inside",
    """
__device__ int f(int x, int y) {
    int n = x & 63, steps = 0;
    do {
        int half = n / 2;
        if (n & 1) n = 3 * n + 1; else n = half;
        if (++steps > 30) break;
    } while (n > 1);
    return steps * 1000 + n + y;
}
""",
)

add(
    "for_with_missing_parts",
    """
__device__ int f(int x, int y) {
    int i = 0, total = 0;
    for (;;) {
        if (i >= (x & 15)) break;
        total += i++;
    }
    for (; i < 20;) { i += 3; total -= y; }
    for (int k = 5; k--;) total += k * x;
    return total + i;
}
""",
)

add(
    "for_with_two_variables",
    """
__device__ int f(int x, int y) {
    int total = 0, i, j;
    for (i = 0, j = x & 31; i < j; i++, j -= 2) total = total * 2 + i + j;
    for (int a = 1, b = 1; b < 200; ) { int c = a + b; a = b; b = c; total ^= b; }
    return total + i * j + y;
}
""",
)

add(
    "for_counting_down_and_by_steps",
    """
__device__ int f(int x, int y) {
    int total = 0;
    for (int i = x & 63; i > 0; i /= 2) total += i;
    for (int i = 20; i >= 0; i -= 3) total = total * 3 + (i ^ y);
    for (unsigned i = 5; i-- > 0;) total += i * 7;
    for (unsigned s = 16; s > 0; s >>= 1) total ^= s + x;
    for (int i = 0; i <= (y & 7); i += 2) total -= i;
    for (long long i = -3; i < 3; ++i) total += (int)i * x;
    return total;
}
""",
)

add(
    "loop_whose_limit_changes",
    """
__device__ int f(int x, int y) {
    int n = x & 15, total = 0;
    for (int i = 0; i < n; ++i) { if (i == 3) n -= 2; total += n * i; }
    for (int i = 0; i < 10; ++i) { total += i; if (y & 1) ++i; }
    return total * 10 + n;
}
""",
)

add(
    "loop_variable_seen_after_the_loop",
    """
__device__ int f(int x, int y) {
    int i;
    for (i = 0; i < (x & 7); ++i) if (i * i > (y & 31)) break;
    unsigned char small = 250;
    int turns = 0;
    for (; small > 5; ++small) ++turns;
    return i * 100 + turns;
}
""",
)

add(
    "comparison_of_signed_and_unsigned_in_a_loop",
    """
__device__ int f(int x, int y) {
    int turns = 0;
    unsigned n = x & 7;
    for (int i = -2; i < n; ++i) ++turns;
    for (int i = 0; i < n; ++i) turns += 10;
    for (unsigned i = 0; i < (unsigned)(y & 3); i++) turns += 100;
    int k = 3;
    while (k --> 0) turns += 1000;
    return turns;
}
""",
)

add(
    "while_with_side_effects_in_its_test",
    """
__device__ int f(int x, int y) {
    int n = x & 15, m = y & 15, seen = 0;
    while (n-- && ++m < 20) seen = seen * 2 + m;
    while ((n += 5) < 40) { if (n % 2) continue; seen += n; }
    return seen * 100 + n + m;
}
""",
)

add(
    "goto_free_search_with_flags",
    """
__device__ int f(int x, int y) {
    bool done = false;
    int i = 0, where = -1;
    while (!done && i < 30) {
        if ((i * 7 + y) % 13 == (x & 7)) { where = i; done = true; }
        else if (i > 20) { done = true; }
        i++;
    }
    return where * 64 + i + done;
}
""",
)

add(
    "switch_with_fallthrough",
    """
__device__ int f(int x, int y) {
    int r = 0;
    switch (x & 7) {
        case 0: r += 1;
        case 1: r += 10; break;
        case 2:
        case 3: r += 100;
        case 4: { int t = y * 2; r += t; } break;
        case 5: return -5;
        default: r = 7;
    }
    return r;
}
""",
)

add(
    "switch_with_default_in_the_middle",
    """
__device__ int f(int x, int y) {
    int r = y;
    switch (x & 7) {
        case 1: r += 1; break;
        default: r += 1000;
        case 2: r += 2; break;
        case 3: r += 3;
    }
    return r;
}
""",
)

add(
    "switch_with_default_first_and_no_match",
    """
__device__ int f(int x, int y) {
    int r = 0;
    switch (x % 5) { default: r = 9; break; case 0: r = 1; break; case 3: r = 2; }
    switch (y & 3) { case 1: r += 50; }
    switch (y & 3) { }
    switch (x & 1) { case 0: case 1: ; }
    return r;
}
""",
)

add(
    "switch_with_break_inside_if",
    """
__device__ int f(int x, int y) {
    int r = 0;
    switch (x & 3) {
        case 0:
            if (y > 0) break;
            r += 5;
            break;
        case 1:
            if (y & 1) { r = 3; break; }
            r += 2;
        case 2:
            for (int i = 0; i < 5; ++i) { if (i == (y & 3)) break; r += i; }
            break;
        default: r = -1;
    }
    return r;
}
""",
)

add(
    "switch_in_a_loop_with_continue",
    """
__device__ int f(int x, int y) {
    int r = 0;
    for (int i = 0; i < 12; ++i) {
        switch ((i + x) & 3) {
            case 0: continue;
            case 1: r += i; break;
            case 2: if (y & 1) break; r += 100; break;
            default: r ^= 5;
        }
        r += 1;
    }
    return r;
}
""",
)

add(
    "switch_in_a_loop_that_ends_it",
    """
__device__ int f(int x, int y) {
    int state = 0, steps = 0;
    bool run = true;
    while (run) {
        switch (state) {
            case 0: state = (x & 1) ? 1 : 2; break;
            case 1: state = 3; steps += 10; break;
            case 2: state = 1; steps += y & 3; break;
            default: run = false;
        }
        ++steps;
    }
    return steps;
}
""",
)

add(
    "nested_switches",
    """
__device__ int f(int x, int y) {
    switch (x & 1) {
        case 0:
            switch (y & 3) { case 0: return 1; case 1: break; default: return 2; }
            return 3;
        case 1:
            switch (y & 1) { case 1: x += 5; }
            break;
    }
    return x;
}
""",
)

add(
    "switch_on_characters_enumerators_and_negatives",
    """
enum Color { RED, GREEN = 5, BLUE };
enum class Way : int { UP = 2, DOWN };
__device__ int f(int x, int y) {
    char letter = 'a' + (x & 3);
    int r = 0;
    switch (letter) { case 'a': r = 1; break; case 'b': case 'c': r = 2; break; case 'd': r = 3; }
    switch (x & 7) { case RED: r += 10; break; case GREEN: r += 20; break; case BLUE: r += 30; break; }
    switch ((y & 7) - 3) { case -3: r += 100; break; case -1: r += 200; break; case 1 + 1: r += 300; }
    Way way = y & 1 ? Way::UP : Way::DOWN;
    return r + (way == Way::UP) + GREEN;
}
""",
)

add(
    "early_returns_in_a_device_function",
    """
__device__ int sign(int v) {
    if (v < 0) return -1;
    if (v == 0) return 0;
    return 1;
}
__device__ int first_above(int limit, int step) {
    for (int i = 0; i < 50; i += step) {
        if (i * i > limit) return i;
    }
    return 99;
}
__device__ int f(int x, int y) {
    int r = sign(x) * 1000 + sign(y) + sign(x + y);
    if (x > y) return r - first_above(x, 1 + (y & 3));
    while (true) { r += first_above(y, 2); if (r > 100) return r; r += 60; }
}
""",
)

add(
    "references",
    """
__device__ void swap(int& a, int& b) { int t = a; a = b; b = t; }
__device__ int next(int& state) { state = state * 1103515245 + 12345; return (state >> 16) & 1023; }
__device__ void both(int v, int& low, int& high) {
    if (v < low) { low = v; return; }
    if (v > high) high = v;
}
__device__ int f(int x, int y) {
    int state = x;
    int total = next(state) - next(state);
    swap(x, y);
    int& other = y;
    other += 3;
    int low = 1 << 30, high = -low;
    for (int i = 0; i < 6; ++i) both(next(state) + other, low, high);
    int a[4] = {1, 2, 3, 4};
    swap(a[x & 3], a[y & 3]);
    int& element = a[1];
    element *= 5;
    return total + x * 3 + y + low + high + a[0] + a[1] * 10 + a[2] * 100 + a[3] * 1000 + state;
}
""",
)

add(
    "reference_declared_inside_a_loop",
    """
__device__ int f(int x, int y) {
    int sum = 0, odd = 0;
    for (int i = 0; i < 8; ++i) {
        int& which = (i & 1) ? odd : sum;
        int& total = sum;
        total += i * x;
        if (i == (y & 7)) odd += 5;
    }
    return sum * 10 + odd;
}
""".replace("        int& which = (i & 1) ? odd : sum;\n", ""),
)

add(
    "const_references_and_pointers_to_const",
    """
__device__ int sum(const int* values, const int& count) {
    int r = 0;
    for (int i = 0; i < count; ++i) r = r * 3 + values[i];
    return r;
}
__device__ int f(int x, int y) {
    const int n = 4;
    int a[n] = {x, y, x ^ y};
    return sum(a, n) + sum(a + 1, 2) + sum(&a[2], y & 1);
}
""",
)

add(
    "pointers_walk_through_an_array",
    """
__device__ int f(int x, int y) {
    int a[8];
    int* p = a;
    for (int i = 0; i < 8; ++i) *p++ = i * x + y;
    int total = 0;
    const int* end = a + 8;
    for (const int* q = a; q != end; ++q) total = total * 5 + *q;
    p = &a[3];
    total += p[-1] + *(p + 2) + (int)(p - a) + (int)(end - p);
    *--p = 77;
    p += 2;
    *p -= 5;
    int* const fixed = a + (x & 3);
    *fixed += 1000;
    return total + a[2] + a[4] + (p > a) + (p == &a[4]);
}
""",
)

add(
    "pointer_to_a_variable",
    """
__device__ void bump(int* p, int by) { *p += by; if (by > 5) (*p)++; }
__device__ int f(int x, int y) {
    int v = x, w = 1;
    bump(&v, y & 15);
    int* p = &w;
    *p = v * 2;
    int** pp = 0;
    return v + w * 3 + (p == &w);
}
""".replace("    int** pp = 0;\n", ""),
)

add(
    "two_dimensional_arrays",
    """
__device__ int trace(const int (*m)[4], int n) {
    int t = 0;
    for (int i = 0; i < n; ++i) t = t * 2 + m[i][i];
    return t;
}
__device__ void fill(int* row, int n, int begin) { for (int j = 0; j < n; ++j) row[j] = begin + j; }
__device__ int f(int x, int y) {
    int m[3][4] = {{1, 2, 3, 4}, {5, 6}, {}};
    fill(m[2], 4, x);
    fill(&m[1][2], 2, y);
    m[0][y & 3] += 9;
    int* flat = &m[0][0];
    int total = trace(m, 3) + flat[5] + (*m)[2] + *(*(m + 1) + 1) + (int)sizeof(m) + (int)sizeof(m[0]);
    int cube[2][2][2] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 2; ++k) total = total * 3 + cube[i][j][k] * (i + 1);
    return total;
}
""",
)

add(
    "structures_by_value_and_nested",
    """
struct Point { int x, y; };
struct Box { Point low, high; int tag; };
__device__ Point add(Point a, Point b) { Point r; r.x = a.x + b.x; r.y = a.y + b.y; return r; }
__device__ Box around(Point a, Point b) {
    Box made = {{min(a.x, b.x), min(a.y, b.y)}, {max(a.x, b.x), max(a.y, b.y)}, 7};
    return made;
}
__device__ int area(const Box& b) { return (b.high.x - b.low.x) * (b.high.y - b.low.y); }
__device__ void move(Box* b, int by) { b->low.x += by; b->high.x += by; b->tag++; }
__device__ int f(int x, int y) {
    Point a = {x & 63, y & 63}, b{3, 4};
    Point c = add(a, b);
    Box box = around(a, c);
    Box copy = box;
    move(&box, 5);
    copy.high = {100, 100};
    Point p = x > y ? a : b;
    return area(box) + area(copy) + box.tag * 1000 + box.low.x + p.y + add(p, {1, 2}).x;
}
""",
)

add(
    "arrays_in_structures_and_structures_in_arrays",
    """
struct Row { int v[3]; int n; };
struct Pair { short first; long long second; char last; };
__device__ int total(const Row& r) { int t = 0; for (int i = 0; i < r.n; ++i) t += r.v[i]; return t; }
__device__ int f(int x, int y) {
    Row r;
    r.n = 0;
    for (int i = 0; i < 3; ++i) { r.v[i] = x * i + y; if (i != (x & 3)) ++r.n; }
    Pair pairs[4];
    for (int i = 0; i < 4; ++i) { pairs[i].first = (short)(x * i); pairs[i].second = y - i; pairs[i].last = 'a' + i; }
    Pair* p = &pairs[x & 3];
    p->second *= 2;
    pairs[0] = pairs[3];
    int sizes = (int)sizeof(Pair) * 100 + (int)sizeof(Row) + (int)sizeof(pairs);
    return total(r) + pairs[0].first + (int)pairs[1].second + p->last + sizes;
}
""",
)

add(
    "static_shapes",
    """
constexpr int N = 4;
const int M = N * 2 + 1;
template <int K> __device__ int dot(const int* a, const int* b) {
    int t = 0;
    for (int i = 0; i < K; ++i) t += a[i] * b[i];
    return t;
}
template <typename T, int K = 3> __device__ T power(T v) {
    T r = 1;
    for (int i = 0; i < K; ++i) r *= v;
    return r;
}
template <typename T> __device__ T larger(T a, T b) { return a > b ? a : b; }
__device__ int f(int x, int y) {
    int a[N], b[M];
    for (int i = 0; i < N; ++i) a[i] = x + i;
    for (int i = 0; i < M; ++i) b[i] = y - i;
    constexpr int half = M / 2;
    float big = power(1.5f) + power<float, 2>(2);
    return dot<N>(a, b) + dot<half>(a, b + 1) + power(x & 7) + (int)power<long long, 4>(y & 7)
        + larger(x, y) + (int)larger(1.5f, big) + larger<int>(3, 4.9);
}
""".replace("larger<int>(3, 4.9)", "larger<int>(3, (int)4.9)"),
)

add(
    "overloads_and_default_arguments",
    """
__device__ int kind(int v) { return v; }
__device__ int kind(float v) { return (int)(v * 100); }
__device__ int kind(double v) { return (int)(v * 10000); }
__device__ int kind(unsigned v) { return 3; }
__device__ int kind(int v, int w) { return v * w; }
__device__ int scaled(int v, int by = 3, int plus = 1) { return v * by + plus; }
__device__ int f(int x, int y) {
    return kind(x) + kind(1.25f) + kind(0.5) + kind(2u) + kind(x & 3, y) + scaled(x)
        + scaled(x, 2) + scaled(y, 5, -1) + kind((short)x);
}
""",
)

add(
    "shadowed_names",
    """
__device__ int f(int x, int y) {
    int n = 1;
    { int n = 5; n += x; { int n = 7; n++; y += n; } y += n; }
    for (int n = 0; n < 3; ++n) { int x = n * 2; y += x; }
    for (int i = 0; i < 3; ++i) { int n = i; n *= 2; y ^= n; }
    if (int n = x & 3) y += n; else y -= 100;
    return n * 1000 + x + y;
}
""",
)

add(
    "variable_without_a_value_at_first",
    """
__device__ int f(int x, int y) {
    int a, b;
    if (x > 0) a = 3; else a = y;
    switch (y & 1) { case 0: b = 1; break; default: b = a; }
    int c;
    for (int i = 0; i < 3; ++i) { if (i == 0) c = x; else c += i; }
    struct { int u, v; } s;
    s.u = c; s.v = a;
    return a + b * 10 + c * 100 + s.u - s.v;
}
""",
)

add(
    "types_by_other_names",
    """
typedef unsigned char byte;
typedef int four[4];
using real = float;
typedef struct { int a; real b; } Mixed;
typedef struct Node { int key; } Node;
__device__ int f(int x, int y) {
    byte b = (byte)x;
    b += 200;
    four values = {1, 2, 3};
    real r = (real)y / 4;
    Mixed m = {b, r};
    m.b *= 2;
    using count = long long;
    count big = (count)x << 33;
    typedef short small;
    small s = (small)(x * 1000);
    Node node{y};
    return b + values[x & 3] + (int)m.b + m.a + (int)(big >> 30) + s + node.key + (int)sizeof(four);
}
""",
)

add(
    "macros",
    """
#define SQUARE(v) ((v) * (v))
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define INDEX(row, column) ((row) + (column) * HEIGHT)
#define HEIGHT 3
#define SWAP(type, a, b) \\
    do {                 \\
        type kept = a;   \\
        a = b;           \\
        b = kept;        \\
    } while (0)
#define FOR(i, n) for (int i = 0; i < (n); ++i)
#define JOIN(a, b) a##b
#define UNROLL _Pragma("unroll")
#if HEIGHT > 2 && !defined(WIDE)
#define LOOKS 5
#elif defined(WIDE)
#define LOOKS 6
#else
#define LOOKS 7
#endif
#ifndef LOOKS
#error not here
#endif
__device__ int f(int x, int y) {
    int JOIN(val, ue) = 4;
    int m[9];
    FOR(i, 3) FOR(j, 3) m[INDEX(i, j)] = i * 10 + j;
    if (x > y) SWAP(int, x, y);
    else x = -x;
    #pragma unroll
    for (int i = 0; i < 2; ++i) y += CLAMP(x + i, -5, 20 - i);
    #pragma unroll 4
    FOR(k, LOOKS) value += SQUARE(k + 1) - x * k;
    return SQUARE(x - 3) + value + m[INDEX(2, 1)] * 1000 + y + __LINE__ - __LINE__;
}
""",
)

add(
    "parentheses_that_look_like_casts",
    """
#define N (n)
#define AT(i, j) ((i) + (j) * n)
typedef int number;
__device__ int g(int a) { return a + 1; }
__device__ int f(int x, int y) {
    int n = 7, m = y & 15, k = x & 15;
    int a = (x) - y * n + N + m * 2, b = (g(x * y)) - m * k;
    int c = -(x) + y * 2, d = (number)-x * 2, e = AT(m, k), h = (n) & m;
    bool inside = m < n && k > (3), other = m < n && k > -y;
    if (m < k && n > (m) + k) e += 100;
    return a + b * 3 + c * 5 + d * 7 + e * 11 + inside * 13 + other * 17 + h + (m < n >> (1));
}
""",
)

add(
    "conditions_that_run_one_side_only",
    """
__device__ int count(int& calls, int v) { ++calls; return v; }
__device__ int f(int x, int y) {
    int calls = 0, a[2] = {5, 6};
    bool both = count(calls, x > 0) && count(calls, y > 0);
    bool any = count(calls, x > 0) || count(calls, y > 0) || calls++ > 3;
    int chosen = x > y ? count(calls, 10) : (calls++, 3);
    int safe = (x & 7) < 2 && a[x & 7] == 5 ? 1 : 0;
    int n = x & 1 ? y++ : y--;
    return both + any * 2 + calls * 10 + chosen * 1000 + safe + n + y;
}
""",
)

add(
    "chains_and_commas",
    """
__device__ int f(int x, int y) {
    int a, b, c;
    a = b = c = x & 15;
    a += b -= c *= 2;
    int d = (a++, b--, a * b);
    unsigned char u = 250;
    int e = u += 10;
    int g = (x > y) + (x < y) * 2 + (x == y) * 4 + !x + !!y;
    a <<= 2; b >>= 1; c |= 8; d &= ~3; e ^= x; g %= 5;
    return a + b * 3 + c * 5 + d * 7 + e + g + -a++ + -(--b);
}
""",
)

add(
    "vector_types",
    """
__device__ int f(int x, int y) {
    int4 v = make_int4(x, y, x + y, 4);
    v.x += v.w;
    int2 pair = make_int2(v.y, v.z);
    float3 p = make_float3(1.5f, 2.f, (float)(x & 3));
    float length = p.x * p.x + p.y + p.z;
    uchar4 c = make_uchar4(250, 1, 2, 3);
    c.x += 10;
    int4 w = v;
    w.y = 0;
    return v.x + v.y * 3 + pair.x + pair.y + (int)(length * 8) + c.x + w.y + (int)sizeof(v) + (int)sizeof(p);
}
""",
)

add(
    "empty_statements_and_blocks",
    """
__device__ void nothing() {}
__device__ void leaves(int x) { if (x) return; ; }
__device__ int f(int x, int y) {
    ;;
    {}
    if (x) ; else y++;
    if (y) {} else { x = 5; }
    for (int i = 0; i < 3; y += i++) ;
    while (x < -10 && (x += 50)) ;
    nothing(), leaves(x);
    (void)y;
    return x + y;
}
""",
)

add(
    "dangling_else_and_chains",
    """
__device__ int f(int x, int y) {
    int r = 0;
    if (x > 0) if (y > 0) r = 1; else r = 2;
    if (x > 10) r += 10;
    else if (x > 0) r += 20;
    else if (x == 0 || y == 0) { r += 30; }
    else { if (y < -5) r += 40; else r += 50; }
    return r;
}
""",
)

add(
    "loops_in_called_functions_in_loops",
    """
__device__ int gcd(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }
__device__ bool is_prime(int n) {
    if (n < 2) return false;
    for (int d = 2; d * d <= n; ++d) if (n % d == 0) return false;
    return true;
}
__device__ int f(int x, int y) {
    int r = 0;
    for (int i = 1; i < (x & 31); ++i) {
        if (is_prime(i)) { r += gcd(i * 6, (y & 63) + 1); continue; }
        for (int j = 0; j < 3; ++j) if (gcd(i, j + 2) > 1) { r += j; break; }
    }
    return r;
}
""",
)

add(
    "booleans_and_auto",
    """
__device__ auto twice(int v) { return v * 2; }
__device__ bool odd(int v) { return v & 1; }
__device__ int f(int x, int y) {
    bool b = x;
    b += 5;
    bool c = 0.3f;
    auto n = x + 1LL;
    auto u = 5u;
    const auto half = 0.5f;
    auto* p = &y;
    *p += 3;
    return b + c * 2 + (int)sizeof(n) * 10 + (u - 6 > 0) * 100 + (int)(half * 8) + y + twice(x) + odd(x) + (b == true);
}
""",
)

add(
    "types_of_known_width",
    """
#ifdef __CUDACC__
#include <cuda/std/cstdint>
#endif
__device__ int f(int x, int y) {
    uint8_t a = x; int8_t b = y; uint16_t c = x * y; int64_t d = (int64_t)x * y; uint64_t e = ~0ull;
    size_t n = sizeof(float) * 3; unsigned int h = x; long long k = -1; unsigned short s = -1;
    h ^= h << 13; h ^= h >> 17; h ^= h << 5;
    e >>= 60; k /= 2; s /= 3;
    return a + b + c + (int)(d % 1000) + (int)e + (int)n + (int)(h & 1023) + (int)k + s;
}
""",
)

add(
    "bits_of_floats",
    """
#ifndef __CUDACC__
#include <cstring>
static int __float_as_int(float v) { int r; std::memcpy(&r, &v, 4); return r; }
static float __int_as_float(int v) { float r; std::memcpy(&r, &v, 4); return r; }
static int __popc(unsigned v) { return __builtin_popcount(v); }
static int __clz(int v) { return v ? __builtin_clz(v) : 32; }
static int __ffs(int v) { return __builtin_ffs(v); }
#endif
__device__ int f(int x, int y) {
    int bits = __float_as_int((float)x * 0.1f);
    float back = __int_as_float((bits & 0x007fffff) | 0x3f800000);
    return bits + (int)(back * 1000) + __popc(x) + __clz(y) + __ffs(x);
}
""",
)


add(
    "the_right_side_of_an_assignment_comes_first",
    """
__device__ int f(int x, int y) {
    int p = x, a[4] = {1, 2, 3, 4}, i = y & 1;
    p += p++ < 3 ? 10 : 20;
    a[i] += i++;
    a[i & 3] = i += 1;
    return p * 100 + a[0] + a[1] * 3 + a[2] * 5 + i;
}
""",
)
