import numpy as np

from gpuedu.figures.caption import Caption
from gpuedu.figures.flips import plot_flips

CAPTION = Caption(title="a title", alt="flips", source="a source", x="items")


def test_a_cell_is_dark_where_there_is_a_flip():
    flips = np.array([[True, False, True], [False, False, False]])
    ax = plot_flips([("first", flips), ("second", ~flips)], caption=CAPTION)
    colors = [patch.get_facecolor() for patch in ax.patches]
    dark = [color == colors[0] for color in colors]
    assert dark == [*flips.ravel(), *~flips.ravel()]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["worker 0", "worker 1"] * 2


def test_rows_can_be_named():
    flips = np.ones((2, 3), dtype=bool)
    ax = plot_flips([("first", flips), ("second", flips)], caption=CAPTION, rows=("a", "b"))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"] * 2
