"""Pictures of the lesson: readable, described, and of the learner's own code, also wrong code."""

from __future__ import annotations

import pytest
from numba import float32

from gpuedu.backend import cuda
from gpuedu.errors import AnswerError
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.parts import pictures_of
from tests.exercises.stored import stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("tiling")

intensities = stored_answers("roofline", "right", "sorted_pairs")["intensities"]
blocks_for, matmul_naive = stored_answers("naive", "right", "strided").values()
rms_norm = stored_answers("accumulate-in-float32", "right", "np_float32")["rms_norm"]
matmul = stored_answers("any-shape", "right", "zero_first")["matmul"]

TIMES = {
    "naive": 4e-3,
    "tiled": 3e-3,
    "library": 4e-4,
    "m": 2048,
    "n": 2048,
    "k": 2048,
    "device": "NVIDIA H200",
}


@cuda.jit
def no_barrier(a, b, c):
    tile_a = cuda.shared.array((32, 32), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    j, i = cuda.grid(2)
    tile_a[y, x] = a[i, x]
    c[i, j] = tile_a[x, y] * b[y, j]


@cuda.jit
def outside(a, b, c):
    j, i = cuda.grid(2)
    c[i, j] = a[i, 0] * b[0, j]


@cuda.jit
def idle(a, b, c):
    cuda.syncthreads()


CASES = [
    ("roofline", (intensities,)),
    ("naive", (blocks_for, matmul_naive)),
    ("tiled", (matmul,)),
    ("tiled", (matmul_naive,)),
    ("tiled", (no_barrier,)),
    ("any-shape", (matmul,)),
    ("any-shape", (matmul_naive,)),
    ("any-shape", (outside,)),
    ("tiling/down-the-rows", ()),
    ("tiling/naive-reads", ()),
    ("tiling/walk", ()),
    ("tiling/moved", (matmul_naive, matmul)),
    ("tiling/ladder", ({},)),
    ("tiling/ladder", (TIMES,)),
]


@pytest.mark.parametrize(("name", "given"), CASES)
def test_a_picture_is_readable_and_described(name, given):
    ax = PICTURES[name](*given)
    assert len(to_png(ax)) > 5_000
    assert len(alt_text(ax)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def said(name, *given) -> str:
    return alt_text(PICTURES[name](*given))


def test_the_two_ways_to_run_along_a_warp_differ():
    assert "a[row, k] is read" in said("tiling/down-the-rows")
    assert "b[k, column] is read by warp 0: 1 sector, 1 at best" in said("tiling/down-the-rows")
    assert "32 sectors" in said("tiling/down-the-rows")
    assert "32 sectors" not in said("naive", blocks_for, matmul_naive)


def test_reads_are_counted_with_and_without_tiles():
    assert "On average an element is read 64 times" in said("tiling/naive-reads")
    assert "On average an element is read 2 times" in said("tiled", matmul)


def test_the_last_block_is_shown_turn_by_turn():
    told = said("any-shape", matmul)
    assert "what block (1, 1) reads" in PICTURES["any-shape"](matmul).get_title(loc="left")
    assert "Turn 2: rows 32 to 49 and columns 64 to 69 of a, 916 places" in told
    assert "Turn 1: nothing of a" in said("any-shape", matmul_naive)
    with pytest.raises(AnswerError, match="does not read"):
        PICTURES["any-shape"](idle)


def test_a_listing_takes_a_kernel_of_three_matrices():
    try:
        listing = PICTURES["tiling/compiled"](matmul_naive)
    except AnswerError as refusal:  # pragma: no cover
        pytest.fail(str(refusal))
    assert "total += a[i, k] * b[k, j]" in listing or "not installed" in listing


def test_a_hazard_is_shown_instead():
    assert "nothing orders the two" in said("tiled", no_barrier)
    assert "has the shape (50, 70)" in said("any-shape", outside)


def test_points_stand_where_the_learner_s_function_puts_them():
    def all_alike(counts):
        return 0.5, 50.0

    assert said("roofline", all_alike).count("0.5 FLOP/byte through L1") == 8


def test_an_intensity_that_is_none_is_told():
    with pytest.raises(AnswerError, match="no place for a point"):
        PICTURES["roofline"](lambda counts: (0.0, 1.0))


def test_caches_decide_without_tiles_only():
    told = said("tiling/moved", matmul_naive, matmul)
    assert "naive, no cache" in told
    assert "0.397 FLOP/byte of device memory" in told
    assert (told.count("limited by L1"), told.count("limited by device memory")) == (3, 1)
    with pytest.raises(AnswerError, match="computes nothing yet"):
        PICTURES["tiling/moved"](idle, matmul)


def test_own_times_stand_beside_the_bounds():
    assert "yours" in said("tiling/ladder", TIMES)
    assert "13% of cuBLAS" in said("tiling/ladder", TIMES)


def test_the_table_and_the_listings_are_texts():
    assert "matmul-tiled" in PICTURES["tiling/counts"]()
    assert "sqrt" in PICTURES["accumulate-in-float32"](rms_norm)


def test_a_kernel_that_reads_nothing_has_no_step_to_show():
    with pytest.raises(AnswerError, match="does not read `a` or `b` yet"):
        PICTURES["naive"](blocks_for, idle)
