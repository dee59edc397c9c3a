"""Costs, offers and interruptions: units, ties, impossible jobs, and formula against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuedu.choosing import costs, offers, spot
from gpuedu.choosing.models import ShapeError
from gpuedu.choosing.offers import Job, Offer

JOB = Job(3.6e18, 10e9, 10e9, 0.1, 1e6, 1e6)
SLOW = Offer("slow", 40e9, 1e14, 1.0, 4)
FAST = Offer("fast", 80e9, 2e14, 2.0, 4)


def test_what_a_run_costs_has_its_units():
    # 100 hours, 2 devices of 500 W, and the building's half of that on top
    cost = costs.run_cost(360_000, 1.0, 2, 500, 1.5, 3.0, 200)
    assert cost == costs.Cost(hours=100.0, kwh=150.0, money=600.0, kg=30.0)


@pytest.mark.parametrize(
    "changed",
    [{"pue": 0.9}, {"pue": math.nan}, {"steps": -1}, {"power_w": math.inf}, {"step_s": "1"}],
)
def test_what_cannot_be_is_refused(changed):
    given = {"steps": 1, "step_s": 1.0, "devices": 1, "power_w": 1, "pue": 1}
    with pytest.raises(ShapeError):
        costs.run_cost(**given | changed, price_per_hour=1, g_per_kwh=1)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=20), st.integers(0, 10**9))
def test_a_counter_that_starts_again_loses_nothing(steps, start):
    wraps_at = 10**9 + 1
    readings = [int(one) for one in (start + np.cumsum([0, *steps])) % wraps_at]
    assert costs.energy_j(readings, wraps_at) == pytest.approx(sum(steps) / 1e6)


def test_the_cheapest_wins_and_ties_go_to_fewer_devices_then_the_first():
    even = Job(**vars(JOB) | {"overhead": 0.0})
    assert offers.pick(even, [SLOW, FAST]) == "1 x slow"
    assert offers.pick(even, [FAST, SLOW]) == "1 x fast"
    assert offers.pick(JOB, [FAST, Offer("dear", 80e9, 2e14, 2.1, 4)]) == "1 x fast"


def test_each_condition_rules_out_alone():
    hours = 3.6e18 / 1e14 / 3600
    late = Job(**vars(JOB) | {"deadline_h": 0.9 * hours})
    assert offers.pick(late, [SLOW]) == "2 x slow"
    assert offers.pick(late, [SLOW, FAST]) == "1 x fast"
    assert offers.pick(Job(**vars(JOB) | {"budget": 0.5 * hours}), [SLOW]) == ""
    assert offers.pick(Job(**vars(JOB) | {"shared_bytes": 80e9}), [SLOW]) == "4 x slow"
    assert offers.pick(Job(**vars(JOB) | {"own_bytes": 37e9}), [SLOW]) == ""


def test_buying_pays_above_a_share_of_hours_or_never():
    assert offers.share_to_buy(8760, 1, 0, 0.3, 2.0) == 0.5
    assert offers.share_to_buy(8760, 1, 0, 0.3, 0.9) == math.inf
    assert offers.share_to_buy(1, 1, 1000, 0.5, 0.5) == math.inf


def test_an_interruption_loses_what_is_not_saved():
    assert spot.run_h([], 4.0, 1.0, 0.25, 0.5) == 4.75
    assert spot.run_h([1.2], 4.0, 1.0, 0.25, 0.5) == 1.2 + 0.5 + 4.75
    assert spot.run_h([1.25], 4.0, 1.0, 0.25, 0.5) == 1.25 + 0.5 + 3.5
    assert spot.run_h([0.1, 0.4], 1.0, 1.0, 0.25, 0.5) == 0.5 + 0.5 + 1.0


def test_the_mean_of_many_runs_is_the_formula():
    rng = np.random.default_rng(3)
    plan = (1.0, 0.1, 0.2)
    runs = [spot.run_h(rng.exponential(6.0, 400).tolist(), 50.0, *plan) for _ in range(600)]
    # The formula saves once more, after the last piece.
    assert np.mean(runs) == pytest.approx(spot.expected_h(50.0, *plan, 6.0), rel=0.03)


@pytest.mark.parametrize("mean_h", [0.5, 2.0, 20.0])
def test_the_best_interval_is_a_minimum(mean_h):
    best = spot.best_interval(0.1, 0.2, mean_h)
    at = [spot.expected_h(1, best * by, 0.1, 0.2, mean_h) for by in (0.9, 1.0, 1.1)]
    assert at[1] == min(at)


def test_young_is_right_where_interruptions_are_rare():
    assert spot.best_interval(0.01, 0.1, 1000.0) == pytest.approx(math.sqrt(20.0), rel=0.02)
