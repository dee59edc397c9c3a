"""Valid CUDA C that is not covered: a kernel for each construct, the line, and words of the refusal."""

from __future__ import annotations

REFUSED: dict[str, tuple[str, int, str]] = {}


def add(name: str, words: str, body: str, before: str = "") -> None:
    """Enter a construct; the line with ``// here`` is the one that the refusal must name."""
    code = f'{before}\nextern "C" __global__ void k(int* out) {{\n{body}\n}}\n'
    line = next(at for at, text in enumerate(code.splitlines(), 1) if "// here" in text)
    REFUSED[name] = (code, line, words)


add("goto", "goto", "again: out[0]++; // here\nif (out[0] < 5) goto again;")
add(
    "lambda_by_value",
    "lambda",
    "int n = 2;\nauto f = [=](int x) { return x + n; }; // here\nout[0] = f(1);",
)
add(
    "early_return_of_a_reference",
    "returns a reference",
    "S s; s.x = 1; s.f() = 2; // here\nout[0] = s.x;",
    "struct S { int x, y;\n__device__ int& f() { if (x) return y; return x; }\n};",
)
add(
    "object_with_an_array_by_a_condition",
    "",
    "A a{{1}}, b{{2}};\nA c = out[0] ? a : b; // here\nout[0] = c.d[0];",
    "struct A { int d[2]; };",
)
add(
    "reference_to_bits_of_another_type",
    "no variable",
    "float g = 1.5f;\nf(*(int*)&g) += 3; // here\nout[0] = g;",
    "__device__ int& f(int& x) { return x; }",
)
add("copy_of_global_memory", "memcpy", "int x;\nmemcpy(&x, out, 4); // here\nout[1] = x;")
add("copy_of_unknown_size", "memcpy", "int x, y = 2;\nmemcpy(&x, &y, out[0]); // here\nout[1] = x;")
add(
    "copy_of_half_a_number",
    "ends inside",
    "int x = 0, y = 2;\nmemcpy(&x, &y, 2); // here\nout[1] = x;",
)
add(
    "copy_between_members",
    "between members",
    "S s{1, 2};\nlong long x;\nmemcpy(&x, &s, 8); // here\nout[0] = x;",
    "struct S { char c; int n; };",
)
add(
    "destructor",
    "~S",
    "S s; out[0] = s.x;",
    "struct S { int x;\n__device__ ~S() {} // here\n};",
)
add(
    "recursion",
    "recursion",
    "out[0] = fact(5);",
    "__device__ int fact(int n) {\nreturn n < 2 ? 1 : n * fact(n - 1); // here\n}",
)
add("new", "new", "int* p = new int[4]; // here\nout[0] = p[0]; delete[] p;")
add("delete", "delete", "int* p = &out[0];\nif (out[0] < -100)\ndelete p; // here")
add("malloc", "malloc", "int* p = (int*)malloc(16); // here\nout[0] = p[0];")
add(
    "function_pointer",
    "f",
    "int (*g)(int) = f; // here\nout[0] = g(1);",
    "__device__ int f(int x) { return x; }",
)
add(
    "function_pointer_typedef",
    "Op",
    "Op g = f;\nout[0] = g(1);",
    "__device__ int f(int x) { return x; }\ntypedef int (*Op)(int); // here",
)
add("range_for", "range", "int a[3] = {1, 2, 3};\nfor (int v : a) out[0] += v; // here")
add(
    "variadic_template",
    "",
    "out[0] = sum(1, 2, 3); ",
    "template <typename... T> __device__ int sum(T... v) { return (v + ...); } // here",
)
add(
    "inline_assembly",
    "assembly",
    'int r;\nasm("mov.u32 %0, %laneid;" : "=r"(r)); // here\nout[0] = r;',
)
add("texture", "tex", "out[0] = tex1Dfetch<int>((cudaTextureObject_t)0, 1); // here")
add(
    "coalesced_group",
    "coalesced_threads",
    "auto g = cooperative_groups::coalesced_threads(); // here\ng.sync();",
    "#include <cooperative_groups.h>",
)
add("nullptr", "null", "int* p = nullptr; // here\nif (p) out[0] = 1;")
add("zero_as_a_pointer", "null", "const int* p = 0; // here\nif (p) out[0] = 1;")
add("zero_cast_to_a_pointer", "null", "const int* p = (const int*)0; // here\nif (p) out[0] = 1;")
add("zero_assigned_to_a_pointer", "null", "int* p = out;\np = 0; // here\nif (p) out[0] = 1;")
add("zero_or_a_pointer", "null", "int* p = out[0] ? out : 0; // here\nif (p) out[0] = 1;")
add(
    "zero_passed_as_a_pointer",
    "null",
    "out[0] = g(0); // here",
    "__device__ int g(const int* p) { return p ? p[0] : 1; }",
)
add("union", "U", "U u; u.f = 1; out[0] = u.i;", "union U { int i; float f; }; // here")
add("bit_field", "bit", "S s; s.a = 3; out[0] = s.a;", "struct S {\nunsigned a : 3; // here\n};")
add("static_local", "static", "static int calls; // here\nout[0] = calls++;")
add(
    "structured_binding", "", "int2 p = make_int2(1, 2);\nauto [a, b] = p; // here\nout[0] = a + b;"
)
add("long_double", "long double", "long double x = 1; // here\nout[0] = x;")
add("throwaway_label", "goto", "goto end; // here\nend: ;")
add(
    "matrix_units_of_bfloat16",
    "__nv_bfloat16",
    "wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> f; // here",
    "#include <mma.h>\nusing namespace nvcuda;",
)
add(
    "matrix_units_of_tf32",
    "tf32",
    "wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> f; // here",
    "#include <mma.h>\nusing namespace nvcuda;",
)
add(
    "pair_of_bfloats",
    "__nv_bfloat162",
    "__nv_bfloat162 x; // here\nout[0] = x.x;",
    "#include <cuda_bf16.h>",
)
add("nanosleep", "nanosleep", "__nanosleep(100); // here")
add(
    "inheritance",
    "B",
    "B b; b.x = 1; b.y = 2; out[0] = b.x + b.y;",
    "struct A { int x; };\nstruct B : A { int y; }; // here",
)
add(
    "structure_for_chosen_pointers",
    "chosen",
    "V<float*> x; out[0] = sizeof(x.a);",
    "template <typename T> struct V { int a; };\n"
    "template <typename T> struct V<T*> { char a; }; // here",
)
add(
    "reference_to_one_of_two",
    "returns a reference",
    "for (int i = 0; i < out[0]; ++i)\nf(out[i], out[0]) = 3; // here",
    "__device__ int& f(int& x, int& y) { if (x > y) return x; return y; }",
)
add(
    "variable_template",
    "template",
    "out[0] = two<int>; // here",
    "template <typename T> constexpr T two = T(2);",
)
add(
    "pointer_to_member",
    "",
    "S s; s.x = 2;\nint S::*p = &S::x; // here\nout[0] = s.*p;",
    "struct S { int x; };",
)
add("pointer_to_pointer", "int*", "int* p = out; // here\nint** pp = &p;\n**pp = 3;")
add("array_of_pointers", "int*", "int a, b;\nint* p[2] = {&a, &b}; // here\n*p[0] = 3; out[0] = a;")
add("decltype", "decltype", "decltype(out[0] + 1) x = 3; // here\nout[0] = x;")
add("placement_of_a_string", "string", 'const char* s = "abc"; // here\nout[0] = s[1];')
add("atomic_on_a_short", "atomicCAS", "__shared__ unsigned short s;\natomicCAS(&s, 1, 2); // here")
add("match_all", "__match_all_sync", "int p;\nout[0] = __match_all_sync(~0u, 1, &p); // here")
add("launch_from_a_kernel", "", "out[0] = __isGlobal(out); // here")
add("host_variable", "", "out[0] = x;", "static __managed__ int x; // here")
add(
    "alignas_on_a_member",
    "",
    "S s; s.x = 1; out[0] = s.x;",
    "struct S {\nalignas(16) int x; // here\n};",
)
add(
    "operator_bool_in_a_condition",
    "bool",
    "S s; s.x = 1;\nif (s) out[0] = s.x; // here",
    "struct S { int x;\n__device__ operator bool() const { return x; }\n};",
)
add(
    "switch_statement_before_case",
    "case",
    "switch (out[0]) {\nint x; // here\ncase 1: x = 2; out[0] = x; }",
)
add("wide_character", "character", "out[0] = L'a'; // here")
add(
    "user_literal",
    "",
    "out[0] = 3_k; // here",
    '__device__ int operator""_k(unsigned long long v) { return v; }',
)
add(
    "no_return",
    "promises a `int` and reaches its end without `return`",
    "out[0] = whole(1);",
    "__device__ int whole(int v) { v + 1; } // here",
)
add(
    "return_on_one_path",
    "without `return`",
    "out[0] = whole(out[1]);",
    "__device__ int whole(int v) { if (v) return 1; } // here",
)
