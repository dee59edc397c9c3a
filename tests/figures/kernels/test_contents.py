"""What is drawn is what the trace says: cells, passes, lanes, bars."""

import dataclasses

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from gpuedu.errors import UnknownNameError
from gpuedu.figures import style
from gpuedu.figures.kernels.accesses import plot_accesses
from gpuedu.figures.kernels.banks import plot_banks
from gpuedu.figures.kernels.cells import FETCHED
from gpuedu.figures.kernels.epochs import plot_epoch
from gpuedu.figures.kernels.hazards import plot_hazard
from gpuedu.figures.kernels.lanes import plot_active_lanes
from gpuedu.figures.kernels.occupancy import plot_occupancy_curves
from gpuedu.figures.style import alt_text
from gpuedu.lens.epochs import Epoch, epoch_of
from gpuedu.lens.fit import FitCurve
from gpuedu.lens.lanes import Lane, lane_steps
from gpuedu.lens.requests import NothingWatchedError
from gpuedu.lens.rows import Occupant
from gpuedu.trace import Finding, Level, Place, Thread
from tests.trace import samples


def filled(ax, color):
    return [patch for patch in ax.patches if patch.get_facecolor() == to_rgba(color)]


def caption_of(ax):
    return " ".join(ax.figure.get_supxlabel().split())


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_a_stride_uses_one_cell_of_each_sector_and_fetches_seven():
    ax = plot_accesses(samples.strided(8), "a[i * stride]")
    assert len(filled(ax, style.BLUE)) == 32 and len(filled(ax, FETCHED)) == 32 * 7
    assert len(ax.lines) == 32  # a frame around each sector
    assert "read by warp 0: 32 sectors, 4 at best" in texts(ax)
    assert {str(lane) for lane in range(32)} <= set(texts(ax))


def test_two_warps_have_two_colors_and_their_costs_add_up():
    ax = plot_accesses(samples.strided(1), "out[i]", warps=(0, 1))
    assert len(filled(ax, style.BLUE)) == len(filled(ax, style.ORANGE)) == 32 + 1
    assert "written by 2 warps: 8 sectors, 8 at best" in texts(ax)


def test_a_cell_of_several_lanes_says_so():
    assert {"0+", "1+", "2+", "3+"} <= set(texts(plot_accesses(samples.histogram(4), "bins[a[i]]")))
    assert "all" in texts(plot_accesses(samples.histogram(1), "bins[a[i]]"))


def test_shared_memory_has_no_sectors():
    ax = plot_accesses(samples.transpose(33), "tile[y, x]")
    assert ax.lines[:] == [] and filled(ax, FETCHED) == []


def test_another_execution_of_the_same_line():
    first, third = (
        len(filled(plot_accesses(samples.block_sum(), "part[t + s]", occurrence=n), style.BLUE))
        for n in (0, 2)
    )
    assert (first, third) == (32, 8)


def test_one_bank_after_the_other():
    ax = plot_banks(samples.transpose(), "tile[x, y]")
    assert {patch.get_x() for patch in filled(ax, style.BLUE)} == {0.04}
    assert len(filled(ax, style.BLUE)) == 16 and "... and 16 more passes" in texts(ax)
    padded = filled(plot_banks(samples.transpose(33), "tile[x, y]"), style.BLUE)
    assert len({patch.get_x() for patch in padded}) == 32
    assert len({patch.get_y() for patch in padded}) == 1


def test_banks_choose_the_worst_access_of_a_line_and_refuse_global_memory():
    assert "tile[x, y]" in " ".join(texts(plot_banks(samples.transpose(), 7)))
    with pytest.raises(UnknownNameError, match="no access to shared memory"):
        plot_banks(samples.strided(), 5)


def test_an_epoch_frames_what_two_threads_touch():
    epoch = epoch_of(samples.racing(), "s")
    assert epoch.shared == frozenset(range(1, 64))
    framed = [p for p in plot_epoch(epoch).patches if p.get_edgecolor() == to_rgba(style.RED)]
    assert len(framed) == 2 * 63
    after = epoch_of(samples.block_sum(), "part", 3)
    assert after.shared == frozenset() and after.epochs == tuple(range(7))


