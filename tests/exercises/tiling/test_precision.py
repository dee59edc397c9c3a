"""Where float64 is: by the account, by the compiler, and in the listing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.compilers import CompilerMissingError, compiled_facts
from gpuedu.exercises.tiling.precision import (
    RMS_TYPES,
    compiled_float64,
    describe_compiled,
    float64_lines,
    read_double_lines,
)
from gpuedu.simt import simulate
from tests.exercises.stored import stored_answers

rms_norm = stored_answers("accumulate-in-float32", "right", "np_float32")["rms_norm"]


@cuda.jit
def of_zero(x, w, out):
    j = cuda.grid(1)
    if j < x.shape[1]:
        total = 0.0
        for k in range(x.shape[0]):
            total += x[k, j] ** 2
        scale = float32(1 / math.sqrt(total))
        for k in range(x.shape[0]):
            out[k, j] = x[k, j] * scale * w[k]


def has_compiler() -> bool:
    try:
        compiled_facts(of_zero.py_func, RMS_TYPES)
    except CompilerMissingError:
        return False
    return True


compiler = pytest.mark.skipif(not has_compiler(), reason="NVIDIA's compiler is for Linux")


def lines_of(kernel):
    x, out = np.ones((2, 40, 70), np.float32)
    trace = simulate(kernel, 3, 32, x, x[:, 0].copy(), out)
    return read_double_lines(float64_lines(trace, 40))


def test_lines_are_told_apart_by_how_often_they_run():
    loop, once = lines_of(of_zero)
    assert (loop.text, loop.flop, loop.in_loop) == ("total += x[k, j] ** 2", 40 * 70, True)
    assert (once.flop, once.in_loop) == (2 * 70, False)


def test_a_mended_kernel_has_none():
    assert lines_of(rms_norm) == ()


@compiler
def test_the_compiler_says_the_same():
    assert "add.f64" in compiled_float64(of_zero)
    assert compiled_float64(rms_norm) == []


@compiler
def test_the_listing_marks_the_lines():
    marked = [line for line in describe_compiled(of_zero, RMS_TYPES).splitlines() if "<-" in line]
    assert any("add.f64" in line for line in marked)
    assert not any(line.split(None, 1)[1].startswith("for") for line in marked)
    assert "<- float64" not in describe_compiled(rms_norm, RMS_TYPES)


def test_without_a_compiler_the_listing_says_what_to_do(monkeypatch):
    def missing(*_args, **_options):
        raise CompilerMissingError("no NVVM", remedy="pip install it")

    monkeypatch.setattr("gpuedu.compilers.compiled_facts", missing)
    assert "lens(simulate(...))" in describe_compiled(of_zero, RMS_TYPES)
    assert compiled_float64(of_zero) is None
