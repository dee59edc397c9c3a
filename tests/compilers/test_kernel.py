"""Real kernels through the real compiler."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import types

import numpy as np
import pytest

from gpuedu.compilers import (
    CompilerMissingError,
    KernelCompileError,
    compiled_facts,
    kernel,
    ptxas,
    storage,
)

pytestmark = pytest.mark.usefixtures("compiler")

ROW = "float32[::1]"
DOT = """
def dot(a, b, out, n):
    i = cuda.grid(1)
    total = START
    if i < n:
        for j in range(n):
            total += a[i] * b[j]
        out[i] = total
"""


@pytest.fixture(scope="module")
def names(compiler):
    """What kernels use, as a notebook has it after its imports."""
    from numba import cuda, float32

    return {"cuda": cuda, "float32": float32, "np": np, "math": math}


@pytest.fixture
def made(names):
    """Make a function from a text, in a scope with Numba's names and more."""

    def make(source, name="kernel", **more):
        scope = {**names, **more}
        exec(compile(source, f"<{name}>", "exec"), scope)
        return scope[name]

    return make


@pytest.fixture
def compilations(monkeypatch):
    """The compute capability of each compilation, in order."""
    seen = []
    compile_to_ptx = kernel.compile_to_ptx

    def counted(function, kinds, compute_capability, **options):
        seen.append(compute_capability)
        return compile_to_ptx(function, kinds, compute_capability, **options)

    monkeypatch.setattr(kernel, "compile_to_ptx", counted)
    return seen


def test_a_float_literal_makes_a_float32_sum_run_in_float64(made, names):
    arguments = [ROW, ROW, ROW, "int64"]
    trapped = compiled_facts(made(DOT, "dot", START=0.0), arguments)
    assert trapped.count("fma.f32") == 0
    assert trapped.count("add.f64") == trapped.count("cvt.f64.f32") > 0
    assert trapped.count("mul.f32") == trapped.count("add.f64", line=7) == trapped.count("add.f64")
    meant = compiled_facts(
        made(DOT.replace("START", "float32(0)"), "dot"), [ROW, ROW, ROW, np.int64]
    )
    assert meant.count("f64") == meant.count("add.f64") == meant.count("cvt.f64") == 0
    assert meant.count("fma.f32", line=7) == meant.count("fma.rn.f32") > 0
    assert meant.registers > 0 and meant.shared_bytes == 0 and meant.kernel == "dot"
    assert meant.compilers["ptxas"] == ptxas.version(ptxas.find_ptxas())


def test_lines_are_those_of_the_file(made):
    facts = compiled_facts(made("\n\n" + DOT, "dot", START=0), [ROW, ROW, ROW, 7])
    assert facts.count("st.global", line=10) == facts.count("st.global") == 1
    assert set(facts.by_line) <= set(range(4, 11))
    by_line = [sum(counts.values()) for counts in facts.by_line.values()]
    assert 0.9 * sum(facts.instructions.values()) < sum(by_line) <= sum(facts.instructions.values())
    assert compiled_facts(made(DOT, "dot", START=0), [ROW] * 3 + [7], lineinfo=False).by_line == {}


SHARED = """
def kernel(a, out):
    tile = cuda.shared.array(1024, float32, alignment=ALIGNMENT)
    t = cuda.threadIdx.x
    for i in range(8):
        tile[t * 8 + i] = a[t * 8 + i]
    cuda.syncthreads()
    first = ((t >> 4) & 15) * 8
    total = float32(0)
    for i in range(8):
        total += tile[first + i]
    out[t] = total
"""


@pytest.mark.parametrize(
    ("alignment", "width", "loads"), [(16, "v4", 2), (8, "v2", 4), (None, "v1", 8)]
)
def test_shared_loads_are_vectors_where_the_array_is_aligned(made, alignment, width, loads):
    facts = compiled_facts(made(SHARED, ALIGNMENT=alignment), [ROW, ROW])
    assert facts.count("ld.shared") == facts.count(f"ld.shared.{width}") == loads
    assert facts.count("st.shared") == facts.count("ld.global.v1") == 8
    assert facts.count("bar.sync") == facts.barriers == 1
    assert facts.shared_bytes == 4096


REGISTERS = """
def kernel(a, out):
    i = cuda.grid(1)
    own = cuda.local.array((8, 8), float32)
    for p in range(8):
        for q in range(8):
            own[p, q] = float32(0)
    for k in range(64):
        for p in range(8):
            for q in range(8):
                own[p, q] += a[k * 16 + p] * a[k * 16 + 8 + q]
    for p in range(8):
        for q in range(8):
            out[i * 64 + p * 8 + q] = own[p, q]
"""


