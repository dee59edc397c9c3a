"""NVRTC as a library: what it is asked to do, and that nothing stays behind."""

from __future__ import annotations

import re
import sys

import pytest

from gpuedu.compilers import CompilerMissingError, nvrtc_library
from gpuedu.compilers.nvrtc_library import compile_text, version


@pytest.fixture
def programs(nvrtc_compiler, monkeypatch):
    """The programs that were made, and those that were destroyed."""
    library = nvrtc_library._library()
    make, destroy = library.nvrtcCreateProgram, library.nvrtcDestroyProgram
    made, destroyed = [], []

    def counted_make(*arguments):
        answer = make(*arguments)
        made.append(int(answer[1]))
        return answer

    def counted_destroy(program):
        destroyed.append(int(program))
        return destroy(program)

    monkeypatch.setattr(library, "nvrtcCreateProgram", counted_make)
    monkeypatch.setattr(library, "nvrtcDestroyProgram", counted_destroy)
    return made, destroyed


def test_the_version_is_a_release(nvrtc_compiler):
    assert re.fullmatch(r"\d+\.\d+", version())


@pytest.mark.parametrize("code", ["__global__ void k() { }", "__global__ void k() { zz; }", ""])
def test_each_program_is_destroyed(programs, code):
    compile_text(code, ["-arch=compute_90"])
    made, destroyed = programs
    assert len(made) == 1
    assert destroyed == made


def test_a_program_is_destroyed_when_something_fails(programs, monkeypatch):
    monkeypatch.setattr(nvrtc_library, "_compile", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        compile_text("", [])
    made, destroyed = programs
    assert destroyed == made
    assert len(made) == 1
    monkeypatch.undo()
    assert compile_text("__global__ void k() { }", []).ptx


def test_text_of_any_kind_is_taken(nvrtc_compiler):
    assert compile_text("// größer \U0001f600 \udc80\n__global__ void k() { }", []).ptx
    refused = compile_text('__global__ void k() { "größer" + zz; }', [])
    assert refused.ptx is None
    assert "größer" in refused.log


def test_a_missing_package_is_told_with_what_brings_it(monkeypatch):
    nvrtc_library._library.cache_clear()
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    with pytest.raises(CompilerMissingError) as caught:
        compile_text("", [])
    assert "numba-cuda[cu12]" in caught.value.remedy
    monkeypatch.undo()
    nvrtc_library._library.cache_clear()


def test_there_is_none_for_macos(monkeypatch):
    nvrtc_library._library.cache_clear()
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(CompilerMissingError, match="macOS"):
        compile_text("", [])
    nvrtc_library._library.cache_clear()


def test_pythons_own_bytes_are_left_alone(nvrtc_compiler):
    # An empty log is one byte long, and bytes objects of one byte exist once.
    compile_text('extern "C" __global__ void plain(float* x) { x[0] = 1.0f; }', (), ())
    assert bytes([32]) == " ".encode() == b" " and bytes([32])[0] == 32  # noqa: UP012
