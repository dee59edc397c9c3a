"""The picture of one step of ``widen``: a race is framed, a barrier between takes it away."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.errors import AnswerError
from gpuedu.exercises.cooperation.find_the_race.picture import draw_touches
from gpuedu.figures.style import alt_text
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside


@cuda.jit
def in_place(x, steps, out):
    line = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    line[t] = x[row, t]
    cuda.syncthreads()
    for _ in range(steps):
        if t > 0 and t < 127:
            line[t] = max(line[t - 1], line[t], line[t + 1])
        cuda.syncthreads()
    out[row, t] = line[t]


@cuda.jit
def two_lines(x, steps, out):
    old = cuda.shared.array(128, np.float32)
    new = cuda.shared.array(128, np.float32)
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    old[t] = x[row, t]
    cuda.syncthreads()
    for _ in range(steps):
        new[t] = max(old[max(t - 1, 0)], old[t], old[min(t + 1, 127)])
        cuda.syncthreads()
        old[t] = new[t]
        cuda.syncthreads()
    out[row, t] = old[t]


@cuda.jit
def no_shared(x, steps, out):
    row, t = cuda.blockIdx.x, cuda.threadIdx.x
    out[row, t] = x[row, t]


def test_a_step_in_place_is_framed():
    ax = draw_touches(in_place)
    assert "in_place, one step: who reads and who writes line" in ax.get_title(loc="left")
    assert "128 elements of line are read, 126 written, 126 of them touched" in alt_text(ax)


def test_two_arrays_do_not_meet():
    told = alt_text(draw_touches(two_lines))
    assert "After barrier 1: 128 elements of old are read, 0 written" in told
    assert "After barrier 2: 0 elements of old are read, 128 written, 0 of them touched" in told


@pytest.mark.parametrize("kernel", [in_place, two_lines])
def test_it_can_be_read(kernel):
    ax = draw_touches(kernel)
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_a_kernel_without_shared_memory_is_told():
    with pytest.raises(AnswerError, match="nothing from shared memory"):
        draw_touches(no_shared)
