from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gpuedu.figures import style
from gpuedu.figures.end_labels import EndLabel, spread, write_end_labels
from tests.figures.legibility import overlapping_texts

PLACES = st.lists(
    st.tuples(st.floats(-200, 200, width=32), st.floats(1, 30, width=32)), min_size=1, max_size=8
)


@given(PLACES)
def test_spread_labels_never_overlap_and_keep_their_order(pairs):
    wanted, heights = zip(*pairs, strict=True)
    centers = spread(wanted, heights)
    order = sorted(range(len(pairs)), key=lambda index: wanted[index])
    for below, above in pairwise(order):
        gap = centers[above] - centers[below]
        assert gap >= (heights[above] + heights[below]) / 2 - 1e-6


@given(PLACES)
def test_labels_that_fit_stay_where_they_want_to_be(pairs):
    heights = [height for _, height in pairs]
    wanted = [40.0 * place for place in range(len(pairs))]
    assert spread(wanted, heights) == wanted


def test_labels_of_curves_that_end_at_one_point_are_pushed_apart():
    ax = style.new_axes(2.5)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    write_end_labels(ax, [EndLabel(1, 0.5 + 0.001 * i, f"curve {i}", style.INK) for i in range(4)])
    assert overlapping_texts(ax) == []
    texts = sorted(ax.texts, key=lambda text: text.get_window_extent().y0)
    assert [text.get_text() for text in texts] == [f"curve {i}" for i in range(4)]
