"""Only what the launched kernel reaches counts: the rest of a source may hold what is not covered."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel

UNUSED = {
    "union in a structure": "struct Never { union { int a; float b; }; int c; };",
    "union": "union Never { int z; float f; };",
    "bits": "struct Never { int a : 3; };",
    "base": "struct Base { int a; };\nstruct Never : Base { int b; };",
    "alias": "using Never = void (*)(void*);",
    "typedef": "typedef double (*Never)(double**);",
    "function": "template <typename... T> __device__ int never(T... v) { return (v + ...); }",
    "constant": "union Other { int z; float f; };\nconst Other never = {3};",
    "type of a variable": "union Other { int z; float f; };\n__device__ Other never;",
    "structure for some arguments": "template <typename T, int N> struct Never {};\n"
    "template <typename T> struct Never<T, 2> { int a; };",
    "instance": "template <typename T> struct S { T a; };\ntemplate struct S<int>;",
    "enumerator": "constexpr int seven(int x) { return x + 7; }\nenum Never { one = seven(1) };",
}
KERNEL = """
extern "C" __global__ void k(int* out) { out[threadIdx.x] = threadIdx.x; }
extern "C" __global__ void reaches(int* out) { REACHES out[threadIdx.x] = 1; }
"""
REACHES = {
    "union in a structure": "Never x;",
    "union": "Never x;",
    "bits": "Never x;",
    "base": "Never x; x.b = 1;",
    "alias": "Never x;",
    "typedef": "Never x;",
    "function": "out[0] = never(1, 2);",
    "constant": "int x = never.z;",
    "type of a variable": "int x = never.z;",
}


@pytest.mark.parametrize("name", UNUSED)
def test_what_no_thread_comes_to_is_no_reason_to_refuse(name: str):
    code = UNUSED[name] + KERNEL.replace("REACHES", "")
    out = np.zeros(32, np.int32)
    assert simulate(CudaCKernel(code, "k"), 1, 32, out).hazards == ()
    np.testing.assert_array_equal(out, np.arange(32))


@pytest.mark.parametrize("name", REACHES)
def test_a_kernel_that_comes_to_it_is_refused_where_it_stands(name: str):
    code = UNUSED[name] + KERNEL.replace("REACHES", REACHES[name])
    with pytest.raises(KernelSourceError) as caught:
        simulate(CudaCKernel(code, "reaches"), 1, 32, np.zeros(32, np.int32))
    assert caught.value.line == (2 if name == "base" else 1)


HOST = "void host(int n) { if (typeid(int) == typeid(double) && n) return; }\n"
LISTED = "static int never[] = {{(long *)&x, 1}};\n"


@pytest.mark.parametrize("unread", [HOST, LISTED, HOST.replace("void", "__device__ void")])
def test_what_is_not_reached_may_hold_what_the_grammar_does_not_know(monkeypatch, unread: str):
    monkeypatch.setattr("gpuedu.simt.cuda_c.compile.require_valid", lambda kernel: None)
    out = np.zeros(32, np.int32)
    code = unread + KERNEL.replace("REACHES", "")
    assert simulate(CudaCKernel(code, "k"), 1, 32, out).hazards == ()
    np.testing.assert_array_equal(out, np.arange(32))
    called = unread + KERNEL.replace(
        "REACHES", "host(3);" if "host" in unread else "int i = never[0];"
    )
    with pytest.raises(KernelSourceError) as caught:
        simulate(CudaCKernel(called, "reaches"), 1, 32, out)
    assert caught.value.line == 1


def test_a_kernel_that_an_earlier_fault_swallowed_is_refused_where_the_fault_is(monkeypatch):
    monkeypatch.setattr("gpuedu.simt.cuda_c.compile.require_valid", lambda kernel: None)
    code = "__device__ int f(int x) {\n    return x ? 1 : ;\n\n" + KERNEL.replace("REACHES", "")
    with pytest.raises(KernelSourceError) as caught:
        simulate(CudaCKernel(code, "k"), 1, 32, np.zeros(32, np.int32))
    assert caught.value.line <= 2


def test_a_function_one_of_whose_overloads_is_refused_is_refused():
    """Else another overload than C++ takes would give a wrong value."""
    code = """__device__ int f(long long x) { return 1; }
template <typename... T> __device__ int f(int x, T... v) { return 2; }
extern "C" __global__ void k(int* out) { out[threadIdx.x] = f(3); }"""
    with pytest.raises(KernelSourceError) as caught:
        simulate(CudaCKernel(code, "k"), 1, 32, np.zeros(32, np.int32))
    assert caught.value.line == 2
