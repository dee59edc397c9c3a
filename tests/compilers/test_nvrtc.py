"""CUDA C sources through the real compiler: what it takes, what it refuses, and what is kept."""

from __future__ import annotations

import threading

import pytest

from gpuedu.compilers import (
    CompilerMissingError,
    CudaCError,
    check_cuda_c,
    compile_cuda_c,
    nvrtc,
    nvrtc_library,
    storage,
)

pytestmark = pytest.mark.usefixtures("nvrtc_compiler")

SCALE = """
extern "C" __global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
"""
TEMPLATE = "template <typename T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }\n"
BROKEN = SCALE.replace("int i =", "int i = thread.x +").replace("*= factor;", "*= factor")


@pytest.fixture
def compilations(monkeypatch):
    """The sources that reach the compiler; nothing is remembered from other tests."""
    seen = []
    monkeypatch.setattr(nvrtc, "_kept", {})

    def counted(code, *rest):
        seen.append(code)
        return nvrtc_library.compile_text(code, *rest)

    monkeypatch.setattr(nvrtc, "compile_text", counted)
    return seen


def faults(code, **settings):
    """The errors of a source, which must have some."""
    with pytest.raises(CudaCError) as caught:
        check_cuda_c(code, **settings)
    return caught.value.errors


def test_a_valid_source_tells_its_kernels():
    checked = check_cuda_c(SCALE)
    assert checked.warnings == ()
    kernel = checked.kernel("scale")
    assert [one.size_bytes for one in kernel.parameters] == [8, 4, 4]
    assert [one.kind for one in kernel.parameters] == ["u", "f", "u"]


def test_errors_have_the_lines_and_columns_of_the_source():
    first, second = faults(BROKEN)
    assert (first.line, first.message) == (3, 'identifier "thread" is undefined')
    assert first.text[first.column - 1 :].startswith("thread.x")
    assert (second.line, second.message, second.text) == (5, 'expected a ";"', "}")
    with pytest.raises(CudaCError) as caught:
        check_cuda_c(BROKEN)
    assert str(caught.value).splitlines()[:3] == [
        'line 3: identifier "thread" is undefined',
        "    int i = thread.x + blockIdx.x * blockDim.x + threadIdx.x;",
        "            ^",
    ]
    assert caught.value.line == 3
    assert "/<kernel>" not in caught.value.details


def test_lines_are_counted_alike_with_the_ends_of_windows():
    assert [one.line for one in faults(BROKEN.replace("\n", "\r\n"))] == [3, 5]
    assert [one.line for one in faults(BROKEN.replace("\n", "\r"))] == [3, 5]


def test_indented_lines_are_no_notes():
    (error,) = faults('extern "C" __global__ void k(float* a) {\n            a[0] = zz;\n}\n')
    assert (error.column, error.notes) == (20, ())


def test_warnings_are_told_and_do_not_refuse():
    (warning,) = check_cuda_c(SCALE.replace("int i", "int unused; int i")).warnings
    assert (warning.severity, warning.line, warning.number) == ("warning", 3, 177)
    assert "unused" in warning.message


def test_the_end_of_the_source_and_line_directives():
    (error,) = faults(SCALE.rstrip().removesuffix("}"))
    assert (error.line, error.message) == (4, 'expected a "}"')
    (error,) = faults('#line 40 "body"\n__device__ int f() { return zz; }\n')
    assert (error.file, error.line, error.column) == ("body", 40, 29)


def test_errors_in_headers_are_told_as_such():
    found = faults("#define half broken(\n#include <cuda_fp16.h>\n" + SCALE)
    assert found[0].is_header
    assert found[0].file.startswith("cuda_fp16.h")
    assert found[0].text == ""
    assert "the header cuda_fp16.h" in str(found[0])


def test_the_headers_of_cuda_and_cupy_are_found():
    pytest.importorskip("cupy")
    code = (
        "#include <cupy/complex.cuh>\n#include <cuda_fp16.h>\n#include <mma.h>\n"
        "#include <cooperative_groups.h>\n#include <math_constants.h>\n"
        "#include <cuda/std/cstdint>\n"
        'extern "C" __global__ void k(complex<float>* a, __half* h, uint32_t n) {\n'
        "    a[n] *= CUDART_PI_F; h[0] = __float2half(1.0f);\n}\n"
    )
    assert [one.size_bytes for one in check_cuda_c(code).kernel("k").parameters] == [8, 8, 4]


def test_functions_without_a_word_are_device_functions_as_in_cupy():
    check_cuda_c("float twice(float x) { return 2 * x; }\n" + SCALE.replace("factor;", "twice(2);"))


def test_the_standard_is_cpp17_unless_told():
    code = SCALE.replace("if (i < n)", "if constexpr (sizeof(int) == 4)")
    check_cuda_c(code)
    assert faults(code, options=("-std=c++14",))[0].message == 'expected a "("'
    assert faults(code, options=("--std=c++11",))[0].line == 4


@pytest.mark.parametrize(
    "options",
    [
        ("-DTILE=16",),
        ("-D", "TILE=16"),
        ("-DTILE=16", "--use_fast_math", "-lineinfo", "--maxrregcount=32"),
        ("-DTILE=16", "-G", "-w", "-fmad=false", "--device-as-default-execution-space"),
        ("-DTILE=16", "-Xptxas=-v", "-std=c++11", "-rdc=true"),
    ],
)
def test_options_reach_the_compiler(options):
    code = SCALE.replace("factor;", "TILE;")
    assert faults(code)[0].message == 'identifier "TILE" is undefined'
    assert check_cuda_c(code, options=options).warnings == ()
    assert compile_cuda_c(code, options=options).ptx


