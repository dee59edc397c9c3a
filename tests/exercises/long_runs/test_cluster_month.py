"""Simulated logs, and the account of their minutes."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.long_runs.accounts_alone import accounts, losses, paid_hours, spans_of
from gpuedu.exercises.long_runs.cluster_month import Habits, cluster_log, cut_log


def _log(seed: int, minutes: int = 8000) -> dict:
    return cluster_log(np.random.default_rng(seed), minutes, 72, 64, Habits(failure_min=300.0))


@pytest.mark.parametrize("seed", range(5))
def test_one_run_at_a_time(seed: int) -> None:
    runs = [one for one in _log(seed)["events"] if one["kind"] == "run"]
    ends = [one["end"] for one in runs]
    assert None not in ends[:-1]
    assert all(end < after["start"] for end, after in zip(ends[:-1], runs[1:], strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_accounts_add_up(seed: int) -> None:
    log = _log(seed)
    for start, end in ((0, 8000), (777, 6001), (3000, 3002)):
        part = cut_log(log, start, end)
        assert sum(accounts(part).values()) == pytest.approx(paid_hours(part), rel=1e-12)
        assert sum(losses(part).values()) + accounts(part)["trained"] == pytest.approx(
            paid_hours(part), rel=1e-12
        )


@pytest.mark.parametrize("seed", range(5))
def test_parts_of_a_log_make_the_whole(seed: int) -> None:
    """What stops a run is the same in parts; what is lost may be known only later."""
    log = _log(seed)
    whole = accounts(log)
    parts = [accounts(cut_log(log, start, start + 2000)) for start in range(0, 8000, 2000)]
    for kind in ("startup", "save", "evaluation", "input", "slow", "down", "spare"):
        assert sum(part[kind] for part in parts) == pytest.approx(whole[kind], rel=1e-12), kind


def test_account_by_hand() -> None:
    events = [
        {"kind": "run", "start": 0, "end": 300, "gpus": 6, "ends": "failure"},
        {"kind": "startup", "start": 0, "end": 10},
        {"kind": "save", "start": 100, "end": 102, "written": 110},
        {"kind": "slow", "start": 200, "end": 260, "share": 0.5},
        {"kind": "save", "start": 290, "end": 292, "written": None},
    ]
    log = {"start": 0, "end": 360, "gpus": 8, "events": events}
    wanted = {"startup": 1.0, "save": 0.4, "slow": 3.0, "down": 8.0, "spare": 10.0}
    wanted |= {"redone": (198 - 30 - 2) / 10, "trained": 9.0, "input": 0.0, "evaluation": 0.0}
    assert accounts(log) == pytest.approx(wanted)
    assert spans_of(log, "redone") == [(102, 290), (292, 300)]
    assert spans_of(log, "down") == [(300, 360)]


def test_month_is_plausible() -> None:
    log = cluster_log(np.random.default_rng(1))
    failures = sum(one.get("ends") == "failure" for one in log["events"])
    hours = accounts(log)
    # 30 days with a failure in 7 hours and the time to start again.
    assert 60 < failures < 130
    assert 0.6 < hours["trained"] / paid_hours(log) < 0.9
