"""Bars of parts: an outline of the ideal, and a text after both."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pytest

from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption(title="Tokens", x="share, %", source="Made up.", alt="Two bars.")
BARS = (
    Parts("token 0", {"kept": 25.0, "instead": 0.0}, "25%", ideal=25.0),
    Parts("token 1", {"kept": 10.0, "instead": 5.0}, "15%", is_right=False, ideal=30.0),
    Parts("token 2", {"kept": 40.0}, "40%", ideal=20.0),
    Parts("token 3", {"kept": 12.0}, "12%"),
)


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_the_ideal_is_outlined_where_there_is_one():
    ax = plot_parts(BARS, caption=CAPTION)
    outlines = [patch.get_width() for patch in ax.patches if patch.get_gid() == "ideal"]
    assert outlines == [20.0, 30.0, 25.0]


def test_a_text_comes_after_parts_and_outline():
    ax = plot_parts(BARS, caption=CAPTION)
    ends = {text.get_text(): text.xy[0] for text in ax.texts}
    assert ends == {"25%": 25.0, "15%": 30.0, "40%": 40.0, "12%": 12.0}
    assert ax.get_xlim()[1] > 40
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
