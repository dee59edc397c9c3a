"""paged-cache: its pictures of wrong functions, and what they refuse."""

from __future__ import annotations

import math

import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.serving.paged_cache.picture import draw_memory, draw_waste
from gpuedu.figures.style import alt_text
from tests.figures.legibility import assert_fit_to_print


def append(state, text):
    """A block of its own for each token, whoever holds what."""
    table = state["tables"].setdefault(text, [])
    state["lengths"][text] = state["lengths"].get(text, 0) + 1
    table.append(len(table) % 8)
    return table[-1], 0, None


def fork(state, old, new):
    state["tables"][new], state["lengths"][new] = state["tables"][old], state["lengths"][old]


def release(state, text):
    del state["tables"][text]


def test_tables_are_drawn_as_they_are():
    ax = draw_memory(append, fork, release)
    assert "A has 10 tokens: block 0 of A, block 1 of A" in alt_text(ax)
    assert_fit_to_print(ax)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (3, "`\\(block, offset, copied\\)`, or None, got 3"),
        ((1, 2), "got 2 things"),
        ((1.5, 0, None), "whole number"),
    ],
)
def test_what_is_no_place_is_refused(place, says):
    with pytest.raises(AnswerError, match=says):
        draw_memory(lambda state, text: place, fork, release)


def test_a_state_without_its_entries_is_refused():
    def clear(state, text):
        state.clear()

    with pytest.raises(AnswerError, match="has no entry `free`"):
        draw_memory(clear, fork, release)


def test_a_block_that_there_is_not_is_told():
    def beyond(state, text):
        state["tables"][text] = [8]
        return 8, 0, None

    with pytest.raises(AnswerError, match="has block 8, and there are 8"):
        draw_memory(beyond, lambda *_: None, lambda *_: None)


@pytest.mark.parametrize("shares", [(0.9, 0.1), (0, 0), (math.nan, math.nan), (-1.0, 2.0)])
def test_any_shares_are_drawn(shares):
    assert_fit_to_print(draw_waste(lambda *_: shares))


def test_a_block_that_somebody_else_has_now_is_told():
    def move(state, text):
        state["tables"] = {text: [3]}
        state["lengths"] = {text: 1}
        return 3, 0, None

    ax = draw_memory(move, lambda *_: None, lambda *_: None)
    assert any("block 3 goes from" in one.get_text() for one in ax.texts)
    assert_fit_to_print(ax)


def test_sizes_that_waste_nothing_are_told():
    ax = draw_waste(lambda lengths, size, longest: (0.9, 0.0 if size == 1 else 0.1))
    assert "no point for blocks of 1" in ax.figure.get_supxlabel()
