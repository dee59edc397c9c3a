"""Honest real timing, with a clock that the test moves."""

from __future__ import annotations

import pytest

from gpuedu.clock import AsyncDevice, Timing, stopwatch, time_launch


def test_it_times_each_repeat_on_an_idle_device_and_leaves_the_warm_up_out(monkeypatch):
    device = AsyncDevice([9.0, 1.0, 2.0, 3.0], launch_s=0.0, busy_s=5.0)
    monkeypatch.setattr(stopwatch.time, "perf_counter", device.now)
    timing = time_launch(device.launch, device.sync, warmup=1, budget_s=0.0)
    assert timing.times_s == pytest.approx((1.0, 2.0, 3.0))
    assert timing.median_s == pytest.approx(2.0)


def test_it_stops_at_the_budget_but_not_before_three_times(monkeypatch):
    device = AsyncDevice([1.0], launch_s=0.0)
    monkeypatch.setattr(stopwatch.time, "perf_counter", device.now)
    assert len(time_launch(device.launch, device.sync, budget_s=0.1).times_s) == 3
    assert len(time_launch(device.launch, device.sync, budget_s=7.5).times_s) == 8
    assert len(time_launch(device.launch, device.sync, budget_s=99, most=5).times_s) == 5


def test_the_spread_is_between_the_quartiles():
    assert Timing((5.0, 1.0, 4.0, 2.0, 3.0)).spread_s == 2.0
    assert Timing((1.0,)).spread_s == 0.0
