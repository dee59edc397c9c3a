"""Points in panels: named where there is room, and said in words where there is no number."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.spots import Spot, SpotPanel, plot_spots
from tests.figures.legibility import assert_fit_to_print

CAPTION = Caption(
    title="What it costs", source="Made up.", alt="A made-up picture for a test, " * 3
)


def panel(*spots, is_log=False):
    return SpotPanel("some", "bits", "loss", tuple(spots), is_log=is_log)


def written(axes):
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize("is_log", [False, True])
def test_points_are_named_and_rings_are_not(is_log):
    spots = (Spot("one", 4, 2.0), Spot("another", 8, 30.0), Spot("one", 4, 1.0, is_open=True))
    axes = plot_spots([panel(*spots, is_log=is_log), panel(spots[0])], caption=CAPTION)
    left, right = axes
    assert written(left) == ["one", "another"]
    assert written(right) == ["one"]
    assert_fit_to_print(axes)


def test_both_kinds_of_points_are_told_where_there_are_both():
    spots = (Spot("one", 4, 2.0), Spot("one", 4, 1.0, is_open=True))
    told = replace(panel(*spots), filled="with outliers", rings="without")
    left, right = plot_spots([told, panel(spots[0])], caption=CAPTION)
    assert [one.get_text() for one in left.get_legend().get_texts()] == ["with outliers", "without"]
    assert right.get_legend() is None


def test_names_keep_off_each_other():
    near = [Spot(f"one of several {n}", 4 + 0.05 * n, 2.0 + 0.01 * n) for n in range(4)]
    axes = plot_spots([panel(*near), panel(*near)], caption=CAPTION)
    assert written(axes[0])
    assert_fit_to_print(axes)


@pytest.mark.parametrize(("lost", "is_log"), [(math.nan, False), (math.inf, False), (0.0, True)])
def test_what_has_no_number_is_said(lost, is_log):
    whole = panel(Spot("one", 4, 2.0), Spot("another", 8, lost), is_log=is_log)
    nothing = panel(Spot("one", 4, math.nan), Spot("one", 4, math.nan, is_open=True))
    axes = plot_spots([whole, nothing], caption=CAPTION)
    assert "no number to draw:\nanother" in written(axes[0])
    assert written(axes[1]) == ["no number to draw:\none"]
    assert_fit_to_print(axes)
