"""The model against what others measured: within a quarter, or with the reason why not."""

from __future__ import annotations

from collections import Counter

import pytest

from gpuedu.multi.network.published import load_figures, predict

FIGURES = load_figures()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda one: f"{one.system}-{one.collective}")
def test_a_figure_is_met_within_a_quarter_or_says_why_not(figure):
    error = predict(figure) / figure.bytes_per_s - 1
    assert abs(error) <= (0.02 if figure.is_fitted else 0.25) or figure.reason
    assert not figure.reason or abs(error) > 0.2
    assert "https://" in figure.source


def test_most_systems_are_predicted_beyond_what_was_fitted():
    predicted = Counter(
        one.system for one in FIGURES if not one.is_fitted and not one.reason and one.size_bytes
    )
    assert len(predicted) >= 5 and sum(predicted.values()) >= 25
    fitted = Counter(one.system for one in FIGURES if one.is_fitted)
    assert set(fitted.values()) == {1}


def test_an_all_to_all_slows_down_with_the_nodes_as_measured():
    rows = [
        one for one in FIGURES if one.collective == "all_to_all" and one.size_bytes == 2 * 2**30
    ]
    assert [one.shape[0] for one in rows] == [2, 4, 8, 16, 32]
    for one in rows:
        assert predict(one) == pytest.approx(one.bytes_per_s, rel=0.1)
