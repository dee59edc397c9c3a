import math

import pytest

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import NOTHING, Curve, Level, Mark, plot_curves
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption(
    title="a title", alt="an alternative text", source="a source", x="x (s)", y="y (B)"
)
UP = Curve("up", (1.0, 10.0, 100.0), (2.0, 20.0, 200.0), style.BLUE)
FLAT = Curve("flat", (1.0, 10.0, 100.0), (3.0, 3.0, 3.0), style.RED)


def lines(ax):
    return [line for line in ax.lines if line.get_linestyle() == "-"]


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_lines_are_the_records():
    ax = plot_curves([UP, FLAT], caption=CAPTION)
    assert [tuple(line.get_ydata()) for line in lines(ax)] == [UP.y, FLAT.y]
    assert [tuple(line.get_xdata()) for line in lines(ax)] == [UP.x, FLAT.x]
    assert {line.get_marker() for line in lines(ax)} == {"o", "s"}
    assert texts(ax) == ["up", "flat"]


def test_the_caption_is_written():
    ax = plot_curves([UP], caption=CAPTION)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x (s)", "y (B)")
    assert ax.get_title(loc="left") == "a title"
    assert style.alt_text(ax) == "an alternative text"
    assert ax.figure.get_supxlabel() == "a source"


def test_points_that_a_logarithmic_axis_cannot_show_are_left_out():
    broken = Curve("broken", (1.0, 2.0, 3.0, 4.0), (5.0, math.nan, -1.0, 0.0), style.BLUE)
    ax = plot_curves([broken, UP], caption=CAPTION)
    single, whole = ax.lines
    assert list(single.get_ydata()) == [5.0]
    assert tuple(whole.get_ydata()) == UP.y


def test_a_line_with_gaps_is_broken_where_a_point_is_left_out():
    y = (5.0, math.nan, 7.0, 0.0, 9.0)
    broken = Curve("broken", (1.0, 2.0, 3.0, 4.0, 5.0), y, style.BLUE, has_gaps=True)
    (line,) = plot_curves([broken], caption=CAPTION).lines
    assert [math.isnan(value) for value in line.get_ydata()] == [False, True, False, True, False]
    assert line.get_markevery() is None


def test_a_curve_without_a_point_has_no_name():
    empty = Curve("empty", (1.0, 2.0), (math.nan, math.nan), style.BLUE)
    assert texts(plot_curves([empty, UP], caption=CAPTION)) == ["up"]


def test_no_curve_at_all_is_said():
    empty = Curve("empty", (1.0, 2.0), (math.nan, math.nan), style.BLUE)
    ax = plot_curves([empty], [Level("level", 30.0, style.RED, at_left=True)], caption=CAPTION)
    assert texts(ax) == [NOTHING, "level"]
    assert overlapping_texts(ax) == []


def test_levels_are_named_and_lie_within_the_axis():
    ax = plot_curves([UP], [Level("roof", 5000.0, style.RED)], caption=CAPTION)
    assert "roof" in texts(ax)
    assert ax.get_ylim()[0] < 2.0 and ax.get_ylim()[1] > 5000.0


@pytest.mark.parametrize("y", [math.nan, 0.0, -3.0])
def test_a_level_or_mark_that_cannot_be_shown_is_left_out(y):
    ax = plot_curves([UP], [Level("roof", y, style.RED)], [Mark("here", 5.0, y)], caption=CAPTION)
    assert texts(ax) == ["up"]


def test_marks_widen_the_axis_to_be_seen():
    ax = plot_curves([UP], marks=[Mark("far", 1e5, 1e6)], caption=CAPTION)
    assert ax.get_xlim()[1] > 1e5 and ax.get_ylim()[1] > 1e6


def test_it_draws_into_the_axes_it_is_given():
    ax = style.new_axes()
    assert plot_curves([UP], caption=CAPTION, ax=ax) is ax


def test_a_curve_over_sixty_decades_has_few_ticks_and_no_overlap():
    wild = Curve("wild", (1.0, 2.0, 3.0), (1e-29, 1.0, 1e29), style.BLUE)
    ax = plot_curves([wild], caption=CAPTION)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
