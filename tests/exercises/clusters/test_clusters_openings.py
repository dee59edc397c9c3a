"""What the lessons open with: legible, and true to the exercises that they lead to."""

from __future__ import annotations

from gpuedu.exercises.clusters.opening_pictures import draw_queue, draw_weight
from gpuedu.figures.style import alt_text
from tests.figures.legibility import assert_fit_to_print


def test_the_first_image_carries_far_more_than_the_program():
    ax = draw_weight()
    widths = [bar.get_width() for bar in ax.patches]
    assert max(widths) > 100_000 * min(widths)
    assert "your program 0.1 MB" in alt_text(ax)
    assert_fit_to_print(ax)


def test_two_nodes_are_free_for_four_hours():
    ax = draw_queue()
    assert {round(bar.get_y() + bar.get_height() / 2) for bar in ax.patches} == {1, 2, 3, 4}
    assert max(bar.get_width() for bar in ax.patches) == 4
    assert_fit_to_print(ax)
