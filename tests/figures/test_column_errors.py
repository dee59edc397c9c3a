"""Errors by column: on one scale, with the group of the marked column told apart."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_hex

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.column_errors import ColumnErrors, plot_column_errors
from tests.figures.legibility import assert_fit_to_print

CAPTION = Caption(
    title="Errors", x="column", y="error", source="Made up.", alt="A made-up picture " * 5
)


def draw(*panels, marked=5):
    return plot_column_errors(panels, marked=marked, mark="the marked one", caption=CAPTION)


def colors(ax):
    return [to_hex(bar.get_facecolor()) for bar in ax.patches]


def test_bars_of_all_panels_share_their_scale():
    small, large = np.array([0.1, -0.2] * 4), np.linspace(0, 3, 8)
    axes = draw(ColumnErrors("small", small, 8), ColumnErrors("large", large, 4))
    assert [bar.get_height() for bar in axes[0].patches] == np.abs(small).tolist()
    assert axes[0].get_ylim() == axes[1].get_ylim()
    assert colors(axes[0]) == [style.ORANGE] * 8
    assert colors(axes[1]) == [style.BLUE] * 4 + [style.ORANGE] * 4
    assert_fit_to_print(axes)


def test_errors_that_are_no_number_are_counted():
    errors = np.array([np.nan, np.inf, 1.0, 2.0] * 32)
    axes = draw(
        ColumnErrors("lost", errors, 64), ColumnErrors("kept", np.zeros(128), 64), marked=100
    )
    assert [text.get_text() for text in axes[0].texts] == [
        "the marked one",
        "64 of 128 errors\nare not finite numbers",
    ]
    assert len(axes[1].texts) == 1
    assert_fit_to_print(axes)
