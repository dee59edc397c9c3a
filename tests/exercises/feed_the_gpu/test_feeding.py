"""A loader that feeds a device: one after the other, and through a queue."""

from __future__ import annotations

import pytest

from gpuedu.exercises.feed_the_gpu.feeding import feed, feed_in_turn


def test_in_turn_nothing_overlaps():
    run = feed_in_turn([2.0, 1.0], [3.0, 3.0])
    assert run.done_s == (5.0, 9.0)
    assert run.stall_share == pytest.approx(1 / 3)


def test_what_stands_in_the_queue_is_on_the_timeline():
    run = feed([1.0, 1.0, 1.0, 9.0], [4.0] * 4, 2)
    stood = [(one.label, one.start_s, one.end_s) for one in run.timeline.on("queue")]
    assert stood == [("1", 2.0, 5.0), ("2", 3.0, 9.0), ("3", 12.0, 13.0)]
