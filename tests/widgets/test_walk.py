"""The model of the stepping widget: where each move leads, and where a walk opens."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu import cuda, simulate
from gpuedu.lens.lanes import Lane
from gpuedu.lens.requests import NothingWatchedError
from gpuedu.trace import Finding, Level, Place, Thread
from gpuedu.widgets.walk import walk
from tests.trace import samples


def test_a_walk_without_hazards_opens_at_the_beginning():
    found = walk(samples.block_sum())
    assert found.position == 0 and found.stops == {}
    assert found.frame.place == Place("block_sum", 4) and found.frame.warp == 0


def test_every_frame_is_a_step_of_its_block_in_order():
    trace = samples.block_sum(blocks=2)
    found = walk(trace, block=1)
    assert len(found) == (trace.steps.block == 1).sum()
    seen = [found.at(i).frame for i in range(len(found))]
    assert [frame.position for frame in seen] == list(range(len(found)))
    assert {frame.block for frame in seen} == {1}
    assert [frame.epoch for frame in seen] == sorted(frame.epoch for frame in seen)


def test_every_watched_access_is_seen_once():
    trace = samples.block_sum()
    for block in trace.watched:
        found = walk(trace, block)
        requests = [r for i in range(len(found)) for r in found.at(i).frame.requests]
        assert len(requests) == (trace.events.block == block).sum()
        assert [r.warp for r in requests] == [
            found.at(i).frame.warp for i in range(len(found)) for _ in found.at(i).frame.requests
        ]


def test_a_frame_has_the_accesses_of_its_line():
    frame = walk(samples.transpose()).at(32).frame  # past line 4, which 32 warps ran
    assert (frame.warp, frame.place.line) == (0, 5)
    assert [r.site.text for r in frame.requests] == ["a[y, x]", "tile[y, x]"]


def test_moves_stay_inside():
    found = walk(samples.strided())
    assert found.step(-5).position == 0
    assert found.step(1000).position == len(found) - 1
    assert found.at(-3).position == 0


def test_the_next_step_of_the_same_warp():
    found = walk(samples.strided()).at(1)
    assert found.frame.warp == 1
    assert [found.step_warp().frame.warp, found.step_warp().position] == [1, 3]
    assert found.step_warp().step_warp(-1) == found
    assert found.step_warp(-1) is found
    assert found.at(5).step_warp() == found.at(5)


def test_past_the_next_barrier():
    found = walk(samples.block_sum())
    after = found.step_epoch()
    assert after.frame.epoch == 1 and after.step(-1).frame.epoch == 0
    assert after.step_epoch(-1).position == 0
    assert found.step_epoch(-1) is found
    last = found.at(len(found) - 1)
    assert last.step_epoch() is last


def test_a_race_opens_at_the_later_of_its_two_accesses():
    found = walk(samples.racing())
    assert found.frame.place.line == 6 and found.frame.warp == 0
    assert [f.kind for f in found.frame.hazards] == ["data-race"]
    assert sorted(found.stops) == [4, 5]


def test_the_next_hazard_and_round_again():
    found = walk(samples.racing())
    there = found.step_hazard()
    assert [f.kind for f in there.frame.hazards] == ["out-of-bounds"] and there.frame.warp == 1
    assert there.step_hazard() == found
    calm = walk(samples.strided())
    assert calm.step_hazard() is calm


def hazard(**changes):
    base = Finding(Level.HAZARD, "data-race", "m", "r", Place("block_sum", 10))
    return dataclasses.replace(base, **changes)


def with_findings(trace, *findings):
    return dataclasses.replace(trace, findings=findings)


def test_a_loop_opens_at_the_round_in_which_the_element_is_touched():
    # part[9] is read as part[t + s] by thread 1 when s is 8: the third round.
    found = hazard(who=Thread((0, 0, 0), (1, 0, 0)), array="part", index=(9,))
    opened = walk(with_findings(samples.block_sum(), found))
    assert opened.frame.epoch == 3 and opened.frame.place.line == 10


def test_the_block_of_the_first_hazard_is_chosen_if_it_was_watched():
    found = hazard(who=Thread((1, 0, 0), (3, 0, 0)), array="part", index=(3,))
    assert walk(with_findings(samples.block_sum(), found)).block == 1
    far = hazard(who=Thread((9, 0, 0), (3, 0, 0)))
    opened = walk(with_findings(samples.block_sum(), far))
    assert (opened.block, opened.stops) == (0, {})


def test_a_hazard_of_no_thread_or_place_stops_nothing():
    assert walk(with_findings(samples.block_sum(), hazard())).stops == {}
    nowhere = hazard(place=None, who=Thread((0, 0, 0), (0, 0, 0)))
    assert walk(with_findings(samples.block_sum(), nowhere)).stops == {}


def test_lanes_of_all_warps_at_a_frame():
    found = walk(samples.branches(40))
    first = found.frame.warps
    assert (first[0].is_current, first[1].is_current) == (True, False)
    assert first[1].place is None and (first[1].lanes[:8] == Lane.AWAY).all()
    assert (first[1].lanes[8:] == Lane.ABSENT).all()
    later = found.at(len(found) - 1).frame.warps
    assert later[0].lanes.tolist() == [Lane.IDLE, Lane.ACTIVE] * 16
    assert later[1].place.line == 7


def renumbered(trace, steps, events):
    """The same launch with other positions in the order of execution."""
    return dataclasses.replace(
        trace,
        steps=dataclasses.replace(trace.steps, step=np.asarray(steps, np.int64)),
        events=dataclasses.replace(trace.events, step=np.asarray(events, np.int64)),
    )


def seen(trace):
    found = walk(trace)
    return [[r.site.text for r in found.at(i).frame.requests] for i in range(len(found))]


def test_steps_and_events_may_have_positions_of_their_own():
    """An access belongs to the step of its warp that came last before it."""
    trace = samples.transpose()
    after = 10 * trace.events.step + 1 + np.arange(len(trace.events.step)) % 3
    assert seen(renumbered(trace, 10 * trace.steps.step, after)) == seen(trace)


def test_lines_of_a_straight_run_may_share_a_step():
    """Their accesses come after all of them: the line tells whose they are."""
    trace = samples.block_sum(blocks=1)
    lines = np.array([trace.lines[n].place.line for n in trace.steps.line])
    starts = np.maximum.accumulate(
        np.where(np.isin(lines, (4, 8, 10, 12, 13)), trace.steps.step, 0)
    )
    assert len(set(starts)) < len(set(trace.steps.step))
    after = 10 * trace.events.step + 5
    assert seen(renumbered(trace, 10 * starts, after)) == seen(trace)


def test_a_block_that_was_not_watched_is_told():
    with pytest.raises(NothingWatchedError, match="block 7"):
        walk(samples.strided(), 7)


MOVES = {
    "on": lambda w: w.step(),
    "back": lambda w: w.step(-1),
    "warp on": lambda w: w.step_warp(),
    "warp back": lambda w: w.step_warp(-1),
    "barrier on": lambda w: w.step_epoch(),
    "barrier back": lambda w: w.step_epoch(-1),
    "hazard": lambda w: w.step_hazard(),
}


@given(st.lists(st.sampled_from(sorted(MOVES)), max_size=12))
def test_any_moves_lead_to_a_frame(moves):
    found = walk(samples.block_sum(blocks=1))
    for move in moves:
        found = MOVES[move](found)
        assert 0 <= found.position < len(found)
        assert found.frame.warps[found.frame.warp].is_current


def places(moments):
    return [(moment.frame.epoch, moment.frame.place.line) for moment in moments]


def test_the_moments_of_a_short_walk_are_all_steps_of_its_warp():
    found = walk(samples.racing())
    moments = found.moments()
    assert {moment.frame.warp for moment in moments} == {found.frame.warp}
    assert len(moments) == sum(
        found.at(n).frame.warp == found.frame.warp for n in range(len(found))
    )


def test_the_moments_of_a_long_walk_tell_each_line_once_between_two_barriers():
    def rounds(a):
        t = cuda.threadIdx.x
        for _ in range(2):
            for k in range(10):
                a[t] += k
            cuda.syncthreads()

    trace = simulate(rounds, 1, 32, np.zeros(32))
    (first, *_), every = places(walk(trace).moments()), places(walk(trace).moments(10_000))
    some = places(walk(trace).moments())
    assert len(every) > 25 and first == every[0] and some[-1] == every[-1]
    assert len(set(some)) == len(some) and set(some) == set(every)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_moments_stay_around_the_current_one_and_keep_hazards(most):
    found = walk(samples.racing())
    moments = found.moments(most)
    assert len(moments) == most
    assert found.position in [moment.position for moment in moments]
