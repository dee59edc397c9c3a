"""stall-fraction: truths against the simulation, and refusals of what is no answer."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.feed_the_gpu.feeding import feed
from gpuedu.exercises.feed_the_gpu.stall_fraction.judge.recurrence import schedule
from gpuedu.exercises.feed_the_gpu.stall_fraction.schedules import RARE, STEP_S, STEPS, loads_of
from gpuedu.exercises.registry import load
from tests.exercises.reports import fault, hand_in, lost


def test_the_prediction_is_what_the_simulation_gives():
    truth = load("stall-fraction").judge.predictions["stall-fraction"].truth
    run = feed(loads_of(RARE), [STEP_S] * STEPS, 1)
    assert truth == pytest.approx(100 * run.stall_share, abs=0.05)


@pytest.mark.parametrize("depth", [1, 2, 3, 5, 20])
def test_the_recurrence_is_the_simulation(depth):
    rng = np.random.default_rng(3)
    loads, computes = ((rng.integers(1, 300, 20) * 1e-4).tolist() for _ in range(2))
    assert feed(loads, computes, depth).done_s == pytest.approx(schedule(loads, computes, depth))


def test_times_for_all_steps_but_one_are_refused():
    report = hand_in("stall-fraction", done_times=lambda loads_s, computes_s, depth: loads_s[1:])
    assert "numbers, got" in fault(report, "done").message


def test_a_name_that_is_neither_of_the_two_is_refused():
    report = hand_in("stall-fraction", bottleneck=lambda loads_s, computes_s: "disk")
    assert lost(report) == {"bottleneck"}
    assert 'should be "loader" or "device"' in fault(report, "bottleneck").message
