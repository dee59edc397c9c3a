"""Logs of goodput's cases: small ones, of which each shows one rule, and days of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpuedu.exercises.long_runs.cluster_month import Habits, cluster_log, cut_log

Log = dict[str, Any]
_DAY = 1440
_BAD = Habits(failure_min=260.0, down_min=25.0, interval_min=40, slow_min=(400.0, 90.0))


def event(kind: str, start: int, end: int | None, **more: Any) -> dict[str, Any]:
    """One event of a log."""
    return {"kind": kind, "start": start, "end": end, **more}


def _run(start: int, end: int | None, ends: str | None, gpus: int = 8) -> dict[str, Any]:
    return event("run", start, end, gpus=gpus, ends=ends)


def _log(start: int, end: int, gpus: int, *events: dict[str, Any]) -> Log:
    ordered = sorted(events, key=lambda one: (one["start"], one["kind"] != "run"))
    return {"start": start, "end": end, "gpus": gpus, "events": ordered}


def one_kind_at_a_time(rng: np.random.Generator) -> Iterator[Log]:
    """Runs that never fail, with everything that interrupts training, alone and overlapping."""
    first = int(rng.integers(5, 40))
    whole = _run(0, None, None)
    startup = event("startup", 0, first)
    save = event("save", 240, 244, written=250)
    yield _log(0, 600, 8, whole, startup, save)
    yield _log(0, 600, 8, whole, event("evaluation", 100, 160), event("input", 300, 312))
    yield _log(0, 600, 8, whole, event("evaluation", 100, 160), event("input", 150, 180))
    saved = event("save", 120, 126, written=130)
    yield _log(0, 600, 8, whole, event("evaluation", 100, 160), saved)
    both = (event("save", 200, 204, written=210), event("input", 198, 220))
    yield _log(0, 600, 8, whole, *both, event("input", 210, 230))
    yield _log(0, 600, 8, whole, event("startup", 0, 30), event("input", 20, 50))


def nothing_runs(rng: np.random.Generator) -> Iterator[Log]:
    """Time without a run, and GPUs that no run uses."""
    start, end = int(rng.integers(10, 60)), int(rng.integers(400, 500))
    yield _log(0, 600, 8, _run(start, end, "stopped"), event("save", end - 2, end, written=end))
    yield _log(0, 600, 10, _run(0, None, None))
    first = _run(start, 200, "stopped")
    saved = event("save", 198, 200, written=200)
    yield _log(0, 600, 10, first, saved, _run(260, None, None, 4))


def slow_machines(rng: np.random.Generator) -> Iterator[Log]:
    """Machines that are slow: alone, two at once, and while nothing trains."""
    whole, share = _run(0, None, None), float(rng.choice([0.125, 0.25]))
    yield _log(0, 600, 8, whole, event("slow", 100, 220, share=share))
    slow = event("slow", 100, 220, share=share), event("slow", 160, 300, share=0.5)
    yield _log(0, 600, 8, whole, *slow)
    evaluation = event("evaluation", 200, 260)
    yield _log(0, 600, 8, whole, event("slow", 100, 220, share=share), evaluation)


def lost_work(rng: np.random.Generator) -> Iterator[Log]:
    """Failures after a save, before one, while one is written, and twice without one.

    One log has its last save first.
    """
    fails = int(rng.integers(300, 420))
    run = _run(0, fails, "failure")
    early = event("save", 120, 124, written=130)
    yield _log(0, 600, 8, run, early)
    yield _log(0, 600, 8, run)
    late = event("save", fails - 9, fails - 6, written=None)
    yield _log(0, 600, 8, run, early, late)
    just = event("save", fails - 9, fails - 6, written=fails)
    swapped = _log(0, 600, 8, run, early, _run(fails + 20, None, None))
    yield {**swapped, "events": [just, *swapped["events"]]}
    yield _log(0, 600, 8, run, early, _run(fails, None, None))
    again = _run(fails + 10, fails + 80, "failure"), event("startup", fails + 10, fails + 20)
    yield _log(0, 600, 8, run, early, *again)
    stopped = _run(0, 200, "stopped"), event("save", 197, 200, written=200)
    yield _log(0, 600, 8, *stopped, _run(230, 330, "failure"))
    beside = event("evaluation", 200, 240), event("slow", 150, 260, share=0.25)
    yield _log(0, 600, 8, run, early, *beside)


def cut_off(rng: np.random.Generator) -> Iterator[Log]:
    """Logs that begin in the middle of a run, and events that nobody saw the end of."""
    fails = int(rng.integers(1300, 1400))
    run = _run(700, fails, "failure")
    yield _log(1000, 1600, 8, run, event("evaluation", 980, 1030))
    yield _log(1000, 1600, 8, run, event("save", 994, 999, written=1003))
    saved = event("save", 1100, 1104, written=1110)
    yield _log(1000, 1600, 8, run, saved, event("evaluation", fails - 20, None))
    last = _run(fails + 20, None, None), event("input", 1590, None)
    yield _log(1000, 1600, 8, run, saved, *last)


def whole_days(rng: np.random.Generator, count: int) -> Iterator[Log]:
    """The first two days of a cluster on which much goes wrong."""
    for _ in range(count):
        yield cluster_log(rng, 2 * _DAY, 72, 64, _BAD)


def days(rng: np.random.Generator, count: int) -> Iterator[Log]:
    """Days of such a cluster, from any moment on."""
    for _ in range(count):
        whole = cluster_log(rng, 4 * _DAY, 72, 64, _BAD)
        start = int(rng.integers(300, _DAY))
        yield cut_log(whole, start, start + int(rng.integers(_DAY, 2 * _DAY)))


def of_causes(rng: np.random.Generator) -> Iterator[Log]:
    """Logs whose largest losses differ."""
    for habits, gpus in (
        (Habits(failure_min=180.0, down_min=40.0, slow_min=(9e6, 1.0)), 64),
        (Habits(slow_min=(60.0, 400.0)), 65),
        (Habits(failure_min=3000.0, input_min=(40.0, 30.0), slow_min=(9e6, 1.0)), 64),
        (Habits(failure_min=3000.0, evaluation_min=(60, 30), slow_min=(9e6, 1.0)), 64),
        (Habits(failure_min=9000.0, interval_min=12, save_min=4, slow_min=(9e6, 1.0)), 64),
        (Habits(failure_min=4000.0, slow_min=(9e6, 1.0)), 96),
    ):
        yield cut_log(cluster_log(rng, 3 * _DAY, gpus, 64, habits), 200, 3 * _DAY)
