"""Pictures of the lesson: readable, described, and of the learner's own kernel, also a wrong one."""

from __future__ import annotations

import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.errors import AnswerError
from gpuedu.figures.style import alt_text, to_png
from gpuedu.syllabus import lesson
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers, stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("memory")
RIGHT = {name: tuple(solution_answers(name).values()) for name in lesson("memory").exercises}


def wrong(exercise, name):
    return tuple(stored_answers(exercise, "wrong", name).values())


VIEW, STRAIGHT = wrong("aos-to-soa", "only_T"), wrong("stencil", "straight")
NAIVE, NOT_PADDED = wrong("transpose", "naive"), wrong("transpose", "not_padded")
NO_BARRIER, NOT_MENDED = wrong("stencil", "no_barrier"), wrong("uninitialised", "not_mended")


@cuda.jit
def copy_blocked(src, dst, per_thread):
    start = cuda.grid(1) * per_thread
    for i in range(start, min(start + per_thread, src.size)):
        dst[i] = src[i]


@cuda.jit
def speed_of_rows(table, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = table[i, 3] ** 2 + table[i, 4] ** 2 + table[i, 5] ** 2


@cuda.jit
def left_end_empty(x, w, out):
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t + 3] = x[i] if i < x.size else 0
    if t < 3 and i >= 3:
        tile[t] = x[i - 3]
    cuda.syncthreads()
    if i < out.size:
        out[i] = w[0] * tile[t]


CASES = [
    *RIGHT.items(),
    ("memory/detour", ()),
    ("memory/blocked", (copy_blocked,)),
    ("memory/records", (speed_of_rows,)),
    ("memory/reads", RIGHT["transpose"]),
    ("memory/writes", RIGHT["transpose"]),
    ("memory/writes", NAIVE),
    ("memory/tile", RIGHT["stencil"]),
    ("memory/tile", NO_BARRIER),
    ("memory/tile", (left_end_empty,)),
    ("transpose", NOT_PADDED),
    ("stencil", STRAIGHT),
    ("aos-to-soa", VIEW),
    ("uninitialised", NOT_MENDED),
]


def draw(name, given):
    """The picture; the dict that is checked with the last kernel is not drawn."""
    return PICTURES[name](*(one for one in given if not isinstance(one, dict)))


@pytest.mark.parametrize(("name", "given"), CASES)
def test_a_picture_is_readable_and_described(name, given):
    ax = draw(name, given)
    assert len(to_png(ax)) > 5_000
    assert len(alt_text(ax)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_blocked_and_striped_differ_by_eight():
    assert "32 sectors, 4 at best" in alt_text(draw("memory/blocked", (copy_blocked,)))
    assert "4 sectors, 4 at best" in alt_text(draw("coalesced-copy", RIGHT["coalesced-copy"]))


def test_a_view_asks_for_as_many_sectors_as_the_table():
    view = draw("aos-to-soa", VIEW)
    table = draw("memory/records", (speed_of_rows,))
    assert "24 sectors, 4 at best" in alt_text(view)
    assert "24 sectors, 4 at best" in alt_text(table)


def test_the_banks_show_the_column():
    assert "take 32 passes" in alt_text(draw("transpose", NOT_PADDED))
    assert "take 1 pass," in alt_text(draw("transpose", RIGHT["transpose"]))


def test_each_block_s_reads_are_counted():
    assert "Block 1 reads 134 elements, 134 reads" in alt_text(draw("stencil", RIGHT["stencil"]))
    assert "Block 1 reads 134 elements, 896 reads" in alt_text(draw("stencil", STRAIGHT))


def test_a_race_is_shown_as_the_two_threads_that_meet():
    assert "nothing orders the two" in alt_text(draw("memory/tile", NO_BARRIER))


def test_an_unwritten_place_is_shown_in_its_own_block():
    assert "block 0: 128 written" in alt_text(draw("memory/tile", (left_end_empty,)))
    unsafe, mended = (
        draw("uninitialised", given) for given in (NOT_MENDED, RIGHT["uninitialised"])
    )
    assert "block 1: 36 written" in alt_text(unsafe)
    assert "28 are read, but never written" in alt_text(unsafe)
    assert "never written" not in alt_text(mended)


def test_a_tile_that_is_used_behind_a_barrier_only_is_drawn_there():
    @cuda.jit
    def late(x, out):
        part = cuda.shared.array(64, float32)
        cuda.syncthreads()
        part[cuda.threadIdx.x] = 0
        cuda.syncthreads()
        out[cuda.blockIdx.x] = part[0]

    assert "in epoch 1 of block 1: 64 written" in alt_text(draw("uninitialised", (late,)))


def test_a_kernel_without_a_tile_has_no_banks_to_show():
    with pytest.raises(AnswerError, match="does not access shared memory yet"):
        draw("transpose", NAIVE)
