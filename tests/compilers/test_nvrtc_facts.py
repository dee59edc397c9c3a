"""What kernels in CUDA C become: counted by the real compiler, by line of the source."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest

from gpuedu.compilers import (
    CudaCError,
    KernelCompileError,
    compiled_facts,
    compiled_facts_of_source,
    nvrtc_facts,
    nvrtc_library,
    ptxas,
)
from gpuedu.compilers.nvrtc_log import SOURCE_NAME
from gpuedu.compilers.nvrtc_options import compiler_options

pytestmark = pytest.mark.usefixtures("compiler", "nvrtc_compiler")

CODE = """#define TILE 16
__device__ float square(float x) { return x * x; }

extern "C" __global__ void tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float tile[TILE][TILE + 1];
    int i = threadIdx.y, j = threadIdx.x;
    tile[i][j] = a[i * n + j];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < TILE; ++k)
        sum += tile[i][k] * b[k * n + j];
    c[i * n + j] = sum;
}

extern "C" __global__ void wide(float4* a) {
    float4 v = a[threadIdx.x];
    v.x = square(v.x);
    a[threadIdx.x] = v;
}

template <typename T>
__global__ void fill(T* x, T value) { x[threadIdx.x] = value * value; }
"""
SPILLS = """
extern "C" __global__ void many(float* x) {
    float v[48];
    for (int i = 0; i < 48; ++i) v[i] = x[i * 32 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 48; ++i) x[i * 32 + threadIdx.x] = v[47 - i] * v[i];
}
"""


@pytest.fixture
def compilations(monkeypatch):
    """The sources that are compiled, in order."""
    seen = []
    compile_cuda_c = nvrtc_facts.compile_cuda_c

    def counted(code, **settings):
        seen.append(code)
        return compile_cuda_c(code, **settings)

    monkeypatch.setattr(nvrtc_facts, "compile_cuda_c", counted)
    return seen


def test_each_kernel_has_its_own_facts_by_line_of_the_source():
    tiled = compiled_facts_of_source(CODE, "tiled")
    assert (tiled.kernel, tiled.shared_bytes, tiled.barriers) == ("tiled", 16 * 17 * 4, 1)
    assert tiled.count("fma.f32") == tiled.count("fma.f32", line=11) == 16
    assert tiled.count("bar.sync") == tiled.count("bar.sync", line=8) == 1
    assert tiled.count("ld.global.v4") == 0
    wide = compiled_facts_of_source(CODE, "wide")
    assert (wide.shared_bytes, wide.barriers, wide.count("fma")) == (0, 0, 0)
    assert wide.count("ld.global.v4") == wide.count("ld.global.v4", line=16) == 1
    assert wide.count("st.global.v4", line=18) == 1
    assert wide.count("mul.f32", line=2) == 1
    assert wide.registers < tiled.registers
    assert set(wide.compilers) == {"nvrtc", "ptxas"}


@pytest.mark.parametrize("name", ["tiled", "wide"])
def test_registers_are_those_of_the_compilers_own_machine_code(name):
    """NVRTC can assemble too, as CuPy has it do; its own report must agree."""
    options = [*compiler_options((), (9, 0), "machine"), "-Xptxas=-v"]
    log = nvrtc_library.compile_text(CODE, options).log
    (own,) = (part for part in log.split("Compiling") if f" entry function '{name}'" in part)
    report = ptxas.read_report(own)
    facts = compiled_facts_of_source(CODE, name)
    assert (report.registers, report.shared_bytes) == (facts.registers, facts.shared_bytes)
    assert report.registers > 0


def test_templates_are_compiled_by_name_expression():
    narrow = compiled_facts_of_source(CODE, "fill<float>")
    wide = compiled_facts_of_source(CODE, "fill<double>")
    assert (narrow.count("mul.f32"), narrow.count("mul.f64")) == (1, 0)
    assert (wide.count("mul.f32"), wide.count("mul.f64")) == (0, 1)


def test_a_plain_name_may_be_a_name_expression():
    code = "__global__ void k(float* x) { x[0] = x[1] * x[1]; }"
    facts = compiled_facts_of_source(code, "k", is_expression=True)
    assert facts.count("mul.f32", line=1) == 1
    kernel = SimpleNamespace(code=code, name="k", options=(), is_expression=True)
    assert compiled_facts(kernel) == facts


def test_lines_of_other_files_are_not_taken_for_the_sources():
    code = f"""#line 70 "part"
