"""Launches in a row with planted failures: one of each kind in CI, hundreds in ``make prove-all``."""

from __future__ import annotations

from tests.multi.launch.trials import KINDS, run_trials
from tests.sampled import WHOLE, only_whole


@only_whole
def test_launches_with_planted_failures_leave_nothing():
    assert run_trials(20 if WHOLE else len(KINDS), seed=1, tell=print) == []
