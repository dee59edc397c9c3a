"""Where there is no compiler, the course's own kernels have recorded answers, and no others do."""

import linecache
import sys
import textwrap
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from gpuedu.compilers import CompilerMissingError, CudaCError, KernelCompileError, recorded
from gpuedu.compilers.facts import CompiledFacts
from gpuedu.compilers.nvrtc import check_kernel
from gpuedu.compilers.nvrtc_errors import Complaint
from gpuedu.compilers.source_key import content_of
from gpuedu.simt.host import cuda

PTX = "\t.shared .align 16 .b8 tile[2048];\n\tadd.f32 a, b, c;\n"
FACTS = CompiledFacts(
    "f", (9, 0), 40, 0, 4, 8, 2048, 0, 1, {"add.f32": 3}, {7: {"add.f32": 3}}, PTX, {"ptxas": "1"}
)
_numbers = count()


@pytest.fixture
def table(monkeypatch):
    """The record's entries, to be planted."""
    entries = {}
    monkeypatch.setattr(recorded, "_table", lambda: entries)
    return entries


def no_compiler():
    raise CompilerMissingError("no compiler here")


def refuse(fault):
    def compile_it():
        raise fault

    return compile_it


def test_what_was_noted_is_told_where_there_is_no_compiler(table):
    with recorded.noting() as found:
        assert recorded.facts_or_recorded(lambda: "key", lambda: FACTS, 5) is FACTS
    table.update(found)
    told = recorded.facts_or_recorded(lambda: "key", no_compiler, 21)
    assert told.by_line == {23: {"add.f32": 3}}, "two lines below the kernel's first"
    assert told.ptx == ".shared .align 16 .b8 tile[2048];"
    assert told == replace(FACTS, by_line=told.by_line, ptx=told.ptx)


@pytest.mark.parametrize("key", ["unknown", None])
def test_of_any_other_kernel_nothing_is_known(table, key):
    with pytest.raises(CompilerMissingError, match="no compiler here"):
        recorded.facts_or_recorded(lambda: key, no_compiler)
    with pytest.raises(CompilerMissingError, match="no compiler here"):
        recorded.checked_or_recorded(lambda: key, no_compiler)


@pytest.mark.parametrize(
    "fault",
    [
        KernelCompileError("no such type", line=3, remedy="another"),
        CudaCError(
            (Complaint("error", "expected a ;", line=2, column=4, text="int a", notes=("so",)),),
            remedy="a ;",
        ),
    ],
)
def test_a_refusal_is_told_in_the_compilers_words(table, fault):
    with recorded.noting() as found, pytest.raises(KernelCompileError):
        recorded.checked_or_recorded(lambda: "key", refuse(fault))
    table.update(found)
    for ask in (recorded.facts_or_recorded, recorded.checked_or_recorded):
        with pytest.raises(type(fault)) as told:
            ask(lambda: "key", no_compiler)
        assert (str(told.value), told.value.line) == (str(fault), fault.line)
        assert getattr(told.value, "complaints", ()) == getattr(fault, "complaints", ())


def test_nothing_is_noted_unasked_and_no_key_is_made():
    assert recorded.facts_or_recorded(lambda: 1 / 0, lambda: FACTS) is FACTS


def test_a_tab_has_no_compiler_and_says_so(monkeypatch, cache):
    monkeypatch.setattr(sys, "platform", "emscripten")
    from gpuedu.compilers import nvrtc_library

    nvrtc_library._library.cache_clear()
    with pytest.raises(CompilerMissingError, match="do not run in a browser tab"):
        check_kernel('extern "C" __global__ void nobodys(float* x) {}', "nobodys")


# What a Python kernel's key is made of

KERNEL = """
@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = float32(factor) * twice(x[i])
"""
TWICE = """
@cuda.jit(device=True)
def twice(v):
    return 2 * v
"""


def made(kernel=KERNEL, device=TWICE, **names):
    scope = {"cuda": cuda, "float32": np.float32, "factor": 3} | names
    for text in (device, kernel):
        file = f"<recorded {next(_numbers)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), scope)
    return content_of(scope["scale"].py_func)


def test_comments_margins_and_places_change_nothing():
    commented = KERNEL.replace("x.size:", "x.size:  # not beyond").replace("cuda.jit", "cuda.jit ")
    assert made() == made(commented) == made("\n\n" + KERNEL) is not None


def test_numbas_types_and_their_stand_ins_are_the_same():
    numba = pytest.importorskip("numba")
    assert made() == made(float32=numba.float32)


@pytest.mark.parametrize(
    "change",
    [
        {"kernel": KERNEL.replace("<", "<=")},
        {"device": TWICE.replace("2", "3")},
        {"factor": 4},
        {"factor": 3.0},
        {"float32": np.float64},
    ],
    ids=str,
)
def test_what_a_kernel_does_changes_its_key(change):
    assert made(**change) not in (made(), None)


def test_a_closures_values_count():
    inner = textwrap.indent(KERNEL, "    ").replace("factor", "t")

    def of(value):
        return made(f"def make():\n    t = {value}\n{inner}    return scale\nscale = make()\n")

    assert of(2) == of(2) != of(3)


def test_what_cannot_be_told_has_no_key():
    assert made(factor=object()) is None
    assert content_of(eval("lambda x: x")) is None
