"""Kernels from ours or from CuPy become kernels of the machine; other things are refused."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from gpuedu.arrays import cupy as stand_in
from gpuedu.errors import AnswerError
from gpuedu.exercises.arrays.kernel_objects import (
    elementwise_on_machine,
    kernel_refusals_told,
    parameter_text,
    reduction_on_machine,
)

LIBRARIES = ["gpuedu.arrays.cupy", "cupy"]


@pytest.fixture(params=LIBRARIES)
def library(request):
    """Our module and, where it is installed, CuPy, whose kernels can be made without a GPU."""
    try:
        return importlib.import_module(request.param)
    except ImportError:
        pytest.skip("CuPy is not installed")


def test_an_elementwise_kernel_of_either_library_runs_on_the_machine(library):
    made = library.ElementwiseKernel(
        "float32 x, raw T y",
        "T z",
        "z = twice(x) + y[i]",
        "add",
        preamble="__device__ float twice(float x) { return 2 * x; }",
    )
    assert parameter_text(made.in_params) == "float32 x, raw T y"
    kernel = elementwise_on_machine(made)
    x = stand_in.arange(3, dtype=np.float32)
    assert kernel(x, stand_in.ones(3, np.float32)).get().tolist() == [1, 3, 5]


def test_a_reduction_kernel_of_either_library_runs_on_the_machine(library):
    made = library.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    kernel = reduction_on_machine(made)
    rows = stand_in.asarray(np.array([[3, 4], [6, 8]], np.float32))
    assert kernel(rows, axis=1).get().tolist() == [5, 10]


@pytest.mark.parametrize("make", [elementwise_on_machine, reduction_on_machine])
@pytest.mark.parametrize("given", [None, len, "code", np.ones(3)])
def test_anything_else_is_refused_with_what_to_pass(make, given):
    with pytest.raises(AnswerError, match="should be a `cp") as refused:
        make(given)
    assert "without calling it" in refused.value.remedy


def test_types_that_do_not_fit_are_the_parameters():
    kernel = elementwise_on_machine(stand_in.ElementwiseKernel("float64 x", "float64 y", "y = x"))
    with pytest.raises(AnswerError, match="mismatched") as refused, kernel_refusals_told():
        kernel(stand_in.ones(3, np.float32))
    assert "parameters" in refused.value.remedy
