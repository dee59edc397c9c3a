"""The simulated device: what the host waits for and what it does not."""

from __future__ import annotations

import pytest

from gpuedu.clock import AsyncDevice


def test_a_launch_costs_the_host_its_launch_and_no_more():
    device = AsyncDevice([1.0], launch_s=0.25)
    device.launch()
    assert device.now() == 0.25


def test_sync_waits_for_everything_launched():
    device = AsyncDevice([1.0, 2.0], launch_s=0.25)
    device.launch()
    device.launch()
    device.sync()
    assert device.now() == 0.25 + 1.0 + 2.0


def test_kernels_run_one_after_another_and_never_before_their_launch():
    device = AsyncDevice([0.1, 0.1], launch_s=0.5)
    device.launch()
    device.launch()
    kernels = [(e.start_s, e.end_s) for e in device.events if e.kind == "kernel"]
    assert kernels == [(0.5, 0.6), (1.0, 1.1)]


def test_earlier_work_delays_the_first_kernel():
    device = AsyncDevice([1.0], launch_s=0.25, busy_s=4.0)
    device.launch()
    device.sync()
    assert device.now() == 5.0


def test_the_last_duration_repeats():
    device = AsyncDevice([1.0, 3.0], launch_s=0.0)
    for _ in range(4):
        device.launch()
    device.sync()
    assert device.now() == 1.0 + 3 * 3.0


def test_looking_at_the_clock_and_waiting_may_cost_time():
    device = AsyncDevice([1.0], launch_s=0.0, sync_s=0.125, now_s=0.5)
    device.sync()
    assert (device.now(), device.now()) == (0.625, 1.125)


@pytest.mark.parametrize("times", [[], [-1.0]])
def test_durations_must_make_sense(times):
    with pytest.raises(ValueError, match="at least one duration, none negative"):
        AsyncDevice(times)


def test_events_tell_how_long_things_took():
    device = AsyncDevice([2.0], launch_s=0.5)
    device.launch()
    device.sync()
    assert {e.kind: e.duration_s for e in device.events} == {
        "launch": 0.5,
        "kernel": 2.0,
        "sync": 2.0,
    }
