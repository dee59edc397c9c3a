"""Pictures of three exercises: readable, described, and of the learner's kernel, also a wrong one."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.parts import pictures_of
from tests.exercises.stored import stored_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("cooperation")
RIGHT = {
    exercise: tuple(stored_answers(exercise, "right", name).values())
    for exercise, name in (
        ("block-sum", "barrier_first"),
        ("warp-sum", "cleared_first"),
        ("scan", "two_arrays"),
    )
}
(BLOCK_SUM,) = RIGHT["block-sum"]


@cuda.jit
def count_together(total):
    total[0] += 1


@cuda.jit
def count_alone(total):
    if cuda.threadIdx.x == 0:
        total[0] += 1


@cuda.jit
def racy(x, sums):
    part = cuda.shared.array(256, np.float32)
    t = cuda.threadIdx.x
    part[t] = x[t]
    half = cuda.blockDim.x // 2
    while half > 0:
        part[t] += part[t + half]
        half //= 2
    sums[0] = part[0]


@cuda.jit
def no_shared(x, out, totals):
    out[cuda.grid(1)] = x[cuda.grid(1)]


CASES = [
    ("cooperation/lost-count", (count_together,)),
    ("cooperation/lost-count", (count_alone,)),
    ("cooperation/rounds", (BLOCK_SUM,)),
    ("cooperation/rounds", (racy,)),
    ("cooperation/lanes", (racy,)),
    *RIGHT.items(),
]


@pytest.mark.parametrize(("name", "given"), CASES)
def test_a_picture_is_readable_and_described(name, given):
    ax = PICTURES[name](*given)
    assert len(to_png(ax)) > 5_000
    assert len(alt_text(ax)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_the_rounds_of_a_fold_are_counted():
    said = alt_text(PICTURES["cooperation/rounds"](BLOCK_SUM))
    assert "round 1, 16 written, 16 read of other threads" in said
    assert "round 5, 1 written, 1 read of other threads" in said


def test_a_bank_conflict_is_drawn_instead_of_the_lanes():
    far_apart = stored_answers("block-sum", "wrong", "neighbors_far_apart")["block_sum"]
    said = alt_text(PICTURES["block-sum"](far_apart))
    assert "take 4 passes, where 1 would do" in said
    assert "Active lanes" in alt_text(PICTURES["block-sum"](BLOCK_SUM))


def test_the_scan_takes_from_ever_farther():
    said = alt_text(PICTURES["scan"](*RIGHT["scan"]))
    assert [taken in said for taken in ("31 read", "30 read", "28 read", "24 read")] == [True] * 4


def test_the_lost_count_names_two_threads_and_no_barrier():
    ax = PICTURES["cooperation/lost-count"](count_together)
    assert "and nothing orders the two" in alt_text(ax)
    assert not any("syncthreads" in text.get_text() for text in ax.texts)


def test_a_kernel_without_shared_memory_is_told():
    from gpuedu.lens.requests import NothingWatchedError

    with pytest.raises(NothingWatchedError, match="stores nothing in shared memory"):
        PICTURES["scan"](no_shared, None)
