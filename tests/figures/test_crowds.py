"""Crowds of points: what fits is told apart, and what is marked is named below."""

from __future__ import annotations

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.crowds import Mark, Spot, plot_crowd
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption(title="a title", alt="an alternative text", source="a source", x="x", y="y")
SPOTS = [Spot(1.0, 10.0), Spot(5.0, 20.0), Spot(8.0, 2.0)]


def draw(*marks):
    write = {"format_x": lambda x: f"{x:g}", "format_y": lambda y: f"{y:g}"}
    return plot_crowd(SPOTS, marks, 5.0, "5 GB", caption=CAPTION, **write)


def test_points_up_to_the_limit_fit_and_the_line_is_there():
    ax = draw()
    drawn = {line.get_label(): sorted(line.get_xdata()) for line in ax.lines}
    assert drawn["fits (2)"] == [1.0, 5.0]
    assert drawn["does not fit (1)"] == [8.0]
    assert [5.0, 5.0] in [list(line.get_xdata()) for line in ax.lines]


def test_marks_are_told_below_and_the_axes_stay():
    plain, marked = draw(), draw(Mark("best", SPOTS[0]), Mark("yours: 8", Spot(90.0, 90.0)))
    assert plain.get_xlim() == marked.get_xlim()
    assert plain.get_ylim() == marked.get_ylim()
    assert [text.get_text() for text in marked.get_legend().get_texts()][2:] == [
        "5 GB",
        "best",
        "yours: 8",
    ]
    assert not overlapping_texts(marked)
    assert not texts_outside(marked)


def test_a_wrong_mark_is_red_and_one_without_a_place_only_named():
    ax = draw(Mark("best", SPOTS[0]), Mark("yours: no plan", None, is_wrong=True))
    (ring,) = [line for line in ax.lines if line.get_label() == "yours: no plan"]
    assert ring.get_color() == style.RED
    assert len(ring.get_xdata()) == 0
