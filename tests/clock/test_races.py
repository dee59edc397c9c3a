"""Races: exactly the pairs that no chain of waits connects."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gpuedu.clock import Kernel, StreamDevice, VirtualClock
from gpuedu.clock.races import RaceDetector, Use, join

STREAMS, EVENTS, BUFFERS = 3, 2, 2
STEP = st.one_of(
    st.tuples(
        st.just("launch"), st.integers(0, STREAMS - 1), st.integers(0, BUFFERS - 1), st.booleans()
    ),
    st.tuples(st.just("record"), st.integers(0, EVENTS - 1), st.integers(0, STREAMS - 1)),
    st.tuples(st.just("wait"), st.integers(0, EVENTS - 1), st.integers(0, STREAMS - 1)),
    st.tuples(st.just("stream"), st.integers(0, STREAMS - 1)),
    st.tuples(st.just("event"), st.integers(0, EVENTS - 1)),
    st.tuples(st.just("device")),
)


def play(program):
    """Run a program on the device, and build the graph of what waits for what beside it."""
    with VirtualClock() as clock:
        device = StreamDevice(clock)
        streams = [device.stream(f"s{one}") for one in range(STREAMS)]
        events = [device.event() for _ in range(EVENTS)]
        buffers = [device.buffer(4, f"b{one}") for one in range(BUFFERS)]
        before, uses = [], []
        tails, marks, host = [set() for _ in streams], [set() for _ in events], set()
        for kind, *at in program:
            if kind == "launch":
                stream, buffer, writes = at
                kernel = Kernel(f"k{len(uses)}", 1e-3)
                where = {"writes" if writes else "reads": [buffers[buffer]]}
                device.launch(kernel, stream=streams[stream], **where)
                before.append(tails[stream] | host)
                tails[stream] = before[-1] | {len(uses)}
                uses.append((buffer, writes))
            elif kind == "record":
                events[at[0]].record(streams[at[1]])
                marks[at[0]] = tails[at[1]] | host
            elif kind == "wait":
                streams[at[1]].wait_event(events[at[0]])
                tails[at[1]] = tails[at[1]] | marks[at[0]]
            elif kind == "stream":
                streams[at[0]].synchronize()
                host = host | tails[at[0]]
            elif kind == "event":
                events[at[0]].synchronize()
                host = host | marks[at[0]]
            else:
                device.synchronize()
                host = host.union(*tails)
        device.synchronize()
        return device.races, before, uses, clock.timeline


@settings(max_examples=200, deadline=None)
@given(st.lists(STEP, max_size=14))
def test_a_program_has_a_race_exactly_where_two_uses_have_no_order(program):
    races, before, uses, _ = play(program)
    unordered = {
        (first, second)
        for second in range(len(uses))
        for first in range(second)
        if uses[first][0] == uses[second][0]
        and (uses[first][1] or uses[second][1])
        and first not in before[second]
    }
    told = {tuple(int(one.what[9:-1]) for one in (race.first, race.second)) for race in races}
    # A use is compared with the last write and the reads since, so of a pile of unordered uses
    # only neighbors are told; but what is told is true, and a race is never passed over in silence.
    assert told <= unordered
    assert bool(told) == bool(unordered)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEP, max_size=14))
def test_what_has_an_order_never_overlaps_in_time(program):
    _, before, uses, timeline = play(program)
    spans = {one.label.split("'")[1]: (one.start_s, one.end_s) for one in timeline.on("compute")}
    assert len(spans) == len(uses)
    for second, known in enumerate(before):
        for first in known:
            assert spans[f"k{first}"][1] <= spans[f"k{second}"][0]


def test_each_kind_of_race_is_named():
    detector = RaceDetector()
    write, read = Use("copy", "a", 1), Use("look", "b", 1)
    detector.use(write, {}, [], ["x"])
    detector.use(read, {}, ["x"], [])
    detector.use(Use("overwrite", "c", 1), {"a": 1}, [], ["x"])
    detector.use(Use("again", "d", 1), {"a": 1, "b": 1}, [], ["x"])
    assert [(one.kind, one.first.what, one.second.what) for one in detector.races] == [
        ("read after write", "copy", "look"),
        ("write after read", "look", "overwrite"),
        ("write after write", "overwrite", "again"),
    ]
    assert str(detector.races[0]) == (
        "look (on b) and copy (on a) both use 'x', a read after write, and nothing makes one "
        "wait for the other"
    )


def test_two_readers_are_no_race():
    detector = RaceDetector()
    detector.use(Use("look", "a", 1), {}, ["x"], [])
    detector.use(Use("look", "b", 1), {}, ["x"], [])
    assert detector.races == []


def test_who_knows_both_knows_the_later():
    assert join({"a": 1}, {"b": 2}, {"a": 3}) == {"a": 3, "b": 2}
    assert join() == {}
