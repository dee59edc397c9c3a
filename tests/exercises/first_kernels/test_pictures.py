"""Pictures of the lesson: readable, described, and of the learner's own kernel, also a wrong one."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.errors import AnswerError
from gpuedu.exercises.first_kernels.mandelbrot.picture import SET_SHAPE
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("first-kernels")

SKETCHES = sorted(name for name in PICTURES if "/" in name)
OWN = {name: [*solution_answers(name).values()] for name in sorted({*PICTURES} - {*SKETCHES})}


@cuda.jit
def half_blocks(a, x, y, out):
    i = cuda.threadIdx.x + cuda.blockIdx.x * 16
    out[i] = a * x[i] + y[i]


@cuda.jit
def no_guard(a, x, y, out):
    i = cuda.grid(1)
    out[i] = a * x[i] + y[i]


@cuda.jit
def idle(a, x, y, out):
    pass


@cuda.jit
def endless(x, out):
    i = cuda.grid(1)
    while i < x.size:
        out[i] = x[i]


@cuda.jit
def constant(left, top, step, limit, out):
    column, row = cuda.grid(2)
    out[row, column] = 1


@cuda.jit
def first_column(x, bias, out):
    row, column = cuda.grid(2)
    if column == 0 and row < x.shape[0]:
        out[row, column] = x[row, column]


def upwards(n, threads):
    return n * threads


CASES = [
    *OWN.items(),
    *((name, ()) for name in SKETCHES),
    ("blocks", (half_blocks,)),
    ("blocks", (no_guard,)),
    ("blocks", (idle,)),
    ("grid-stride", (endless,)),
    ("mandelbrot", (constant,)),
    ("two-d-map", (first_column,)),
    ("launch-shape", (upwards, None, lambda threads: 0)),
]


@pytest.mark.parametrize(("name", "given"), CASES)
def test_a_picture_is_readable_and_described(name, given):
    drawn = PICTURES[name](*given)
    axes = drawn if isinstance(drawn, np.ndarray) else np.array([drawn])
    assert len(to_png(drawn)) > 5_000
    assert len(alt_text(drawn)) > 60
    for ax in axes:
        assert overlapping_texts(ax) == []
        assert texts_outside(ax) == []
        assert smallest_text_pt(ax) >= 8


def test_owners_are_those_that_wrote():
    drawn = PICTURES["blocks"](half_blocks)
    assert "32 written once, 48 more than once, 20 not at all" in alt_text(drawn)


def test_a_read_past_the_end_is_in_the_picture():
    drawn = PICTURES["blocks"](no_guard)
    assert any("past the end: [100]" in text.get_text() for text in drawn.texts)


def test_active_lanes_of_a_block_of_100():
    assert "warp 3: 4.0" in alt_text(PICTURES["thread-index"](*OWN["thread-index"]))


def test_the_swapped_kernel_asks_for_eight_times_the_sectors():
    own = alt_text(PICTURES["two-d-map"](*OWN["two-d-map"]))
    swapped = alt_text(PICTURES["first-kernels/swapped"]())
    assert "4 sectors, 4 at best" in own
    assert "32 sectors, 4 at best" in swapped


def test_lanes_by_pixel_follow_the_blocks():
    drawn = PICTURES["mandelbrot"](*OWN["mandelbrot"])
    counts, busy = (ax.images[0].get_array() for ax in drawn)
    assert counts.shape == busy.shape == SET_SHAPE
    # A warp whose points all have the same count has no lane that waits for another.
    rows, columns = counts.shape
    by_warp = counts.reshape(rows, columns // 32, 32)
    alike = (by_warp == by_warp[:, :, :1]).all(axis=2)
    lanes = np.asarray(busy).reshape(rows, columns // 32, 32)
    assert alike.any()
    assert not alike.all()
    assert (lanes[alike] == 32).all()
    assert (lanes[~alike] < 32).all()


def test_a_number_of_lanes_is_asked_for():
    with pytest.raises(AnswerError, match="number of lanes"):
        PICTURES["launch-shape"](lambda n, threads: 1, None, lambda threads: None)
