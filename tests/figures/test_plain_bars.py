"""Bars from 0: lengths, outlines, and texts that nothing crosses."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption(title="Rates", x="samples a second", source="Made up.", alt="Three bars.")
BARS = (
    PlainBar("1 rank", 100.0, "100"),
    PlainBar("2 ranks, weak", 180.0, "180, efficiency 90%", ideal=200.0),
    PlainBar("2 ranks, strong", 210.0, "210, efficiency 105%", ideal=200.0),
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def drawn(ax, gid):
    return [patch.get_width() for patch in ax.patches if patch.get_gid() == gid]


def test_lengths_are_values_from_0():
    ax = plot_plain_bars(BARS, caption=CAPTION)
    assert ax.get_xlim()[0] == 0
    assert ax.get_xscale() == "linear"
    assert drawn(ax, "value") == [210.0, 180.0, 100.0]
    assert drawn(ax, "ideal") == [200.0, 200.0]


def test_a_text_is_behind_bar_and_outline():
    ax = plot_plain_bars(BARS, caption=CAPTION)
    ends = {text.get_text(): text.xy[0] for text in ax.texts if hasattr(text, "xy")}
    assert ends["180, efficiency 90%"] == 200.0
    assert ends["210, efficiency 105%"] == 210.0
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []


def test_what_is_no_number_is_written_only():
    ax = plot_plain_bars([PlainBar("none", float("nan"), "not measured")], caption=CAPTION)
    assert drawn(ax, "value") == []
    assert ax.get_xlim() == (0, 1)
