import math

from gpuedu.figures import style
from gpuedu.figures.bit_fields import BitFields, plot_bit_fields
from gpuedu.figures.caption import Caption
from gpuedu.figures.paths import Path, plot_paths
from tests.figures.legibility import overlapping_texts, texts_outside

CAPTION = Caption("Where it goes", "two paths", "computed here", x="step", y="value")
UP = Path("up", (0.0, 1.0, 2.0), (0.0, 1.0, 2.0), style.BLUE)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_paths_are_drawn_and_named_at_their_ends():
    aim = Path("aim", (0.0, 2.0), (0.0, 3.0), style.INK, aim=True)
    ax = plot_paths([UP, aim], caption=CAPTION)
    assert [list(line.get_ydata()) for line in ax.lines] == [[0, 1, 2], [0, 3]]
    assert texts(ax) == ["up", "aim"]
    assert ax.lines[1].get_zorder() < ax.lines[0].get_zorder()
    assert ax.lines[1].get_linewidth() > 3 * ax.lines[0].get_linewidth()


def test_what_is_not_finite_is_left_out_and_said():
    lost = Path("lost", (0.0, 1.0), (math.nan, math.inf), style.RED)
    ax = plot_paths([UP, lost], caption=CAPTION)
    assert len(ax.lines) == 1
    assert texts(ax) == ["up", "lost: no number"]


def test_a_path_that_leaves_the_axes_keeps_its_name_inside():
    far = Path("far", (0.0, 2.0), (0.0, 1e30), style.RED)
    ax = plot_paths([UP, far], caption=CAPTION, y_limits=(0, 3))
    assert ax.get_ylim() == (0, 3)
    assert texts_outside(ax) == [] and overlapping_texts(ax) == []


def test_a_figure_of_nothing_is_still_a_figure():
    assert plot_paths([], caption=CAPTION).get_xlim() == (0, 1)


def test_bits_are_drawn_one_square_each():
    rows = [BitFields("fp16", 5, 10, "half"), BitFields("e4m3", 4, 3)]
    ax = plot_bit_fields(rows, caption=Caption("Bits", "squares", "by hand"))
    assert rows[0].letters == "SEEEEEMMMMMMMMMM"
    assert len(ax.patches) == 16 + 8
    assert {"fp16", "e4m3", "half"} <= set(texts(ax))
    assert texts_outside(ax) == []