__device__ __noinline__ float f(float x) {{ return x * x * x; }}
#line 4 "{SOURCE_NAME}"
extern "C" __global__ void k(float* x) {{ x[0] = f(x[1]) + x[2]; }}
"""
    facts = compiled_facts_of_source(code, "k")
    assert facts.count("mul.f32") == 2
    assert set(facts.by_line) == {4}


def test_a_limit_on_registers_makes_spills():
    free = compiled_facts_of_source(SPILLS, "many")
    tight = compiled_facts_of_source(SPILLS, "many", max_registers=24)
    stated = compiled_facts_of_source(SPILLS, "many", options=("--maxrregcount=24",))
    assert free.spill_stores_bytes == 0 < tight.spill_stores_bytes
    assert free.registers > tight.registers == stated.registers
    assert tight.spill_loads_bytes == stated.spill_loads_bytes > 0


def test_options_change_what_is_compiled():
    code = CODE.replace("square(v.x)", "sqrtf(v.x) / TIMES")
    exact = compiled_facts_of_source(code, "wide", options=("-DTIMES=3.5f",))
    fast = compiled_facts_of_source(code, "wide", options=("-DTIMES=3.5f", "--use_fast_math"))
    assert exact.count("sqrt.rn") == 1
    assert fast.count("sqrt.approx") == 1


def test_without_line_information_there_are_no_lines():
    facts = compiled_facts_of_source(CODE, "tiled", lineinfo=False)
    assert facts.by_line == {}
    assert facts.instructions == compiled_facts_of_source(CODE, "tiled").instructions


def test_facts_are_kept_by_content(compilations):
    first = compiled_facts_of_source(CODE, "wide")
    assert compiled_facts_of_source(CODE, "wide") == first
    assert len(compilations) == 1
    compiled_facts_of_source(CODE, "tiled")
    compiled_facts_of_source(CODE + "\n", "wide")
    compiled_facts_of_source(CODE, "wide", options=("-DX",))
    compiled_facts_of_source(CODE, "wide", compute_capability=(8, 0))
    compiled_facts_of_source(CODE, "wide", max_registers=32)
    compiled_facts_of_source(CODE, "wide", lineinfo=False)
    assert len(compilations) == 7


def test_refused_sources_and_missing_kernels_are_told(compilations):
    with pytest.raises(CudaCError, match=r"line 2: .*zz"):
        compiled_facts_of_source("\n__global__ void k() { zz; }", "k")
    with pytest.raises(CudaCError, match="extern"):
        compiled_facts_of_source("__global__ void k() { }", "k")
    with pytest.raises(CudaCError, match="name expression"):
        compiled_facts_of_source(CODE, "fill<strange>")
    shared = CODE.replace("#define TILE 16", "#define TILE 200")
    with pytest.raises(KernelCompileError, match="shared arrays of `tiled`"):
        compiled_facts_of_source(shared, "tiled")
    assert compiled_facts_of_source(shared, "wide").shared_bytes == 0


def test_a_raw_kernel_needs_no_argument_types():
    kernel = SimpleNamespace(code=CODE, name="wide", options=("--use_fast_math",))
    assert compiled_facts(kernel) == compiled_facts_of_source(
        CODE, "wide", options=("--use_fast_math",)
    )
    plain = SimpleNamespace(code=SPILLS, name="many", options=())
    settings = {"compute_capability": (8, 0), "max_registers": 24, "lineinfo": False}
    assert compiled_facts(plain, **settings) == compiled_facts_of_source(SPILLS, "many", **settings)
    fast = compiled_facts(SimpleNamespace(code=CODE, name="wide", options=None), fastmath=True)
    assert fast == compiled_facts(kernel)


def test_cupys_own_raw_kernel_is_one():
    """CuPy makes the object without a GPU; only its launch needs one."""
    pytest.importorskip("cupy")
    program = (
        "import cupy, sys\n"
        "from gpuedu.compilers import compiled_facts\n"
        "kernel = cupy.RawKernel(sys.argv[1], 'wide', options=('-DX=1',))\n"
        "print(compiled_facts(kernel).registers)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, CODE], capture_output=True, text=True)
    assert done.stdout.strip() == str(compiled_facts_of_source(CODE, "wide").registers), done.stderr
