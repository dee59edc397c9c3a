import math

import pytest

from gpuedu.figures.bars import NO_VALUE, Bar, plot_bars
from gpuedu.figures.caption import Caption
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption(title="a title", alt="bars", source="a source", x="time (ns)")


def dots(ax):
    return [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]


def test_dots_are_at_their_values_from_top_to_bottom():
    ax = plot_bars([Bar("a", 3.0, "3 ns"), Bar("b", 500.0, "500 ns")], caption=CAPTION)
    assert dots(ax) == pytest.approx([500.0, 3.0])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "a"]
    assert [text.get_text() for text in ax.texts] == ["500 ns", "3 ns"]


def test_a_range_is_a_line_between_two_dots():
    ax = plot_bars([Bar("dram", 1300.0, "1,300 to 2,600", until=2600.0)], caption=CAPTION)
    assert dots(ax) == pytest.approx([1300.0, 2600.0])
    assert [1300.0, 2600.0] in [list(line.get_xdata()) for line in ax.lines]


def test_what_is_hatched_is_hollow():
    ax = plot_bars([Bar("a", 3.0, "3"), Bar("b", 5.0, "5", hatch="///")], caption=CAPTION)
    hollow, full = (line.get_markerfacecolor() for line in ax.lines)
    assert hollow != full


@pytest.mark.parametrize("value", [math.nan, 0.0, -1.0])
def test_a_value_that_cannot_be_drawn_is_said(value):
    ax = plot_bars([Bar("a", value, "?"), Bar("b", 2.0, "2 ns")], caption=CAPTION)
    assert len(dots(ax)) == 1
    assert NO_VALUE in [text.get_text() for text in ax.texts]


def test_without_any_value_it_is_drawn_all_the_same():
    ax = plot_bars([Bar("a", math.nan, "?")], caption=CAPTION)
    assert [text.get_text() for text in ax.texts] == [NO_VALUE]


@pytest.mark.parametrize("decades", [0, 1, 3, 9, 25])
def test_long_texts_stay_inside_whatever_the_values(decades):
    bars = [
        Bar("a name of some length", 1.0, "a text that is rather long, 100 times"),
        Bar("b", 10.0**decades, "another text that is rather long, 100 times"),
    ]
    ax = plot_bars(bars, caption=CAPTION)
    assert texts_outside(ax) == [] and overlapping_texts(ax) == []
    for text in ax.texts:
        assert text.get_window_extent().x1 <= ax.get_window_extent().x1 + 4


def test_two_figures_share_an_axis_that_is_given_and_no_dot_is_cut():
    for value, expected in ((3.0, (1.0, 100.0)), (50.0, (1.0, 100.0))):
        ax = plot_bars([Bar("a", value, "")], caption=CAPTION, limits=(1.0, 100.0))
        assert ax.get_xlim() == pytest.approx(expected)
    ax = plot_bars(
        [Bar("a", 0.1, "0.1"), Bar("b", 1e4, "1e4")], caption=CAPTION, limits=(1.0, 100.0)
    )
    assert ax.get_xlim()[0] < 0.1
    assert ax.get_xlim()[1] > 1e4
    assert texts_outside(ax) == []
