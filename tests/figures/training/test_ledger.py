import math

import pytest

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import LedgerPair, plot_ledger
from gpuedu.figures.training.ledger import NOTHING
from gpuedu.units import MIB
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="ledgers", alt="pairs of bars", source="counted", x="memory")
ROWS = (
    LedgerPair("weights", 2 * MIB, 2 * MIB),
    LedgerPair("saved activations", 3 * MIB, 4 * MIB),
    LedgerPair("batch", 1030, 1000),
)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_each_pair_is_two_bars_from_top_to_bottom():
    ax = plot_ledger(ROWS, caption=CAPTION)
    widths = [round(bar.get_width(), 3) for bar in ax.patches]
    assert widths == [2, 2, 3, 4, 0.001, 0.001]
    assert [label.get_text() for label in ax.get_yticklabels()] == [row.name for row in ROWS]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    upper, lower = ax.patches[2:4]
    assert upper.get_y() < lower.get_y() and upper.get_hatch() and not lower.get_hatch()
    assert ax.get_xlabel() == "memory (MiB)"


def test_sizes_and_differences_are_told():
    ax = plot_ledger(ROWS, caption=CAPTION, tolerance=0.05)
    assert texts(ax) == [
        "2 MiB | 2 MiB   equal",
        "3 MiB | 4 MiB   -25%, beyond 5%",
        "1.01 KiB | 1000 B   +3%",
    ]
    assert [text.get_color() for text in ax.texts] == [style.INK, style.RED, style.INK]


def test_the_names_of_the_bars_can_be_others():
    ax = plot_ledger(ROWS, caption=CAPTION, names=("counted", "allocator"))
    keys = [text.get_text() for text in ax.get_legend().get_texts()]
    assert keys == ["counted (upper)", "allocator (lower)"]


@pytest.mark.parametrize("count", [1, 3, 20])
def test_it_can_be_read(count):
    rows = [
        LedgerPair(f"blocks.{i}.a_layer_with_a_name", 1.5e6 * i, 0 if i % 2 else 1e6 * i)
        for i in range(count)
    ]
    ax = plot_ledger(rows, caption=CAPTION, tolerance=0.05)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8


@pytest.mark.parametrize("size_bytes", [math.nan, math.inf, -4.0])
def test_a_size_that_cannot_be_drawn_is_said(size_bytes):
    ax = plot_ledger([LedgerPair("odd", size_bytes, 100)], caption=CAPTION, tolerance=0.05)
    assert texts(ax) == ["no size that can be drawn"] and len(ax.patches) == 0


def test_nothing_measured_is_said():
    assert texts(plot_ledger([LedgerPair("a", 8, 0)], caption=CAPTION)) == [
        "8 B | 0 B   measured: nothing"
    ]


def test_nothing_to_compare_is_said():
    assert texts(plot_ledger([], caption=CAPTION)) == [NOTHING]


def test_the_caption_is_written():
    ax = plot_ledger(ROWS, caption=CAPTION)
    assert ax.get_title(loc="left") == "ledgers"
    assert style.alt_text(ax) == "pairs of bars" and ax.figure.get_supxlabel() == "counted"


def test_it_draws_into_the_axes_it_is_given():
    ax = style.new_axes()
    assert plot_ledger(ROWS, caption=CAPTION, ax=ax) is ax
