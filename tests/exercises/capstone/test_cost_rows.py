"""Rows of the bill's figure, where nothing at all is allowed, too."""

from __future__ import annotations

import pytest

from gpuedu.exercises.capstone.cost_rows import plot_bill, row_of
from gpuedu.exercises.capstone.limits import Limit
from gpuedu.figures.against_limits import CostRow
from tests.figures.legibility import overlapping_texts, texts_outside


@pytest.mark.parametrize(
    ("most", "before", "after", "multiples"),
    [(0, 5800, 0, (5801, 0)), (0, 0, 0, (0, 0)), (4, 24, 2, (6, 0.5)), (0, 3, 1, (4, 2))],
)
def test_a_cost_is_a_multiple_of_what_is_allowed(most, before, after, multiples):
    limit = Limit("name", "figure", "a cost", lambda needs: most)
    row = row_of(limit, None, {"figure": before}, {"figure": after})
    assert (row.before, row.after) == multiples
    assert row.allowed_text == f"at most {most}"


def test_a_program_that_was_not_changed_has_no_second_figure():
    limit = Limit("name", "figure", "a cost", lambda needs: 4)
    row = row_of(limit, None, {"figure": 8}, None)
    assert (row.before, row.after, row.after_text) == (2, None, "")


def test_the_longest_note_of_a_bill_fits():
    rows = [CostRow("a cost", 8.0, 0.0, "599 KiB", "0 B")] * 8
    counted = "Counted in training, on one device and on 2 simulated ranks, and in writing."
    ax = plot_bill(rows, counted, "faster")
    assert not texts_outside(ax) and not overlapping_texts(ax)
