"""The real compilers take the kernels that are measured, for the oldest and for new devices."""

from __future__ import annotations

import re

import pytest

from gpuedu.compilers import compiled_facts, compiled_facts_of_source
from gpuedu.recording import kernels, sources
from gpuedu.recording.gpu import _HOLD

CUDA_C = {
    "empty": sources.EMPTY,
    "copy": sources.COPY,
    "strided_copy": sources.STRIDED_COPY,
    "multiply_add": sources.MULTIPLY_ADD,
    "add_global": sources.ATOMICS,
    "add_shared": sources.ATOMICS,
    "row_softmax": sources.ROW_SOFTMAX,
    "hold": _HOLD,
}
F1, F2, I1 = "float32[::1]", "float32[:, ::1]", "int32[::1]"
PYTHON = {
    "copy_blocked": [F1, F1, "int64"],
    "copy_striped": [F1, F1],
    "speed_squared_of_rows": [F2, F1],
    "speed_squared_of_fields": [F2, F1],
    "transpose_naive": [F2, F2],
    "transpose_tiled": [F2, F2],
    "transpose_padded": [F2, F2],
    "sum_pairs": [F1, F1],
    "sum_tree": [F1, F1],
    "sum_shuffled": [F1, F1],
    "count_atomic": [I1, I1],
    "count_private": [I1, I1],
}


@pytest.mark.parametrize("name", CUDA_C)
@pytest.mark.parametrize("capability", [(7, 5), (9, 0)])
def test_cuda_c_is_compiled_and_spills_nothing(name, capability):
    facts = compiled_facts_of_source(CUDA_C[name], name, compute_capability=capability)
    assert facts.spill_stores_bytes == facts.spill_loads_bytes == 0


@pytest.mark.parametrize("name", PYTHON)
def test_python_is_compiled_and_spills_nothing(name):
    facts = compiled_facts(getattr(kernels, name), PYTHON[name])
    assert facts.spill_stores_bytes == facts.spill_loads_bytes == 0


def test_every_kernel_is_here():
    made = {n for n, v in vars(kernels).items() if callable(v) and v.__module__ == kernels.__name__}
    # `empty` has no line of which facts could be told.
    assert made == {*PYTHON, "empty"}


def test_the_copy_moves_16_bytes_a_thread():
    ptx = compiled_facts_of_source(sources.COPY, "copy").ptx
    assert re.search(r"ld\.global(\.nc)?\.v4", ptx) and "st.global.v4" in ptx
