"""Launches in a row with planted failures; ``make prove-all`` runs two hundred of them."""

from __future__ import annotations

from tests.multi.launch.trials import run_trials


def test_twenty_launches_with_planted_failures_leave_nothing():
    assert run_trials(20, seed=1, tell=print) == []