def test_too_few_registers_are_spilled(made):
    free = compiled_facts(made(REGISTERS), [ROW, ROW])
    assert 64 < free.registers <= 255
    assert free.spill_stores_bytes == free.spill_loads_bytes == free.stack_bytes == 0
    tight = compiled_facts(made(REGISTERS), [ROW, ROW], max_registers=32)
    assert tight.registers == 32
    assert tight.spill_stores_bytes > 0 and tight.spill_loads_bytes > 0 and tight.stack_bytes > 0
    assert tight.instructions == free.instructions


def test_a_local_array_with_a_computed_index_is_on_the_stack(made):
    source = """
def kernel(a, out):
    own = cuda.local.array(64, float32)
    for j in range(64):
        own[int(a[j]) & 63] = a[j]
    for j in range(64):
        out[j] = own[int(out[j]) & 63]
"""
    assert compiled_facts(made(source), [ROW, ROW]).stack_bytes == 256


def test_decorators_are_heeded_and_arguments_win(made, names):
    source = "def kernel(a):\n    i = cuda.grid(1)\n    a[i] = math.sin(a[i]) / math.sqrt(a[i])\n"
    jitted = names["cuda"].jit(fastmath=True, max_registers=24)(made(source))
    fast = compiled_facts(jitted, [ROW])
    assert fast.count("sin.approx") == fast.count("sqrt.approx") == 1
    exact = compiled_facts(jitted, [ROW], fastmath=False)
    assert exact.count("sin.approx") == 0
    assert exact.count("sqrt.rn") == exact.count("div.rn.f32") == 1
    assert fast.registers <= 24 and exact.registers <= 24


def test_device_functions_are_compiled_without_a_device(made, names):
    import numba.cuda.dispatcher as dispatcher

    asked = dispatcher.get_current_device
    helper = names["cuda"].jit(device=True)(
        made("def twice(x):\n    return x * float32(2) + float32(1)\n", "twice")
    )
    source = "def kernel(a):\n    i = cuda.grid(1)\n    a[i] = twice(a[i])\n"
    facts = compiled_facts(made(source, twice=helper), [ROW], compute_capability=(8, 0))
    assert facts.count("fma.f32") == 1
    assert dispatcher.get_current_device is asked
    assert helper.overloads == {}
    with pytest.raises(KernelCompileError):
        compiled_facts(made("def kernel(a):\n    a[0] = twice(none)\n", twice=helper), [ROW])
    assert dispatcher.get_current_device is asked


def test_warp_operations_atomics_and_constants(made):
    source = """
def kernel(a, out):
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    x = a[i] + table[i % 16]
    x += cuda.shfl_down_sync(0xFFFFFFFF, x, 16)
    cuda.atomic.add(out, 0, x)
"""
    facts = compiled_facts(made(source, TABLE=np.arange(16, dtype=np.float32)), [ROW, ROW])
    assert facts.count("shfl") == 1
    assert facts.count("atom") + facts.count("red") == 1
    assert facts.constant_bytes == 64 and facts.count("ld.const") == 1


def test_half_precision_is_linked_with_its_cuda_c_parts(made):
    half = "float16[::1]"
    source = "def kernel(a, b, out):\n    i = cuda.grid(1)\n    out[i] = a[i] * b[i]\n"
    for _ in range(2):  # the second time, Numba has its parts in memory
        facts = compiled_facts(made(source), [half, half, half])
        assert facts.count("mul.f16") == 1 and facts.count("call") == 0
        assert facts.registers > 0 and facts.by_line == {}
        source += "\n"


def test_kernels_of_the_machine_are_compiled_as_numbas(made):
    machine = pytest.importorskip("gpuedu.simt.host.cuda")
    double = made("def double(x):\n    return x + x\n", "double", cuda=machine)
    source = "def kernel(a):\n    i = cuda.grid(1)\n    cuda.atomic.add(a, i, double(a[i]))\n"
    function = made(source, cuda=machine, double=machine.jit(device=True)(double))
    facts = compiled_facts(machine.jit(function), [ROW])
    assert facts.count("atom") + facts.count("red") == 1


@pytest.mark.parametrize("compute_capability", [(7, 5), (8, 6), (10, 0), (12, 0)])
def test_for_other_devices(made, compute_capability):
    facts = compiled_facts(
        made("def kernel(a):\n    a[cuda.grid(1)] = 1\n"),
        [ROW],
        compute_capability=compute_capability,
    )
    assert facts.registers > 0 and facts.compute_capability == compute_capability
    assert f"sm_{compute_capability[0]}{compute_capability[1]}" in facts.ptx


# --- the cache ---------------------------------------------------------------------------------


