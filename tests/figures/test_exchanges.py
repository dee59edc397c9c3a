import numpy as np
import pytest
import torch
import torch.distributed as dist

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.exchanges import MOST_ARROWS, NOTHING, plot_exchanges, plot_links
from gpuedu.multi import run_light
from gpuedu.multi.exchanges import Exchange
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

CAPTION = Caption("Who sends", "ranks send", "simulated", x="simulated time")


def exchange_in_a_ring(count, rounds=1):
    def body():
        rank, ranks = dist.get_rank(), dist.get_world_size()
        given, got = torch.zeros(count), torch.zeros(count)
        for _ in range(rounds):
            sending = dist.isend(given, (rank + 1) % ranks)
            dist.recv(got, (rank - 1) % ranks)
            sending.wait()

    return body


def pair(kind_times):
    """A send of rank 0 and its receive by rank 1, with (posted, start, end) of each."""
    send, receive = kind_times
    return [Exchange(0, "send", 1, 1000, *send), Exchange(1, "recv", 0, 1000, *receive)]


def bars(ax):
    """Start, width and color of every bar."""
    return {
        (round(p.get_x(), 6), round(p.get_width(), 6), round(p.get_y() + p.get_height() / 2))
        for p in ax.patches
        if p.get_width()
    }


def arrows(ax):
    return [text for text in ax.texts if getattr(text, "arrow_patch", None) is not None]


def texts(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def keys(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_bar_lies_in_the_row_of_its_rank_and_a_wait_before_it():
    late = 0.0, 2e-6, 5e-6
    ax = plot_exchanges(pair([(2e-6, 2e-6, 5e-6), late]), caption=CAPTION)
    assert bars(ax) == {(2, 3, 0), (2, 3, 1), (0, 2, 1)}
    assert [label.get_text() for label in ax.get_yticklabels()] == ["rank 0", "rank 1"]
    low, high = ax.get_ylim()
    assert low > high, "rank 0 should be on top"
    assert keys(ax) == ["sends", "receives", "called, not yet moving"]
    assert ax.get_xlabel() == "simulated time (µs)"


def test_an_arrow_goes_from_the_begin_of_a_send_to_the_end_of_its_receive():
    ax = plot_exchanges(pair([(0, 0, 4e-6), (0, 0, 5e-6)]), caption=CAPTION)
    (arrow,) = arrows(ax)
    assert (arrow.xyann[0], arrow.xy[0]) == pytest.approx((0, 5))
    assert arrow.xyann[1] < arrow.xy[1], "it goes down, from rank 0 to rank 1"


def test_messages_between_two_ranks_are_paired_in_order():
    first, second = (0, 0, 2e-6), (0, 2e-6, 4e-6)
    run = [*pair([first, first]), *reversed(pair([second, second]))]
    ax = plot_exchanges(run, caption=CAPTION)
    found = sorted((one.xyann[0], one.xy[0]) for one in arrows(ax))
    assert np.allclose(found, [(0, 2), (2, 4)])


def test_bytes_are_written_where_there_is_room():
    said = texts(plot_exchanges(pair([(0, 0, 4e-6)] * 2), caption=CAPTION))
    assert said == ["1000 B to 1", "1000 B from 0"]
    narrow = [*pair([(0, 0, 1e-6)] * 2), Exchange(0, "barrier", None, 0, 0, 99e-6, 100e-6)]
    assert not texts(plot_exchanges(narrow, caption=CAPTION))


def test_sends_that_are_under_way_together_lie_below_each_other():
    both = [Exchange(0, "send", peer, 8, 0.0, 0.0, 1e-6) for peer in (1, 2)]
    ax = plot_exchanges(both, caption=CAPTION)
    first, second = (p for p in ax.patches if p.get_width())
    assert abs(first.get_y() - second.get_y()) >= first.get_height()


def test_a_collective_fills_the_row_and_is_named():
    run = run_light(lambda: dist.all_reduce(torch.zeros(250)), 3)
    ax = plot_exchanges(run.exchanges, caption=CAPTION)
    assert texts(ax) == ["all_reduce 1000 B"] * 3 and not arrows(ax)


def test_arrows_are_left_out_where_they_would_be_a_thicket():
    run = run_light(exchange_in_a_ring(4, rounds=1 + MOST_ARROWS // 4), 4)
    assert not arrows(plot_exchanges(run.exchanges, caption=CAPTION))


def test_a_rank_that_did_nothing_has_a_row_and_an_empty_run_says_so():
    ax = plot_exchanges([], caption=CAPTION, ranks=3)
    assert len(ax.get_yticks()) == 3 and texts(ax) == [NOTHING]


def test_figures_of_runs_can_be_read():
    for ranks, rounds in ((4, 3), (8, 7), (16, 15)):
        run = run_light(exchange_in_a_ring(1000, rounds), ranks)
        for ax in (
            plot_exchanges(run.exchanges, caption=CAPTION),
            plot_links(run.exchanges, ranks=ranks, caption=CAPTION),
        ):
            assert not overlapping_texts(ax) and not texts_outside(ax)
            assert smallest_text_pt(ax) >= 7


def test_a_table_counts_sends_by_link_and_sums_them_by_rank():
    run = [
        Exchange(0, "send", 2, 70, 0, 0, 1),
        Exchange(0, "send", 2, 7, 1, 1, 2),
        Exchange(0, "send", 1, 5, 2, 2, 3),
        Exchange(2, "recv", 0, 70, 0, 0, 1),
        Exchange(1, "all_reduce", None, 900, 3, 3, 4),
    ]
    ax = plot_links(run, ranks=3, caption=CAPTION)
    at = {(t.get_position()[0], t.get_position()[1]): t.get_text() for t in ax.texts}
    assert at[2, 0] == "77" and at[1, 0] == "5"
    sums = [text for (x, y), text in at.items() if x > 2.5 and y >= 0]
    assert sums == ["82", "0", "0"]


def test_the_darker_a_cell_the_more_bytes():
    run = [Exchange(0, "send", 1, 100, 0, 0, 1), Exchange(1, "send", 0, 20, 0, 0, 1)]
    ax = plot_links(run, ranks=2, caption=CAPTION)
    red = {(p.get_x() + 0.5, p.get_y() + 0.5): p.get_facecolor()[0] for p in ax.patches}
    assert red[1, 0] < red[0, 1] < 0.95


def test_large_tables_name_their_unit():
    run = [Exchange(0, "send", 1, 3 * 2**20, 0, 0, 1)]
    said = texts(plot_links(run, ranks=2, caption=CAPTION))
    assert said[0] == "sent (MiB)" and said[1] == "3"


def test_the_alternative_text_is_the_captions():
    ax = plot_links([], ranks=2, caption=CAPTION)
    assert style.alt_text(ax) == "ranks send"
