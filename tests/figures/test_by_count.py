import math

import pytest

from gpuedu.figures import style
from gpuedu.figures.by_count import NOTHING, CountLine, plot_by_count
from gpuedu.figures.caption import Caption

CAPTION = Caption(title="a title", alt="lines", source="a source", x="workers", y="rate")


def test_lines_have_their_points_and_names():
    line = CountLine("mine", (0, 1, 2), (1.0, math.nan, 4.0), style.BLUE)
    ax = plot_by_count([line], caption=CAPTION)
    assert list(ax.lines[0].get_xdata()) == [0, 2]
    assert [text.get_text() for text in ax.texts] == ["mine"]
    assert ax.get_ylim()[0] == 0


def test_dots_are_rings_without_a_line():
    ax = plot_by_count([CountLine("", (1, 2), (3.0, 3.0), style.RED, dots=True)], caption=CAPTION)
    assert ax.lines[0].get_linestyle() == "None"
    assert ax.lines[0].get_fillstyle() == "none"


def test_a_mark_falls_from_its_value_to_the_axis():
    line = CountLine("mine", (1, 2, 3), (1.0, 4.0, 4.0), style.BLUE, mark=2.0)
    (fallen,) = plot_by_count([line], caption=CAPTION).collections
    assert fallen.get_segments()[0].tolist() == [[2, 0], [2, 4]]
    nowhere = CountLine("mine", (1, 2), (1.0, 4.0), style.BLUE, mark=math.nan)
    assert not plot_by_count([nowhere], caption=CAPTION).collections


@pytest.mark.parametrize("value", [math.nan, -1.0, math.inf, 1e300])
def test_without_a_point_it_says_so(value):
    ax = plot_by_count([CountLine("mine", (1, 2), (value, value), style.BLUE)], caption=CAPTION)
    assert [text.get_text() for text in ax.texts] == [NOTHING]


def test_a_signed_line_goes_below_0():
    line = CountLine("mine", (0, 1, 2), (1.0, -2.0, -math.inf), style.BLUE, signed=True)
    ax = plot_by_count([line], caption=CAPTION)
    assert list(ax.lines[0].get_ydata()) == [1.0, -2.0]
    assert ax.get_ylim()[0] < -2
