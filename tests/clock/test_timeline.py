"""Timelines: cover, overlap and blame, against sets of instants."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from gpuedu.clock import Interval, Timeline
from gpuedu.clock.timeline import difference, intersection, length_s, union

SPANS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8)


def instants(spans):
    """Unit cells that the spans cover."""
    return {cell for start, end in spans for cell in range(start, end)}


@given(SPANS, SPANS)
def test_spans_are_sets_of_instants(first, second):
    a, b = instants(first), instants(second)
    assert instants(union(first)) == a
    assert instants(intersection(first, second)) == a & b
    assert instants(difference(first, second)) == a - b
    assert length_s(union(first)) == len(a)


@given(SPANS)
def test_united_spans_are_sorted_and_apart(spans):
    joined = union(spans)
    assert all(before[1] < after[0] for before, after in itertools.pairwise(joined))


def sample():
    return Timeline.of(
        [
            Interval("compute", "kernel", 4.0, 6.0, "second"),
            Interval("disk", "read", 0.0, 1.0),
            Interval("compute", "kernel", 2.0, 3.0, "first"),
            Interval("host", "copy", 0.5, 2.0),
            Interval("host", "wait", 2.0, 6.0),
        ]
    )


def test_a_timeline_is_sorted_and_knows_its_lanes():
    line = sample()
    assert [one.start_s for one in line.intervals] == [0.0, 0.5, 2.0, 2.0, 4.0]
    assert line.lanes == ("disk", "host", "compute")
    assert [one.label for one in line.on("compute", "kernel")] == ["first", "second"]
    assert line.end_s == 6.0


def test_waiting_is_shown_but_is_not_work():
    line = sample()
    assert len(line.on("host")) == 2
    assert line.busy("host") == ((0.5, 2.0),)
    assert line.idle("compute") == ((0.0, 2.0), (3.0, 4.0))


def test_idle_time_is_blamed_once_in_the_order_given():
    line = sample()
    assert line.waited_for("compute", ["disk", "host"]) == {"disk": 1.0, "host": 1.0, "": 1.0}
    assert line.waited_for("compute", ["host", "disk"]) == {"host": 1.5, "disk": 0.5, "": 1.0}


def test_an_empty_timeline_ends_at_once():
    assert (Timeline(()).end_s, Timeline(()).busy_s("host")) == (0.0, 0.0)