def test_an_epoch_ends_where_its_array_does_and_tells_of_its_own_marks_only():
    lanes = {i: (Occupant(i // 32, i % 32),) for i in range(36)}
    plain = Epoch("s", (70,), 0, 0, (0,), {**lanes, 69: (Occupant(0, 5),)}, {})
    ax = plot_epoch(plain)
    assert len(filled(ax, style.GROUND)) == 70 - 37
    assert "frame" not in caption_of(ax) and "hatched" not in caption_of(ax)
    assert "white: nobody did" in caption_of(ax)
    assert ax.get_title(loc="left") == "s before the first barrier"


def test_an_epoch_hatches_what_is_read_and_never_written():
    written = {i: (Occupant(0, i),) for i in range(4)}
    ax = plot_epoch(Epoch("s", (6,), 0, 0, (0, 1), written, {}), missing={4, 5})
    assert sum(bool(patch.get_hatch()) for patch in ax.patches) == 2
    assert "hatched" in caption_of(ax) and "white" not in caption_of(ax)
    assert alt_text(ax).endswith("2 are read, but never written.")


def test_cells_of_several_writers_have_signs_that_fit():
    crowd = {i: (Occupant(0, i), Occupant(0, i + 1)) for i in range(8, 12)}
    ax = plot_epoch(Epoch("s", (16,), 0, 0, (0,), crowd, {}))
    assert {"8+", "9+", "+"} <= set(texts(ax))
    assert not {"10+", "11+"} & set(texts(ax))
    assert "a + stands for several lanes" in caption_of(ax)


@pytest.mark.parametrize(
    ("array", "says"),
    [("out[i]", "gray is in it, but not written"), ("a[i * stride]", "gray is fetched, not used")],
)
def test_what_is_gray_is_fetched_for_a_load_only(array, says):
    assert says in caption_of(plot_accesses(samples.strided(8), array))


def test_an_epoch_that_is_not_there_names_those_that_are():
    with pytest.raises(UnknownNameError, match=r"no epoch of `s` is called '9'. Try: 0"):
        epoch_of(samples.racing(), "s", 9)
    with pytest.raises(UnknownNameError, match="no array is called 'S'"):
        epoch_of(samples.racing(), "S")


def test_lanes_over_steps():
    found = lane_steps(samples.block_sum())
    assert found.state.shape == (2, 22, 32)
    assert [place.line for place in found.places][:8] == [4, 5, 8, 9, 10, 8, 9, 10]
    active = (found.state == Lane.ACTIVE).sum(axis=2)
    assert active[0].tolist() == [
        32,
        32,
        *(n for k in (32, 16, 8, 4, 2, 1) for n in (32, 32, k)),
        32,
        1,
    ]
    assert active[1, 7] == 0 and (found.state[1, 7] == Lane.AWAY).all()
    assert (found.state[0, 7] == Lane.IDLE).sum() == 16


def test_lanes_that_do_not_exist():
    state = lane_steps(samples.branches(40)).state
    assert (state[1, :, 8:] == Lane.ABSENT).all() and (state[1, :, :8] != Lane.ABSENT).all()


def test_lines_that_share_a_step_are_columns_of_their_own():
    trace = samples.branches(40)
    together = dataclasses.replace(trace.steps, step=np.zeros_like(trace.steps.step))
    found = lane_steps(dataclasses.replace(trace, steps=together))
    assert [place.line for place in found.places] == [3, 4, 5, 7]
    assert np.array_equal(found.state, lane_steps(trace).state)


def test_only_the_first_steps_and_warps_are_kept():
    found = lane_steps(samples.transpose(), most_steps=3, most_warps=4)
    assert found.state.shape == (4, 3, 32) and found.steps_in_all == 4


def test_a_block_that_was_not_watched_is_told():
    with pytest.raises(NothingWatchedError, match="block 9"):
        plot_active_lanes(samples.block_sum(), 9)


def test_means_stand_beside_the_warps():
    assert {"24.0 of 32", "6.0 of 32"} <= set(texts(plot_active_lanes(samples.branches(40))))


def test_the_threads_of_a_race_and_what_they_do():
    shown = texts(plot_hazard(samples.racing()))
    assert "thread 31 of block 0 reads" in shown and "thread 32 of block 0 writes" in shown
    assert "line 6: out[t] = s[t + 1]" in shown and "s[32]" in shown


def test_a_barrier_that_not_all_reach_shows_where_both_threads_are():
    waits, away = Thread((0, 0, 0), (0, 0, 0), ndim=2), Thread((0, 0, 0), (4, 0, 0), ndim=2)
    place = Place("racing", 6)
    found = Finding(
        Level.HAZARD, "divergent-barrier", "one waits", "move it", place, waits, other=away
    )
    ax = plot_hazard(samples.racing(), found)
    assert "thread (0, 0) of block (0, 0) waits" in texts(ax)
    assert "thread (4, 0) of block (0, 0) is elsewhere" in texts(ax)
    assert alt_text(ax).endswith("is elsewhere.")


def test_an_element_beyond_the_end():
    ax = plot_hazard(samples.racing(), samples.racing().findings[1])
    assert "s ends here (64 elements)" in texts(ax) and "64" in texts(ax)
    (own,) = filled(ax, "#f7d5c8")
    (end,) = [line for line in ax.lines if line.get_linewidth() == 3]
    assert own.get_x() > end.get_xdata()[0]


def test_an_array_of_unknown_shape_is_drawn_without_an_end():
    trace = dataclasses.replace(samples.racing(), arrays=())
    race, beyond = (plot_hazard(trace, finding) for finding in trace.findings)
    assert len(filled(race, "#f7d5c8")) == 1 and "37" in texts(race)
    assert filled(beyond, "#f7d5c8") == [] and not beyond.lines[:]


def test_a_warp_that_makes_no_access_is_told_with_those_that_do():
    with pytest.raises(NothingWatchedError, match=r"warp 1 of block 0.*\[0\]"):
        plot_accesses(samples.block_sum(), "part[0]", warps=(1,))


def test_rows_of_each_warp_are_drawn_where_there_are_many():
    ax = plot_accesses(samples.strided(33), "a[i * stride]", warps=(0, 1))
    assert len(filled(ax, style.BLUE)) - 1 == len(filled(ax, style.ORANGE)) - 1 == 4
    assert "... and 56 more rows like these" in texts(ax)


def test_without_a_hazard_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="no hazard"):
        plot_hazard(samples.strided())


def test_steps_of_occupancy_are_drawn_in_percent():
    ax = plot_occupancy_curves([FitCurve("c", (1, 2), (1.0, 0.25))], x="x", device="T4")
    assert list(ax.lines[0].get_ydata()) == [100.0, 25.0]
