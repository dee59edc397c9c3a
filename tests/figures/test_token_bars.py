"""Bars of tokens: the model's behind, those of the settings in front, on one scale."""

from __future__ import annotations

import numpy as np

from gpuedu.figures.caption import Caption
from gpuedu.figures.token_bars import TokenPanel, plot_token_bars
from tests.figures.legibility import assert_fit_to_print

CAPTION = Caption(
    title="What is left",
    x="token",
    y="probability",
    source="Made up.",
    alt="A made-up picture " * 5,
)
MODEL = np.array([0.5, 0.3, 0.1, 0.05])


def panel(title, model, **left):
    named = {name: (np.array(p), f"{name} keeps some") for name, p in left.items()}
    return TokenPanel(title, tuple("abcd"), model, named)


def heights(ax):
    return [bar.get_height() for bar in ax.patches]


def test_bars_are_the_probabilities_on_one_scale():
    first = panel("one", MODEL, p=[0.6, 0.4, 0, 0], k=[1.0, 0, 0, 0])
    axes = plot_token_bars([first, panel("two", MODEL / 2, p=MODEL / 2)], caption=CAPTION)
    assert heights(axes[0]) == [*MODEL, 0.6, 0.4, 0, 0, 1.0, 0, 0, 0]
    assert heights(axes[1]) == [*(MODEL / 2), *(MODEL / 2)]
    assert axes[0].get_ylim() == axes[1].get_ylim()
    assert axes[0].get_ylim()[1] > 1.0
    told = [text.get_text() for text in axes[0].get_legend().get_texts()]
    assert told == ["the model's own", "p keeps some", "k keeps some"]
    assert_fit_to_print(axes)


def test_what_is_no_probability_has_no_bar():
    lost = panel("one", MODEL, p=[np.nan, -1.0, np.inf, 0.2])
    axes = plot_token_bars([lost, lost], caption=CAPTION)
    assert heights(axes[1]) == [*MODEL, 0, 0, 0, 0.2]
    assert_fit_to_print(axes)
