"""The bandwidth of a copy: what is counted, what is left out, how much memory it takes."""

from __future__ import annotations

import statistics
from types import SimpleNamespace

import numpy as np
import pytest

from gpuedu.hardware import bandwidth
from gpuedu.hardware.bandwidth import measure_bandwidth

GIB = 2**30


class Clock:
    """A clock that only copies move: each takes the next of these times, the last one for ever."""

    def __init__(self, monkeypatch, times_s):
        self.now_s, self.times_s, self.copies = 0.0, list(times_s), 0
        monkeypatch.setattr(bandwidth, "time", SimpleNamespace(perf_counter=lambda: self.now_s))
        monkeypatch.setattr(np, "copyto", self.copy)

    def copy(self, target, source):
        assert target is not source and target.nbytes == source.nbytes
        self.copies += 1
        self.now_s += self.times_s.pop(0) if len(self.times_s) > 1 else self.times_s[0]


def test_read_and_written_bytes_count_and_the_warm_up_does_not(monkeypatch):
    Clock(monkeypatch, [100.0, 0.25])
    found = measure_bandwidth(8000, budget_s=0.0, available_bytes=GIB)
    assert found.bytes_per_s == 2 * 8000 / 0.25
    assert (found.spread_bytes_per_s, found.size_bytes) == (0.0, 8000)


def test_the_median_leaves_a_disturbed_copy_aside(monkeypatch):
    times_s = [0.5, 1.0, 2.0, 64.0, 4.0]
    Clock(monkeypatch, [9.0, *times_s, 1.0])
    found = measure_bandwidth(8000, budget_s=0.0, available_bytes=GIB)
    rates = [16000 / time_s for time_s in times_s]
    first, _, third = statistics.quantiles(rates, n=4, method="inclusive")
    assert found.bytes_per_s == statistics.median(rates) == 8000
    assert found.spread_bytes_per_s == third - first > 0


def test_it_ends_with_the_budget_and_not_before_five_copies(monkeypatch):
    clock = Clock(monkeypatch, [0.125])
    measure_bandwidth(8000, budget_s=1.0, available_bytes=GIB)
    assert clock.copies == 1 + 8
    clock = Clock(monkeypatch, [10.0])
    measure_bandwidth(8000, budget_s=1.0, available_bytes=GIB)
    assert clock.copies == 1 + 5


@pytest.mark.parametrize(("available", "size"), [(16 * 8000, 8000), (16 * 800, 800), (0, 8)])
def test_both_arrays_take_at_most_an_eighth_of_what_is_available(monkeypatch, available, size):
    Clock(monkeypatch, [1.0])
    assert measure_bandwidth(8000, 0.0, available).size_bytes == size


def test_the_machine_and_its_container_say_what_is_available(monkeypatch):
    Clock(monkeypatch, [1.0])
    monkeypatch.setattr(bandwidth, "available_memory_bytes", lambda: 16 * 400)
    assert measure_bandwidth(8000, 0.0).size_bytes == 400
    monkeypatch.setattr(bandwidth, "available_memory_bytes", lambda: None)
    assert measure_bandwidth(8000, 0.0).size_bytes == 8000


def test_a_clock_too_coarse_to_move_is_no_division_by_zero(monkeypatch):
    clock = Clock(monkeypatch, [0.0])
    assert np.isfinite(measure_bandwidth(8000, -1.0, GIB).bytes_per_s)
    assert clock.copies == 6


def test_a_real_copy_gives_a_rate():
    found = measure_bandwidth(2_000_000, budget_s=0.01)
    assert 1e6 < found.bytes_per_s < 1e14
    assert found.spread_bytes_per_s >= 0
