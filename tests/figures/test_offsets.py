import math

import numpy as np

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.offsets import Offsets, plot_offsets
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption(title="rows", alt="lines", source="computed", x="c", y="result minus c")
X = tuple(map(float, range(-3, 4)))


def line(name, *y):
    return Offsets(name, X, y, style.BLUE)


def test_what_is_not_finite_becomes_a_cross_at_the_lower_edge():
    wild = line("wild", math.nan, math.inf, 2.0, 2.0, 2.0, 2.0, -math.inf)
    ax = plot_offsets([wild, line("flat", *[2.0] * 7)], level=2.0, caption=CAPTION)
    drawn, crosses, flat = ax.lines
    assert np.isnan(drawn.get_ydata()).tolist() == [True, True, *[False] * 4, True]
    assert crosses.get_xdata().tolist() == [-3.0, -2.0, 3.0]
    heights = crosses.get_transform().transform(crosses.get_xydata())[:, 1]
    bottom, top = (ax.transAxes.transform((0, part))[1] for part in (0, 0.1))
    assert (bottom < heights).all() and (heights < top).all()
    assert top < flat.get_transform().transform(flat.get_xydata())[:, 1].min()
    assert len(wild.finite) == 4


def test_a_value_far_away_lies_at_the_edge_and_all_is_readable():
    ax = plot_offsets([line("far", *[1e30] * 7)], level=0.0, caption=CAPTION)
    (drawn,) = ax.lines
    assert max(drawn.get_ydata()) < ax.get_ylim()[1]
    assert overlapping_texts(ax) == [] and texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
