"""Trials under a budget: bars that add up, names that are whole, keys of what is there."""

from __future__ import annotations

import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.style import alt_text, to_png
from gpuedu.figures.training.trials import NOTHING, TrialBar, plot_trials
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption("Trials", "bars", "made up", x="batch", y="memory")
NAMES = {"held": "model", "left": "left behind", "added": "step", "refused": "refused"}


def draw(bars):
    return plot_trials(bars, caption=CAPTION, budget_bytes=1000, names=NAMES)


def test_a_bar_is_as_high_as_its_parts_together():
    bars = [TrialBar("1", 400, 0, 100), TrialBar("64", 400, 300, 200, 250)]
    ax = draw(bars)
    tops = {}
    for patch in ax.patches:
        place = round(patch.get_x() + patch.get_width() / 2)
        tops[place] = max(tops.get(place, 0), patch.get_y() + patch.get_height())
    assert tops == {0: pytest.approx(bars[0].top), 1: pytest.approx(bars[1].top)}
    assert alt_text(ax) == "bars"


def test_what_no_trial_has_is_not_in_the_key():
    ax = draw([TrialBar("1", 400, 0, 100)])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["model", "step"]


@pytest.mark.parametrize("count", [1, 10, 40, 400])
def test_names_have_room_and_the_last_is_among_them(count):
    ax = draw([TrialBar(f"{n + 1000}", 400, 0, 100 + n) for n in range(count)])
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names[-1] == f"{count + 999}"
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []


def test_without_a_trial_it_says_so():
    ax = draw([])
    assert NOTHING in [text.get_text() for text in ax.texts]
    assert len(to_png(ax)) > 5_000
