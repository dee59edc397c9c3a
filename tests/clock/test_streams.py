"""Streams: order inside one, overlap between two, engines, events, and what the host waits for."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.clock import Kernel, Link, StreamDevice, VirtualClock
from gpuedu.errors import AnswerError

LINK = Link(latency_s=0.0, pinned_bytes_per_s=1e9, pageable_bytes_per_s=5e8)
MB = 10**6
"""A copy of 1 MB takes 1 ms pinned, 2 ms pageable."""


@pytest.fixture
def device():
    with VirtualClock() as clock:
        yield StreamDevice(clock, link=LINK, launch_s=0.0)


def pipeline(device, batches, slots, *, ready=True, free=True, step_s=1.5e-3):
    """Copy and train on two streams; the events that guard each slot can be left out."""
    copying, computing = device.stream("copying"), device.stream("computing")
    buffers = [device.buffer(MB, f"slot {one}") for one in range(slots)]
    copied = [device.event() for _ in buffers]
    used = [device.event() for _ in buffers]
    for number, batch in enumerate(batches):
        at = number % slots
        if free:
            copying.wait_event(used[at])
        device.copy(buffers[at], batch, copying)
        copied[at].record(copying)
        if ready:
            computing.wait_event(copied[at])
        device.launch(Kernel("train", step_s), reads=[buffers[at]], stream=computing)
        used[at].record(computing)
    device.synchronize()


def batches(device, count=8, **options):
    return [device.host_buffer(MB, f"batch {one}", **options) for one in range(count)]


def test_two_slots_hide_the_copies(device):
    pipeline(device, batches(device), slots=2)
    assert device.clock.now() == 0.013  # the first copy, and 8 kernels
    assert device.races == ()
    assert device.clock.timeline.overlap_s("copy to device", "compute") == 7e-3


def test_one_slot_hides_nothing(device):
    pipeline(device, batches(device), slots=1)
    assert device.clock.now() == 0.020
    assert device.races == ()


def test_a_slow_link_sets_the_pace(device):
    pipeline(device, batches(device), slots=2, step_s=0.25e-3)
    assert device.clock.now() == 0.00825


def test_pageable_batches_hold_the_host_and_hide_less(device):
    pipeline(device, batches(device, pinned=False), slots=2)
    timeline = device.clock.timeline
    assert device.clock.now() == 0.0175
    assert sum(one.duration_s for one in timeline.on("host", "wait")) == pytest.approx(17.5e-3)


def test_without_the_first_event_the_kernel_may_read_too_early(device):
    pipeline(device, batches(device, 2), slots=2, ready=False)
    first = device.races[0]
    assert (first.buffer, first.kind) == ("slot 0", "read after write")
    assert first.first.what == "the copy of 'batch 0' to 'slot 0'"
    assert (first.second.what, first.second.agent) == ("kernel 'train'", "stream 'computing'")


def test_without_the_second_event_the_copy_may_come_too_early(device):
    pipeline(device, batches(device, 3), slots=2, free=False)
    (race,) = device.races
    assert (race.buffer, race.kind) == ("slot 0", "write after read")
    assert race.second.what == "the copy of 'batch 2' to 'slot 0'"


def test_a_race_is_told_also_where_the_times_work_out(device):
    one, two, x = device.stream(), device.stream(), device.buffer(MB, "x")
    device.launch(Kernel("short", 1e-6), writes=[x], stream=one)
    device.clock.sleep(1.0)
    device.launch(Kernel("late", 1e-3), reads=[x], stream=two)
    assert len(device.races) == 1


def test_an_event_means_what_it_marked_when_the_wait_was_issued(device):
    one, two, event = device.stream("one"), device.stream("two"), device.event()
    two.wait_event(event)  # never recorded: holds nothing
    device.launch(Kernel("early", 1e-3), stream=two)
    device.launch(Kernel("a", 3e-3), stream=one)
    event.record(one)
    device.launch(Kernel("b", 3e-3), stream=one)
    event.synchronize()
    assert (device.clock.now(), event.query()) == (4e-3, True)
    event.record(one)
    assert event.query() is False


def test_each_engine_works_on_one_thing_at_a_time(device):
    streams = [device.stream() for _ in range(3)]
    for stream in streams:
        x, out = device.buffer(MB), device.host_buffer(MB)
        device.copy(x, device.host_buffer(MB), stream)
        device.launch(Kernel("square", 1e-3), reads=[x], writes=[x], stream=stream)
        device.copy(out, x, stream)
    device.synchronize()
    assert device.clock.now() == 5e-3  # 3 in a pipeline of 3 stages of 1 ms
    line = device.clock.timeline
    assert [line.busy_s(lane) for lane in ("copy to device", "compute", "copy to host")] == [
        3e-3
    ] * 3
    assert device.races == ()


def test_issuing_costs_the_host():
    with VirtualClock() as clock:
        device = StreamDevice(clock, launch_s=1e-3)
        for _ in range(4):
            device.launch(Kernel("tiny", 1e-6))
        device.synchronize()
        assert clock.now() == 4e-3 + 1e-6
    assert len(clock.timeline.on("host", "launch")) == 4


def test_values_go_the_way_of_the_copies(device):
    x, y = device.buffer(16, "x"), device.buffer(16, "y")
    batch = device.host_buffer(16, "batch", values=np.arange(4.0))
    out = device.host_buffer(16, "out")
    device.copy(x, batch)
    device.launch(Kernel("double", 1e-3, run=lambda values: 2 * values), reads=[x], writes=[y])
    swap = Kernel("swap", 1e-3, run=lambda a, b: (b, a))
    device.launch(swap, reads=[x, y], writes=[x, y])
    device.copy(out, x)
    device.synchronize()
    batch.write(np.zeros(4))
    assert out.read().tolist() == [0.0, 2.0, 4.0, 6.0]
    assert device.races == ()


def test_the_host_races_too(device):
    batch, x = device.host_buffer(MB, "batch"), device.buffer(MB, "x")
    out = device.host_buffer(MB, "out")
    device.copy(x, batch)
    batch.write("the next one")
    device.copy(out, x)
    out.read()
    assert [(one.buffer, one.kind, one.second.agent) for one in device.races] == [
        ("batch", "write after read", "host"),
        ("out", "read after write", "host"),
    ]


def test_a_pageable_copy_is_over_when_it_returns(device):
    out = device.host_buffer(MB, "out", pinned=False)
    device.copy(out, device.buffer(MB, "x"))
    out.read()
    assert device.races == ()
    assert device.clock.now() == 2e-3


def test_names_are_told_apart(device):
    assert [device.buffer(4, "x").name for _ in range(3)] == ["x", "x 2", "x 3"]
    assert [device.stream("x").name for _ in range(2)] == ["x", "x 2"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda d: d.copy(d.buffer(4), d.buffer(4)), "from host to device or from device to host"),
        (lambda d: d.copy(d.buffer(4, "x"), d.host_buffer(8, "y")), "'y' has 8 bytes, 'x' has 4"),
        (
            lambda d: d.launch(Kernel("k", 1.0), reads=[d.host_buffer(4, "y")]),
            "'y', memory of the h",
        ),
        (lambda d: d.buffer(4, "x").read(), "cannot read from 'x', which is memory of the device"),
        (lambda d: d.buffer(4, "x").write(1), "cannot write to 'x'"),
    ],
)
def test_what_a_device_refuses(device, call, said):
    with pytest.raises(AnswerError, match=said):
        call(device)


def test_no_two_have_one_name_whatever_they_are_called(device):
    streams = [device.stream(name) for name in ("x 2", "x", "x", "x", 5, "5")]
    assert len({one.agent for one in streams}) == len(streams)


@pytest.mark.parametrize("size", [-1, float("nan"), float("inf"), 2**63, "many", None, 1j])
def test_memory_has_a_size(device, size):
    for make in (device.buffer, device.host_buffer):
        with pytest.raises(AnswerError, match="a buffer cannot have"):
            make(size)


def test_what_another_device_made_is_refused(device):
    other = StreamDevice(device.clock)
    batch, x = device.host_buffer(8), device.buffer(8)
    theirs, recorded = other.buffer(8), other.event()
    recorded.record()
    for call in (
        lambda: device.copy(x, batch, other.stream("up")),
        lambda: device.copy(theirs, batch),
        lambda: device.launch(Kernel("k", 1.0), reads=[theirs]),
        lambda: device.default_stream.wait_event(recorded),
    ):
        with pytest.raises(AnswerError, match="of another device was used"):
            call()


@pytest.mark.parametrize("asks", [True, False])
def test_a_host_that_asked_and_was_told_done_knows_it(device, asks):
    stream, event = device.stream("copying"), device.event()
    x, batch = device.buffer(MB, "x"), device.host_buffer(MB)
    device.copy(x, batch, stream)
    event.record(stream)
    device.clock.work(2e-3)
    if asks:
        assert event.query()
    device.launch(Kernel("train", 1e-3), reads=[x], stream=device.stream("computing"))
    assert len(device.races) == (0 if asks else 1)


def test_a_host_that_was_told_not_yet_knows_nothing(device):
    stream, event = device.stream("copying"), device.event()
    x, batch = device.buffer(MB, "x"), device.host_buffer(MB)
    device.copy(x, batch, stream)
    event.record(stream)
    assert not event.query()
    device.launch(Kernel("train", 1e-3), reads=[x], stream=device.stream("computing"))
    assert len(device.races) == 1


@pytest.mark.parametrize("part", ["name", "size_bytes", "place", "pinned", "device"])
def test_what_tells_a_buffer_from_others_stays(device, part):
    """One with the name of another would be told its races and its copies."""
    buffer = device.host_buffer(8, "in 0")
    with pytest.raises(AttributeError, match=f"'{part}' of a buffer cannot be changed"):
        setattr(buffer, part, "in 1")
    buffer.values = 3
    assert buffer.read() == 3
