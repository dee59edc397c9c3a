"""How often a work is run, and what is made of its times."""

from __future__ import annotations

import pytest

from gpuedu.clock import Timing
from gpuedu.recording.points import PreparedPoint
from gpuedu.recording.timing import LEAST, MOST, in_unit, runs_of_a_sample, time_work
from tests.recording.planted import PlantedBench


def work(**options):
    return PreparedPoint(lambda: None, lambda: "", **options)


def test_a_short_work_is_run_many_times_a_sample():
    bench = PlantedBench(1e-6)
    timing = time_work(bench, work(), 0.3)
    assert len(timing.times_s) == MOST
    assert bench.runs == 1 + 100 * MOST
    assert timing.median_s == pytest.approx(1e-6)
    assert 0 < timing.spread_s < 0.05e-6


def test_a_long_work_is_run_three_times_at_least():
    bench = PlantedBench(2.0)
    timing = time_work(bench, work(), 0.3)
    assert len(timing.times_s) == bench.runs == LEAST


def test_the_budget_ends_it():
    bench = PlantedBench(0.01)
    begun_s = bench.now_s()
    timing = time_work(bench, work(), 0.2)
    assert LEAST < len(timing.times_s) < MOST
    assert 0.2 <= bench.now_s() - begun_s < 0.22


def test_who_says_how_many_runs_make_a_sample_is_obeyed():
    bench = PlantedBench(1e-6)
    time_work(bench, work(times=7), 0.3)
    assert bench.runs == 1 + 7 * MOST


def test_the_hosts_clock_is_used_where_it_is_asked_for(monkeypatch):
    bench = PlantedBench(0.1)
    monkeypatch.setattr(bench, "host_time_s", lambda run, times: 5.0)
    assert time_work(bench, work(by_host=True, times=1), 0.0).median_s == 5.0


@pytest.mark.parametrize(("run_s", "runs"), [(2e-4, 1), (1e-4, 2), (0.9e-4, 3), (1e-9, 100)])
def test_a_sample_is_long_enough_for_the_clock(run_s, runs):
    assert runs_of_a_sample(run_s) == runs


def test_rates_are_made_of_each_time():
    rates = in_unit(Timing((1.0, 2.0, 4.0)), "B/s", 8.0)
    assert rates.times_s == (8.0, 4.0, 2.0)
    assert in_unit(Timing((1.0, 2.0)), "s", 8.0).times_s == (1.0, 2.0)
