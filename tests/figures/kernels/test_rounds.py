"""The picture of an exchange: a cell for each store, a line for each place that was read."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_rgba

from gpuedu.figures import style
from gpuedu.figures.kernels.rounds import plot_rounds
from gpuedu.lens.rounds import Exchange, Round, Store
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside


def exchange(rounds: int = 2, places: int = 32) -> Exchange:
    """Everybody writes its own; then in each round every thread takes from its left neighbor."""
    first = Round(0, tuple(Store(t, t, ()) for t in range(places)))
    later = [
        Round(k, tuple(Store(t, t, (t - 1, t) if t else (t,)) for t in range(places)))
        for k in range(1, rounds)
    ]
    return Exchange("part", places, 3, (first, *later))


def filled(ax, color) -> int:
    return sum(patch.get_facecolor() == to_rgba(color) for patch in ax.patches)


def colored(ax, color) -> int:
    return sum(line.get_color() == color for line in ax.lines)


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_lines_lead_from_what_was_read_and_others_stand_out():
    ax = plot_rounds(exchange(3))
    assert filled(ax, style.BLUE) == 3 * 32
    assert colored(ax, style.RED) == 2 * 31
    assert colored(ax, style.FAINT) == 2 * 32
    assert texts(ax)[-6:].count("31") == 2
    assert {"start", "round 1", "round 2", "written", "read"} <= set(texts(ax))


def test_one_place_that_all_have_read_is_said_and_not_drawn():
    spread = Round(1, tuple(Store(t, t, (0,)) for t in range(32)))
    ax = plot_rounds(Exchange("part", 32, 0, (exchange(1).rounds[0], spread)))
    assert "all of these have read part[0]" in texts(ax)
    assert len(ax.lines) == 0
    assert overlapping_texts(ax) == []


def test_a_second_store_before_the_next_barrier_is_of_the_same_round():
    first = exchange(1).rounds[0]
    one = Exchange("s", 32, 0, (first, Round(2, first.stores), Round(2, first.stores)))
    assert {"start", "round 1", "still round 1"} <= set(texts(plot_rounds(one)))


def test_a_line_ends_at_the_place_that_was_written():
    one = Exchange("s", 4, 0, (exchange(1, 4).rounds[0], Round(1, (Store(2, 0, (3,)),))))
    (line,) = plot_rounds(one).lines
    assert list(line.get_xdata()) == [3.5, 0.5]
    assert line.get_ydata()[0] < line.get_ydata()[1]


def test_a_place_that_nobody_wrote_is_empty():
    one = Exchange("s", 4, 0, (exchange(1, 4).rounds[0], Round(1, (Store(2, 0, (3,)),))))
    ax = plot_rounds(one)
    assert filled(ax, style.BLUE) == 5
    assert texts(ax).count("2") == 3  # the place, the thread that filled it, and the one that adds


def test_a_second_warp_has_another_color():
    ax = plot_rounds(Exchange("s", 32, 0, (Round(0, (Store(3, 3, ()), Store(35, 4, ()))),)))
    assert (filled(ax, style.BLUE), filled(ax, style.ORANGE)) == (1, 1)


@pytest.mark.parametrize(("rounds", "places"), [(1, 1), (2, 32), (6, 32), (12, 64)])
def test_it_can_be_read_at_any_size(rounds, places):
    ax = plot_rounds(exchange(rounds, places), kernel="a_kernel_with_a_long_name")
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8
    assert "part of block 3" in style.alt_text(ax)


def test_many_rounds_are_cut_and_counted():
    assert "... and 3 more rounds" in texts(plot_rounds(exchange(12)))
