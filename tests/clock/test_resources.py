"""Places and channels: first come, first served, and nothing lost."""

from __future__ import annotations

import pytest

from gpuedu.clock import Channel, Resource, VirtualClock
from gpuedu.errors import DeadlockError


@pytest.mark.parametrize(("places", "end_s"), [(1, 6.0), (2, 3.0), (3, 2.0), (7, 1.0)])
def test_a_resource_serves_so_many_at_a_time(places, end_s):
    clock = VirtualClock()
    disk = Resource(clock, "disk", places)
    for number in range(6):
        clock.start(disk.use(1.0, "read", label=str(number)), f"reader {number}")
    assert clock.run() == end_s
    assert [one.label for one in clock.timeline.on("disk")] == list("012345")


def test_a_place_goes_to_who_has_waited_longest():
    clock, order = VirtualClock(), []
    lock = Resource(clock, "lock")

    def want(name, at_s):
        yield clock.after(at_s)
        yield lock.acquire()
        order.append(name)
        yield clock.after(10.0)
        lock.release()

    for name, at_s in (("c", 3.0), ("a", 1.0), ("b", 2.0)):
        clock.start(want(name, at_s), name)
    assert clock.run() == 31.0
    assert order == ["a", "b", "c"]


def test_a_place_that_nobody_took_is_not_given_back():
    with pytest.raises(ValueError, match="disk: a place was given back"):
        Resource(VirtualClock(), "disk").release()
    with pytest.raises(ValueError, match="at least one place"):
        Resource(VirtualClock(), "disk", 0)


@pytest.mark.parametrize(
    ("places", "put_s"),
    [(None, [0, 0, 0, 0]), (2, [0, 0, 1, 2]), (1, [0, 1, 2, 3]), (0, [1, 2, 3, 4])],
)
def test_a_channel_keeps_order_and_makes_the_sender_wait(places, put_s):
    clock, sent, got = VirtualClock(), [], []
    box = Channel(clock, "box", places)

    def send():
        for item in "wxyz":
            yield box.put(item)
            sent.append(clock.now())

    def receive():
        for _ in range(4):
            yield clock.after(1.0)
            got.append((yield box.get()))

    clock.start(send(), "sender")
    clock.start(receive(), "receiver")
    clock.run()
    assert (sent, got, len(box)) == (put_s, list("wxyz"), 0)


def test_ranks_that_all_send_first_wait_for_each_other():
    clock = VirtualClock()
    to = [Channel(clock, f"the message to rank {rank}", 0) for rank in range(3)]

    def rank(number):
        yield to[(number + 1) % 3].put("hello")
        yield to[number].get()

    for number in range(3):
        clock.start(rank(number), f"rank {number}")
    with pytest.raises(DeadlockError, match="rank 2 waits for room in the message to rank 0"):
        clock.run()
