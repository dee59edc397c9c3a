"""Which block reads what: once, more often, or not at all."""

from __future__ import annotations

import numpy as np

from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.block_reads import plot_block_reads
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="reads", x="element", source="planted", alt="Two blocks.")


def drawn():
    loads = np.zeros((2, 100), int)
    loads[0, :60] = 1
    loads[0, 50:52] = 3  # a stretch too narrow for a number
    loads[1, 40:] = 7
    return plot_block_reads(loads, caption=CAPTION)


def test_stretches_are_drawn_where_they_lie():
    spans = [
        (round(box.x0), round(box.x1))
        for bars in drawn().collections
        for box in [bars.get_paths()[0].get_extents()]
    ]
    assert spans == [(0, 50), (50, 52), (52, 60), (40, 100)]


def test_what_is_read_again_is_hatched_and_numbered():
    ax = drawn()
    assert [bool(bars.get_hatch()) for bars in ax.collections] == [False, True, False, True]
    texts = [text.get_text() for text in ax.texts]
    assert texts == [
        "once each",
        "once each",
        "60 elements,\n64 reads",
        "7 times each",
        "60 elements,\n420 reads",
    ]


def test_it_is_readable():
    ax = drawn()
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


def test_nothing_read_is_an_empty_row():
    ax = plot_block_reads(np.zeros((1, 8), int), caption=CAPTION)
    assert not ax.collections
    assert "0 elements" in ax.texts[0].get_text()