def test_the_second_time_nothing_is_compiled(made, compilations, cache):
    first = compiled_facts(made(DOT, "dot", START=1), [ROW, ROW, ROW, 7])
    again = compiled_facts(made(DOT, "dot", START=1), [ROW, ROW, ROW, 9])
    assert again == first and len(compilations) == 1
    (file,) = cache.iterdir()
    file.write_text("rubbish")
    second = compiled_facts(made(DOT, "dot", START=1), [ROW, ROW, ROW, 7])
    assert second.instructions == first.instructions and len(compilations) == 2
    assert compiled_facts(made(DOT, "dot", START=1), [ROW, ROW, ROW, 7]) == second
    assert len(compilations) == 2


def test_what_matters_is_compiled_anew(made, compilations):
    source = "def kernel(a):\n    i = cuda.grid(1)\n    a[i] = math.sqrt(a[i]) * SCALE\n"
    kernel = made(source, SCALE=2)
    for function, kind, options in [
        (kernel, ROW, {}),
        (made(source, SCALE=3), ROW, {}),
        (made(source.replace("sqrt", "exp"), SCALE=2), ROW, {}),
        (kernel, "float64[::1]", {}),
        (kernel, "float32[:]", {}),
        (kernel, ROW, {"compute_capability": (8, 0)}),
        (kernel, ROW, {"fastmath": True}),
        (kernel, ROW, {"lineinfo": False}),
        (kernel, ROW, {"max_registers": 20}),
    ]:
        compiled_facts(function, [kind], **options)
    assert len(compilations) == 9
    compiled_facts(kernel, [ROW], fastmath=False)
    assert len(compilations) == 9


def test_unknown_content_is_compiled_each_time(made, compilations, cache):
    settings = types.ModuleType("settings")
    settings.SCALE = 2
    function = made("def kernel(a):\n    a[0] = settings.SCALE\n", settings=settings)
    compiled_facts(function, [ROW])
    compiled_facts(function, [ROW])
    assert len(compilations) == 2 and not cache.exists()


def test_a_folder_that_cannot_be_made_costs_only_time(made, compilations, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(storage, "cache_folder", lambda: tmp_path / "file" / "compiled")
    for _ in range(2):
        assert compiled_facts(made("def kernel(a):\n    a[0] = 1\n"), [ROW]).registers > 0
    assert len(compilations) == 2


def test_the_folder_is_in_the_learners_home(monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.setenv("GPUEDU_HOME", str(tmp_path))
    assert storage.cache_folder() == tmp_path / "cache" / "compiled"
    monkeypatch.setenv("GPUEDU_HOME", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert storage.cache_folder().name == "compiled" and "gpuedu" in storage.cache_folder().parts


# --- what is missing ---------------------------------------------------------------------------


def test_importing_the_package_imports_no_compiler():
    program = """
import sys
before = set(sys.modules)  # numba-cuda and cuda-bindings have hooks that every Python loads
import gpuedu.compilers
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
sys.exit(" ".join(loaded & {"numba", "numba_cuda", "cuda", "llvmlite"}) or 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr == "" and done.returncode == 0


def test_no_ptxas(made, monkeypatch):
    def absent():
        raise CompilerMissingError("ptxas is not installed", remedy="pip install it")

    monkeypatch.setattr(ptxas, "find_ptxas", absent)
    with pytest.raises(CompilerMissingError, match="ptxas"):
        compiled_facts(made("def kernel(a):\n    a[0] = 1\n"), [ROW])


@pytest.mark.parametrize(
    ("what", "named", "remedy"),
    [
        ("macOS", "macOS", "Linux"),
        ("numba-cuda", "numba-cuda", r"numba-cuda\[cu12\]"),
        ("simulator", "NUMBA_ENABLE_CUDASIM", "unset"),
    ],
)
def test_no_numba(made, monkeypatch, what, named, remedy):
    import importlib.util

    if what == "macOS":
        monkeypatch.setattr(sys, "platform", "darwin")
    elif what == "numba-cuda":
        monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    else:
        monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "1")
    with pytest.raises(CompilerMissingError, match=named) as caught:
        compiled_facts(made("def kernel(a):\n    a[0] = 1\n"), [ROW])
    assert re.search(remedy, caught.value.remedy)


def test_no_nvvm(made, monkeypatch):
    from numba import cuda
    from numba.cuda.cudadrv.error import NvvmSupportError

    def absent(*_arguments, **_options):
        raise NvvmSupportError("libNVVM cannot be found.\nSearched everywhere.")

    monkeypatch.setattr(cuda, "compile_ptx", absent)
    with pytest.raises(CompilerMissingError, match="libNVVM cannot be found") as caught:
        compiled_facts(made("def kernel(a):\n    a[0] = 1\n"), [ROW])
    assert "numba-cuda[cu12]" in caught.value.remedy
