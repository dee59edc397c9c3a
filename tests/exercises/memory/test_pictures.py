"""Pictures of the lesson: readable, described, and of the learner's own kernel, also a wrong one."""

from __future__ import annotations

import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.errors import AnswerError
from gpuedu.exercises.memory.pictures import PICTURES
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.memory import answers
from tests.exercises.memory.answers import REFERENCE
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside


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
def transpose_naive(m, out):
    j, i = cuda.grid(2)
    if i < m.shape[0] and j < m.shape[1]:
        out[j, i] = m[i, j]


@cuda.jit
def not_padded(m, out):
    tile = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    tile[y, x] = m[i, j]
    cuda.syncthreads()
    out[32 * cuda.blockIdx.x + y, 32 * cuda.blockIdx.y + x] = tile[x, y]


@cuda.jit
def straight(x, w, out):
    i = cuda.grid(1)
    if i < out.size:
        total = float32(0)
        for k in range(7):
            if 0 <= i + k - 3 < x.size:
                total += w[k] * x[i + k - 3]
        out[i] = total


@cuda.jit
def no_barrier(x, w, out):
    tile = cuda.shared.array(134, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t + 3] = x[i] if i < x.size else 0
    if i < out.size:
        out[i] = w[0] * tile[t + 3] + tile[t + 4]


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


@cuda.jit
def not_mended(x, out):
    part = cuda.shared.array(64, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    if i < x.size:
        part[t] = x[i]
    cuda.syncthreads()
    if t == 0:
        for k in range(64):
            out[cuda.blockIdx.x] += part[k]


CASES = [
    *REFERENCE.items(),
    ("memory/detour", ()),
    ("memory/blocked", (copy_blocked,)),
    ("memory/records", (speed_of_rows,)),
    ("memory/reads", REFERENCE["transpose"]),
    ("memory/writes", REFERENCE["transpose"]),
    ("memory/writes", (transpose_naive,)),
    ("memory/tile", REFERENCE["stencil"]),
    ("memory/tile", (no_barrier,)),
    ("memory/tile", (left_end_empty,)),
    ("transpose", (not_padded,)),
    ("stencil", (straight,)),
    ("aos-to-soa", (answers.transposed_view, answers.speed_squared)),
    ("uninitialised", (not_mended,)),
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
    assert "4 sectors, 4 at best" in alt_text(draw("coalesced-copy", REFERENCE["coalesced-copy"]))


def test_a_view_asks_for_as_many_sectors_as_the_table():
    view = draw("aos-to-soa", (answers.transposed_view, answers.speed_squared))
    table = draw("memory/records", (speed_of_rows,))
    assert "24 sectors, 4 at best" in alt_text(view)
    assert "24 sectors, 4 at best" in alt_text(table)


def test_the_banks_show_the_column():
    assert "take 32 passes" in alt_text(draw("transpose", (not_padded,)))
    assert "take 1 pass," in alt_text(draw("transpose", REFERENCE["transpose"]))


def test_each_block_s_reads_are_counted():
    assert "Block 1 reads 134 elements, 134 reads" in alt_text(
        draw("stencil", REFERENCE["stencil"])
    )
    assert "Block 1 reads 134 elements, 896 reads" in alt_text(draw("stencil", (straight,)))


def test_a_race_is_shown_as_the_two_threads_that_meet():
    assert "nothing orders the two" in alt_text(draw("memory/tile", (no_barrier,)))


def test_an_unwritten_place_is_shown_in_its_own_block():
    assert "block 0: 128 written" in alt_text(draw("memory/tile", (left_end_empty,)))
    unsafe, mended = (draw("uninitialised", (k,)) for k in (not_mended, answers.block_sums))
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
        draw("transpose", (transpose_naive,))
