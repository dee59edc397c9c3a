"""A judged launch uses the arrays that it is given, under names that tell which."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu import cp, cuda
from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import run_kernel


def launch(kernel):
    run_kernel(kernel, 1, 32, np.arange(32, dtype=np.float32), np.zeros(32, np.float32))


@cuda.jit
def chooses_an_array(src, dst):
    i = cuda.grid(1)
    v = src if i >= 0 else dst
    dst[i] = v[i]


@cuda.jit
def never_uses_its_choice(src, dst):
    i = cuda.grid(1)
    v = src if i >= 0 else dst
    if i > 99:
        dst[i] = v[i]
    dst[i] = src[i]


@cuda.jit
def chooses_a_view(src, dst):
    i = cuda.grid(1)
    v = src[1:] if i > 5 else src[:-1]
    dst[i] = v[i - 1] if i > 5 else v[i]


def test_an_array_or_another_is_refused_with_the_line_and_a_remedy():
    with pytest.raises(AnswerError, match=r"line \d+, `v\[i\]`, is of src or dst") as fault:
        launch(chooses_an_array)
    assert "name" in fault.value.remedy


@pytest.mark.parametrize("kernel", [never_uses_its_choice, chooses_a_view])
def test_what_is_never_asked_and_views_of_one_array_are_fine(kernel):
    launch(kernel)


def test_memory_that_the_exercise_does_not_give_is_refused():
    kernel = cp.RawKernel(
        """
        __device__ float buffer[32];
        extern "C" __global__ void copy(const float* src, float* dst) {
            buffer[threadIdx.x] = src[threadIdx.x];
            dst[threadIdx.x] = buffer[threadIdx.x];
        }
        """,
        "copy",
    )
    with pytest.raises(AnswerError, match="`buffer`, which is no argument"):
        launch(kernel)
