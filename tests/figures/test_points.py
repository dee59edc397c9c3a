"""Points with names, and bars of parts: the records are drawn, texts do not overlap."""

from __future__ import annotations

import math

from gpuedu.figures.caption import Caption
from gpuedu.figures.points import Point, Ratio, plot_points
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.figures.style import alt_text
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption(title="a title", alt="an alternative text", source="a source", x="x", y="y")
POINTS = [
    Point("first", 1.0, 10.0, "one"),
    Point("second", 100.0, 20.0, "other"),
    Point("told", 100.0, 21.0, "other", is_told=True),
    Point("on the same place", 100.0, 20.5, "other"),
    Point("nowhere", math.inf, 1.0, "one"),
    Point("below", 1.0, 0.0, "one"),
]


def draw(points=POINTS, ratios=(), **options):
    write = {"format_x": lambda x: f"{x:g}", "format_y": lambda y: f"{y:g}"}
    return plot_points(points, ratios, caption=CAPTION, **write, **options)


def test_what_is_finite_and_positive_is_drawn_by_kind():
    ax = draw()
    drawn = {line.get_label(): sorted(line.get_xdata()) for line in ax.lines}
    assert drawn["one"] == [1.0]
    assert drawn["other"] == [100.0, 100.0, 100.0]
    assert alt_text(ax) == "an alternative text"


def test_a_told_point_keeps_its_name_and_names_do_not_overlap():
    ax = draw()
    assert "told" in [text.get_text() for text in ax.texts]
    assert not overlapping_texts(ax)
    assert not texts_outside(ax)


def test_a_ratio_is_a_line_of_that_slope():
    ax = draw(ratios=[Ratio("ten", 10.0)])
    (line,) = [line for line in ax.lines if line.get_linestyle() == ":"]
    x, y = line.get_data()
    assert y[1] / x[1] == 10.0


def test_years_are_on_a_plain_axis_and_nothing_is_said():
    assert draw(is_x_linear=True).get_xscale() == "linear"
    assert [text.get_text() for text in draw([]).texts] == ["Nothing to draw yet."]


def test_parts_stand_one_after_another_and_add_up():
    bars = [Parts("a", {"x": 1.0, "y": 2.0}, "three"), Parts("b", {"y": 4.0, "x": math.nan})]
    ax = plot_parts(bars, [("a line", 3.5)], caption=CAPTION)
    found = [
        (patch.get_gid(), patch.get_x(), patch.get_width())
        for patch in ax.patches
        if patch.get_gid()
    ]
    assert sorted(found) == [("x", 0.0, 1.0), ("y", 0.0, 4.0), ("y", 1.0, 2.0)]
    assert bars[1].total == 4.0
    assert {"three", " a line"} <= {text.get_text() for text in ax.texts}
    assert not texts_outside(ax)


def test_a_name_stays_inside_the_axes_and_beside_its_own_marker():
    ax = draw([Point("a name that is long", 1.0, 10.0, "one"), Point("b", 1.2, 10.0, "one")])
    names = [text for text in ax.texts if text.get_text()]
    for text in names:
        box = text.get_window_extent()
        assert ax.bbox.x0 < box.x0 < box.x1 < ax.bbox.x1
        for line in ax.lines:
            for x, y in ax.transData.transform(line.get_xydata()):
                assert not (box.x0 < x < box.x1 and box.y0 < y < box.y1)


def test_no_text_behind_a_bar_is_on_a_line_and_names_of_lines_are_above_the_next():
    bars = [Parts("a", {"x": 10.0}, "a text as wide as this"), Parts("b", {"x": 30.0}, "b")]
    ax = plot_parts(bars, [("first", 12.0), ("a second", 13.0)], caption=CAPTION)
    ax.figure.canvas.draw()
    for text in ax.texts:
        box = text.get_window_extent()
        for line in ax.lines:
            (x, low), (_, high) = ax.transData.transform(line.get_xydata())
            assert not (box.x0 + 6 < x < box.x1 and low < box.y1 and box.y0 < high), text
