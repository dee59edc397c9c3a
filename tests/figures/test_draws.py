import numpy as np
from matplotlib.patches import Rectangle

from gpuedu.figures.caption import Caption
from gpuedu.figures.draws import MOST, plot_draws
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption(title="a title", alt="draws", source="a source", x="draws")


def cells(ax):
    return [one for one in ax.patches if isinstance(one, Rectangle)]


def test_a_sample_that_was_drawn_before_is_striped():
    ax = plot_draws([("epoch 0", [[3, 1], [2, 3]]), ("epoch 1", [[3], [1]])], caption=CAPTION)
    assert [bool(one.get_hatch()) for one in cells(ax)] == [False, False, False, True, False, False]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["rank 0", "rank 1"] * 2


def test_ranks_draw_side_by_side():
    ax = plot_draws([("", [[1, 2], [2, 1]])], caption=CAPTION)
    assert [bool(one.get_hatch()) for one in cells(ax)] == [False, True, False, True]


def test_what_has_no_room_is_counted():
    rows = [list(range(MOST + 7)), []]
    ax = plot_draws([("long", rows)], caption=CAPTION)
    assert len(cells(ax)) == MOST
    assert "+7" in [text.get_text() for text in ax.texts]
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []


def test_numbers_stand_in_their_cells():
    ax = plot_draws([("one", np.array([[4, 5]]).tolist())], caption=CAPTION)
    assert [text.get_text() for text in ax.texts] == ["one", "4", "5"]
