"""The slow disk, on the virtual clock and on the real one."""

from __future__ import annotations

import threading

import pytest

from gpuedu.clock import SlowDisk, VirtualClock, WallClock


@pytest.mark.parametrize(("channels", "end_s"), [(1, 0.06), (2, 0.03), (4, 0.02)])
def test_reads_share_the_channels(channels, end_s):
    with VirtualClock() as clock:
        disk = SlowDisk(clock, "abcdef", 0.01, channels=channels)
        threads = [
            clock.start_thread(lambda index=index: disk.read(index), f"reader {index}")
            for index in range(6)
        ]
        assert [clock.wait(one.ended) for one in threads] == list("abcdef")
        assert clock.now() == end_s
    assert disk.asked == list(range(6))


def test_each_item_has_its_time_and_perhaps_its_fault():
    with VirtualClock() as clock:
        disk = SlowDisk(clock, [1, 2], [0.5, 0.25], faults={1: OSError("bad sector")})
        assert disk[0] == 1
        with pytest.raises(OSError, match="bad sector"):
            disk.read(1)
        assert clock.now() == 0.75
    assert [(i.label, i.duration_s) for i in clock.timeline.on("disk")] == [("0", 0.5), ("1", 0.25)]


@pytest.mark.parametrize("index", [-1, 2])
def test_there_is_nothing_beyond_the_ends(index):
    with (
        VirtualClock() as clock,
        pytest.raises(IndexError, match=f"items 0 to 1, asked for {index}"),
    ):
        SlowDisk(clock, "ab", 0.1).read(index)


def test_there_is_a_time_for_each_item():
    with pytest.raises(ValueError, match="2 items, but 3 times"):
        SlowDisk(VirtualClock(), "ab", [1, 2, 3])


def test_the_same_disk_runs_on_the_real_clock():
    with WallClock() as clock:
        disk = SlowDisk(clock, "ab", 1e-4)
        reader = threading.Thread(target=disk.read, args=(1,), name="reader")
        reader.start()
        assert disk.read(0) == "a"
        reader.join()
        clock.work(1e-4, "kernel")
        clock.sleep(0.0)
    first, second = clock.timeline.on("disk")
    assert {first.label, second.label} == {"0", "1"}
    assert first.end_s <= second.start_s
    assert [one.kind for one in clock.timeline.on("main")] == ["kernel"]
    assert clock.now() >= clock.timeline.end_s
