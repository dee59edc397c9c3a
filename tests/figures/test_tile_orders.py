import numpy as np
import pytest

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.tile_orders import TileOrder, plot_tile_orders
from tests.figures.legibility import assert_fit_to_print

CAPTION = Caption(
    title="Tiles of c, and what the first 4 programs read for theirs",
    alt="row by row: 5 stripes, 2,560 bytes; yours: 4 stripes, 2,048 bytes from memory.",
    source="Counted",
)
ROWS = np.arange(12).reshape(3, 4)
SQUARE = np.array([[0, 2, 4, 6], [1, 3, 5, 7], [8, 9, 10, 11]])
NOBODY = np.full((3, 4), -1)


def order(program, rows=(0,), columns=(0, 1, 2, 3)):
    return TileOrder("yours", program, 4, rows, columns, "5 stripes: 2,560 bytes from memory")


def filled(ax, color):
    """Where patches of a color are, by their lower corner."""
    return {
        patch.get_xy()
        for patch in ax.patches
        if patch.get_facecolor()[:3] == pytest.approx(rgb(color), abs=1e-6)
    }


def rgb(color):
    return tuple(int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))


def test_the_first_programs_are_blue_and_their_stripes_orange():
    axes = plot_tile_orders([order(ROWS), order(SQUARE, (0, 1), (0, 1))], caption=CAPTION)
    assert filled(axes[0], style.BLUE) == {(0, 0), (1, 0), (2, 0), (3, 0)}
    assert filled(axes[1], style.BLUE) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert filled(axes[1], style.ORANGE) == {(-1.5, 0), (-1.5, 1), (0, -1.5), (1, -1.5)}


def test_a_path_goes_through_them_in_their_order():
    (ax,) = plot_tile_orders([order(SQUARE)], caption=CAPTION)
    (line,) = ax.lines
    assert line.get_xydata().tolist() == [[0.5, 0.5], [0.5, 1.5], [1.5, 0.5], [1.5, 1.5]]
    assert {"0", "3"} <= {text.get_text() for text in ax.texts}


@pytest.mark.parametrize("program", [ROWS, SQUARE, NOBODY, np.where(ROWS == 0, 0, -1)])
def test_any_order_is_readable(program):
    assert_fit_to_print(plot_tile_orders([order(ROWS), order(program)], caption=CAPTION))