def test_templates_are_found_by_name_expressions():
    names = ("fill<float>", "fill<double>")
    checked = check_cuda_c(TEMPLATE, name_expressions=names)
    assert [checked.kernel(name).parameters[1].size_bytes for name in names] == [4, 8]
    program = compile_cuda_c(TEMPLATE, name_expressions=names)
    assert program.names == checked.names
    assert program.names["fill<float>"] in program.ptx
    assert check_cuda_c(TEMPLATE).kernels == ()
    (error, *_) = faults(TEMPLATE, name_expressions=("full<float>",))
    assert (error.file, error.line) == ("name expression", None)
    assert "full" in error.message


def test_a_kernel_without_extern_c_is_not_found_by_its_name():
    checked = check_cuda_c(SCALE.replace('extern "C"', ""))
    with pytest.raises(CudaCError) as caught:
        checked.kernel("scale")
    assert "`_Z5scalePffi`" in str(caught.value)
    assert 'extern "C" __global__ void scale(...)' in caught.value.remedy
    with pytest.raises(CudaCError, match="its kernels: `scale`"):
        checked.kernel("scales")
    with pytest.raises(CudaCError, match="its kernels: none"):
        check_cuda_c("__device__ int f() { return 1; }").kernel("f")


SHARED = """
extern "C" __global__ void k(double* x) {
    __shared__ double tile[%d];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x ^ 1];
}
"""


def test_too_much_shared_memory_is_refused_as_by_the_assembler():
    assert check_cuda_c(SHARED % 6144).kernel("k")
    (error,) = faults(SHARED % 6145)
    assert "too much shared data (49,160 bytes, 49,152 max)" in error.message
    both = SHARED % 6144 + (SHARED % 6144).replace(" k(", " other(")
    assert len(check_cuda_c(both).kernels) == 2


def test_what_only_the_assembler_finds_is_refused_too():
    (error,) = faults('extern "C" __device__ float f(float);\n' + SCALE.replace("r;", "r + f(1);"))
    assert error.message == "Unresolved extern function 'f'"
    assert "body of `f`" in error.remedy
    first, *_ = faults(SCALE.replace("if", 'asm volatile("nonsense;"); if'))
    assert "nonsense" in first.message
    assert check_cuda_c(SCALE.replace("if", 'asm volatile("bar.sync 0;"); if')).kernel("scale")


def test_a_check_is_kept_in_memory_and_on_disk(compilations, cache):
    first = check_cuda_c(SCALE)
    assert check_cuda_c(SCALE) == first
    assert len(compilations) == 1
    nvrtc._kept.clear()
    assert check_cuda_c(SCALE) == first
    assert len(compilations) == 1
    for file in cache.iterdir():
        file.write_text("damaged", "utf-8")
    nvrtc._kept.clear()
    assert check_cuda_c(SCALE) == first
    assert len(compilations) == 2


def test_refusals_are_kept_too(compilations):
    first = faults(BROKEN)
    assert faults(BROKEN) == first
    nvrtc._kept.clear()
    assert faults(BROKEN) == first
    assert len(compilations) == 1


def test_what_matters_is_not_confused(compilations):
    check_cuda_c(SCALE)
    check_cuda_c(SCALE + "\n")
    check_cuda_c(SCALE, options=("-DX",))
    check_cuda_c(SCALE, compute_capability=(8, 0))
    check_cuda_c(SCALE, name_expressions=("scale",))
    assert len(compilations) == 5


def test_a_whole_file_of_another_form_counts_as_absent(compilations, monkeypatch):
    monkeypatch.setattr(storage, "load_plain", lambda _: {"kernels": []})
    assert check_cuda_c(SCALE).kernel("scale")
    assert len(compilations) == 1


def test_no_more_than_some_are_kept_in_memory(compilations, monkeypatch):
    monkeypatch.setattr(nvrtc, "_MOST_KEPT", 2)
    for n in range(4):
        check_cuda_c(f"#define N {n}\n{SCALE}")
    assert len(nvrtc._kept) == 2


def test_threads_may_check_at_the_same_time(compilations):
    found = {}

    def check(n):
        code = f'extern "C" __global__ void k{n}(float* a) {{ a[{n}] = {n}; }}'
        found[n] = check_cuda_c(code).kernels[0].name

    threads = [threading.Thread(target=check, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: f"k{n}" for n in range(8)}


def test_an_unknown_compute_capability_is_an_error():
    (error,) = faults(SCALE, compute_capability=(3, 0))
    assert "gpu-architecture" in error.message


def test_the_ptx_is_for_the_device_and_flushes_subnormals_as_cupy_does():
    program = compile_cuda_c(SCALE, compute_capability=(8, 6))
    assert ".target sm_86" in program.ptx
    assert "mul.ftz.f32" in program.ptx
    assert ".loc" not in program.ptx
    assert ".loc" in compile_cuda_c(SCALE, lineinfo=True).ptx


def test_a_missing_compiler_is_told(monkeypatch, compilations):
    def missing():
        raise CompilerMissingError("NVRTC is not installed", remedy="pip install it")

    monkeypatch.setattr(nvrtc_library, "_library", missing)
    with pytest.raises(CompilerMissingError, match="NVRTC"):
        check_cuda_c(SCALE)
