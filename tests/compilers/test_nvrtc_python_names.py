"""Functions of Python's libraries in CUDA C, and what to write in their place."""

from __future__ import annotations

import pytest

from gpuedu.compilers.nvrtc_python_names import without_library

DEFINED = "#define MINUS_INFINITY __int_as_float(0xff800000)\n"


@pytest.mark.parametrize(
    ("library", "text", "said"),
    [
        ("math", "s = math.sqrt(x);", "sqrtf: C"),
        ("np", "s = np.arctan2(x, y);", "such as sqrtf"),
        ("np", "s = np.log1p(cp.exp(x));", "log1pf: C has no `np`"),
        ("cp", "s = np.log1p(cp.exp(x));", "expf: C has no `cp`"),
        ("cp", "m = cp.maximum(a, b);", "fmaxf: C"),
        ("cp", "cp.float32 u = x;", "float"),
        ("np", "float2 p = make_float2(-np.inf, 0);", "CUDART_INF_F"),
        ("np", "f(np);", "such as sqrtf"),
    ],
)
def test_the_function_that_is_called_is_named_in_c(library, text, said):
    assert said in without_library(library, text, "")


def test_an_infinity_that_the_code_defines_comes_first():
    assert "MINUS_INFINITY" in without_library("np", "x = -np.inf;", DEFINED)
