"""Steps of a block by lane: all of them, or those of chosen lines."""

from __future__ import annotations

import pytest

from gpuedu.lens.lanes import Lane, lane_steps
from gpuedu.lens.requests import NothingWatchedError
from gpuedu.trace import Place, Space
from tests.trace import samples


def test_only_the_chosen_lines_are_kept():
    trace = samples.block_sum()
    shared = {site.place for site in trace.sites if site.space is Space.SHARED}
    every, chosen = lane_steps(trace), lane_steps(trace, places=shared)
    kept = [place in shared for place in every.places]
    assert 0 < sum(kept) < len(kept)
    assert chosen.places == tuple(place for place in every.places if place in shared)
    assert ((chosen.state == Lane.ACTIVE) == (every.state[:, kept] == Lane.ACTIVE)).all()


def test_lines_that_never_run_leave_nothing_to_draw():
    with pytest.raises(NothingWatchedError):
        lane_steps(samples.block_sum(), places={Place("elsewhere", 1)})
