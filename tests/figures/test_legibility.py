import pytest

from gpuedu.figures import style
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside


@pytest.fixture
def ax():
    ax = style.new_axes(2.0)
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    return ax


def test_two_texts_at_one_place_overlap(ax):
    ax.text(0.5, 0.5, "first")
    ax.text(0.51, 0.52, "second")
    assert overlapping_texts(ax) == [("first", "second")]


def test_texts_apart_and_tick_labels_do_not(ax):
    ax.text(0.1, 0.2, "first")
    ax.text(0.6, 0.8, "second")
    assert overlapping_texts(ax) == []


def test_an_arrow_across_a_text_is_no_overlap(ax):
    ax.text(0.5, 0.5, "between")
    ax.annotate("start", (0.9, 0.5), xytext=(0.1, 0.5), arrowprops={"arrowstyle": "->"})
    assert overlapping_texts(ax) == []


def test_a_text_beyond_the_edge_is_outside(ax):
    ax.text(0.99, 0.5, "much too long for the little that remains", in_layout=False)
    assert texts_outside(ax) == ["much too long for the little that remains"]


def test_a_text_inside_is_not_outside(ax):
    ax.text(0.2, 0.5, "inside")
    assert texts_outside(ax) == []


def test_the_smallest_text_counts_and_a_hidden_one_does_not(ax):
    ax.text(0.2, 0.5, "small", fontsize=6.5)
    ax.text(0.2, 0.5, "smaller", fontsize=3, visible=False)
    assert smallest_text_pt(ax) == 6.5


def test_labels_of_ticks_beyond_the_limits_are_not_counted(ax):
    ax.set_xticks([0.5, 40.0], ["half", "far away"])
    ax.set_xlim(0, 1)
    assert texts_outside(ax) == []
