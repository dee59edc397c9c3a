"""Tables in text: their rows and what they tell of the learner's kernel."""

from __future__ import annotations

import pytest

from gpuedu.backend import cuda
from gpuedu.compilers import CompilerMissingError
from gpuedu.errors import AnswerError
from gpuedu.exercises.registers import tables
from gpuedu.exercises.registers.double_buffer.picture import steps_of_a_warp
from tests.exercises.stored import stored_answers

make_matmul = stored_answers("register-tile", "right", "writes_by_itself")["make_matmul"]
matmul = stored_answers("vector-loads", "right", "two_more_names")["matmul"]
matmul_twice = stored_answers("double-buffer", "right", "counts_steps")["matmul_twice"]


def missing(*_, **__):
    raise CompilerMissingError("a part is missing")


def test_five_accounts_have_a_column_each():
    said = tables.five_accounts()
    heading, *rows = said.splitlines()[:8]
    assert heading.split() == ["A", "B", "C", "D", "E"]
    assert all(len(row.split()) == 6 for row in rows)


def test_steps_are_told_in_their_order():
    said = steps_of_a_warp(matmul_twice)
    assert "step 1" in said and said.index("asks global") < said.index("reads tiles")
    assert "4 barriers" in said and "8,192 bytes" in said


def test_a_kernel_without_shared_memory_has_no_steps():
    @cuda.jit
    def plain(a, b, c):
        c[0, 0] = a[0, 0] * b[0, 0]

    with pytest.raises(AnswerError, match="does not read shared memory"):
        steps_of_a_warp(plain)


def test_the_rungs_are_told_without_a_compiler(monkeypatch):
    monkeypatch.setattr("gpuedu.ladder.python_rung.compiled_facts", missing)
    rows = tables.compiled_rungs().splitlines()
    assert rows[5].split()[:3] == ["c-warp-tile", "(CUDA", "C)"]
    assert rows[5].split()[6:8] == ["512", "62%"]


def test_without_a_compiler_own_kernels_say_so(monkeypatch):
    monkeypatch.setattr("gpuedu.compilers.compiled_facts", missing)
    assert "no compiler here" in tables.compiled_tiles(make_matmul)
    assert "no compiler here" in tables.compiled_instructions(matmul)


def test_own_kernels_have_a_row_each():
    said = tables.compiled_tiles(make_matmul)
    if "no compiler here" in said:
        pytest.skip("no compiler here")
    names = [row[:5] for row in said.splitlines()[1:4]]
    assert names == ["2 x 2", "4 x 4", "8 x 8"]


def test_vector_loads_are_in_the_list_of_instructions():
    said = tables.compiled_instructions(matmul)
    if "no compiler here" in said:
        pytest.skip("no compiler here")
    assert "ld.shared.v4.f32" in said
