"""Pictures and tables of the lesson: readable, described, and of the learner's own kernel."""

from __future__ import annotations

import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.errors import AnswerError
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.parts import pictures_of
from tests.exercises.stored import stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("registers")

occupancy_answers = tuple(stored_answers("occupancy", "right", "with_math").values())
make_matmul = stored_answers("register-tile", "right", "writes_by_itself")["make_matmul"]
matmul = stored_answers("vector-loads", "right", "two_more_names")["matmul"]


def empty_factory(t, side):
    @cuda.jit
    def matmul(a, b, c):
        c[0, 0] = 1

    return matmul


def conflicts(t, side):
    @cuda.jit
    def matmul(a, b, c):
        tile = cuda.shared.array((8, side), float32)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        tile[y % 8, t * x] = a[y, 0]
        cuda.syncthreads()
        c[y, x] = tile[y % 8, t * x] * 2

    return matmul


CASES = [
    ("registers/ladder", ()),
    ("occupancy", occupancy_answers),
    ("register-tile", (make_matmul,)),
    ("register-tile", (conflicts,)),
    ("registers/roofline", (make_matmul,)),
    ("vector-loads", (matmul,)),
]


@pytest.mark.parametrize(("name", "given"), CASES)
def test_a_picture_is_readable_and_described(name, given):
    ax = PICTURES[name](*given)
    assert len(to_png(ax)) > 5_000
    assert len(alt_text(ax)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_conflicts_are_drawn_where_they_are():
    assert "take 1 pass" in alt_text(PICTURES["register-tile"](make_matmul))
    assert "take 4 passes" in alt_text(PICTURES["register-tile"](conflicts))


@pytest.mark.parametrize("name", ["register-tile", "registers/roofline"])
def test_a_kernel_that_does_nothing_yet_is_told_so(name):
    with pytest.raises(AnswerError):
        PICTURES[name](empty_factory)


def test_the_ladder_says_whether_there_is_a_record(monkeypatch):
    monkeypatch.setattr("gpuedu.exercises.registers.pictures.records", lambda name: ())
    assert "No recording" in alt_text(PICTURES["registers/ladder"]())


def test_the_line_of_enough_warps_is_the_learners():
    few = alt_text(PICTURES["occupancy"](occupancy_answers[0], lambda latency, many: 4))
    many = alt_text(PICTURES["occupancy"](occupancy_answers[0], lambda latency, many: 16))
    assert "4 warps of 64" in few and "16 warps of 64" in many
