"""Pictures of crowded bins: drawn from any kernel, also a wrong one."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.errors import AnswerError, UnknownNameError
from gpuedu.exercises.cooperation.histogram.picture import (
    CROWDED_BIN,
    SHARES,
    crowded_values,
    draw_histogram,
    draw_turns,
    straight_count,
)
from gpuedu.figures.style import alt_text
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside


@cuda.jit
def private(values, hist):
    part = cuda.shared.array(64, np.int32)
    t = cuda.threadIdx.x
    if t < 64:
        part[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        cuda.atomic.add(part, values[i], 1)
    cuda.syncthreads()
    if t < 64:
        cuda.atomic.add(hist, t, part[t])


@cuda.jit
def racy(values, hist):
    for i in range(cuda.grid(1), values.size, cuda.gridsize(1)):
        hist[values[i]] += 1


@cuda.jit
def alone(values, hist):
    if cuda.threadIdx.x == 0:
        for i in range(cuda.blockIdx.x, values.size, cuda.gridDim.x):
            cuda.atomic.add(hist, values[i], 1)
            cuda.atomic.add(hist, values[i], 0)
            cuda.atomic.add(hist, values[i], 0)


def readable(ax):
    return not overlapping_texts(ax) and not texts_outside(ax) and smallest_text_pt(ax) >= 8


@pytest.mark.parametrize("share", SHARES)
def test_values_gather_as_they_should(share):
    values = crowded_values(share)
    assert values.dtype == np.int32
    assert set(np.unique(values)) <= set(range(64))
    assert abs((values == CROWDED_BIN).mean() - (share + (1 - share) / 64)) < 0.03


def test_turns_are_those_of_the_first_warp():
    ax = draw_turns(straight_count())
    assert readable(ax)
    first = crowded_values(0.95)[:32]
    met = np.bincount(first).max()
    told = f"95% of the values in bin 7: {len(set(first))} addresses, {met} turns"
    assert told in alt_text(ax)


def test_the_busiest_address_by_kernel_and_memory():
    ax = draw_histogram(private)
    assert readable(ax)
    most = int((crowded_values(0.95) == CROWDED_BIN).sum())
    assert f"95% in a bin: straight into hist: {most:,}." in alt_text(ax)
    assert "yours: into hist: 4." in alt_text(ax)


def test_a_kernel_without_atomics_is_drawn_with_what_there_is():
    ax = draw_histogram(racy)
    assert readable(ax)
    assert "yours: in shared memory: 0." in alt_text(ax)


def test_what_cannot_be_drawn_is_told():
    with pytest.raises(UnknownNameError, match="array with an atomic"):
        draw_turns(racy)
    with pytest.raises(AnswerError, match="too often"):
        draw_histogram(alone)
