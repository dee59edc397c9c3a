"""Rows of pictures: where pixels, frames and notes lie."""

import numpy as np
import pytest

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.picture_rows import Picture, plot_picture_rows
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="What came out", alt="two rows of pictures", source="drawn here")
PIXELS = np.arange(20 * 10 * 3, dtype=np.uint8).reshape(20, 10, 3)


def frames(ax):
    return [patch for patch in ax.patches if patch.get_edgecolor()[:2] == (0xF0 / 255, 0xE4 / 255)]


def test_pictures_of_a_row_lie_beside_each_other_and_rows_below():
    rows = [("given", [Picture(PIXELS)] * 3), ("yours", [Picture(PIXELS)] * 2)]
    ax = plot_picture_rows(rows, caption=CAPTION)
    boxes = [image.get_extent() for image in ax.images]
    assert [round(left, 2) for left, *_ in boxes] == [0, 1.1, 2.2, 0, 1.1]
    assert [round(top, 2) for *_, top in boxes] == [0, 0, 0, -1.1, -1.1]
    assert {"given", "yours"} <= {text.get_text() for text in ax.texts}


def test_a_frame_counts_rows_from_the_top_of_its_picture():
    ax = plot_picture_rows([("a", [Picture(PIXELS, frame=(5, 2, 4))])], caption=CAPTION)
    (frame,) = frames(ax)
    assert frame.get_xy() == pytest.approx((0.2, -(5 + 4) / 20))
    assert (frame.get_width(), frame.get_height()) == pytest.approx((4 / 10, 4 / 20))


def test_a_marked_picture_is_told_by_its_note_and_an_edge():
    pictures = [Picture(PIXELS, note="right"), Picture(PIXELS, note="not so", is_marked=True)]
    ax = plot_picture_rows([("yours", pictures)], caption=CAPTION)
    colors = {text.get_text(): text.get_color() for text in ax.texts}
    assert (colors["right"], colors["not so"]) == (style.QUIET, style.RED)
    widths = [patch.get_linewidth() for patch in ax.patches]
    assert widths[1] > widths[0]


def test_it_is_legible_at_notebook_width():
    rows = [("picture\nand crop", [Picture(PIXELS, (0, 0, 10), "to mirror")] * 8)] * 2
    ax = plot_picture_rows(rows, caption=CAPTION)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
