import math

import pytest

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import plot_surface
from gpuedu.figures.training.surface import level_of
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="times", alt="a grid", source="computed", x="rate", y="batch")
ROWS = [[8.0, 4.0, 2.0, math.inf], [6.0, 3.0, 2.4, math.inf], [9.0, 5.0, math.inf, math.inf]]
NAMES = (["8", "16", "32"], ["0.1", "0.2", "0.4", "0.8"])


def draw(tries=(), chosen=None, rows=ROWS, names=NAMES, **options):
    return plot_surface(rows, tries, chosen, names=names, caption=CAPTION, **options)


def faces(ax):
    return {
        (round(p.get_y() + 0.5), round(p.get_x() + 0.5)): p
        for p in ax.patches
        if p.get_fill() and p.get_width() == 1
    }


def numbers(ax):
    return {
        (round(t.get_position()[1]), round(t.get_position()[0])): t.get_text() for t in ax.texts
    }


def test_cells_are_shaded_by_how_far_they_are_from_the_least():
    cells = faces(draw())
    assert len(cells) == 12
    shade = {place: cell.get_facecolor() for place, cell in cells.items()}
    assert shade[0, 2] == shade[1, 2], "2.0 and 2.4 are both within 1.25x"
    assert len({shade[place] for place in ((0, 2), (1, 1), (0, 1), (1, 0), (0, 0), (0, 3))}) == 4
    assert cells[0, 3].get_hatch() and not cells[0, 0].get_hatch()


@pytest.mark.parametrize(
    ("ratio", "level"), [(1.0, 0), (1.25, 0), (1.26, 1), (2.0, 1), (4.1, 3), (math.nan, None)]
)
def test_the_levels(ratio, level):
    assert level_of(ratio) == level


def test_tries_are_numbered_in_order_and_the_choice_is_framed():
    ax = draw([(0, 0), (1, 2), (0, 0), (2, 3)], (1, 2))
    assert numbers(ax) == {(0, 0): "1", (1, 2): "2", (2, 3): "4"}
    (frame,) = (p for p in ax.patches if not p.get_fill())
    assert (frame.get_x(), frame.get_y()) == (1.5, 0.5)


def test_nothing_that_is_finite_is_drawn_too():
    ax = draw([(0, 0)], (0, 0), rows=[[math.inf, math.inf]], names=(["8"], ["1", "2"]))
    assert all(cell.get_hatch() for cell in faces(ax).values())


def test_it_can_be_read_and_draws_where_it_is_told():
    place = style.new_axes(3.0)
    assert draw(ax=place) is place
    wide = [[float(1 + i + j) for j in range(12)] for i in range(8)]
    tries = [(i, j) for i in range(8) for j in range(12)]
    names = ([str(2**i) for i in range(8)], [f"{2.0**j:g}" for j in range(12)])
    ax = draw(tries, (0, 0), rows=wide, names=names)
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert style.alt_text(ax) == "a grid"


def test_the_legend_may_be_left_to_a_neighbor():
    assert len(draw().figure.legends) == 1
    assert draw(has_legend=False).figure.legends == []
