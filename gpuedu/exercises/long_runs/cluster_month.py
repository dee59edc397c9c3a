"""A month of a training run on a cluster that is paid for, as a log of events.

What it simplifies: one run at a time, on a fixed number of GPUs; a failure stops all of it; and
whatever is slow makes all others wait for the same share of the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Event = dict[str, Any]
Log = dict[str, Any]


@dataclass(frozen=True)
class Habits:
    """How a run goes, in minutes, on average where it is random.

    Attributes:
        failure_min: From the start of a run to its failure (exponential).
        down_min: From a failure to the next start (exponential, rounded up).
        startup_min: From a start to the first step (uniform, within a half).
        interval_min: Between two saves.
        save_min: Training stops for so long (constant).
        write_min: After that the checkpoint is written (constant).
        evaluation_min: How often, and how long.
        input_min: How often, and how long (exponential) training waits for data.
        slow_min: How often, and how long (exponential) a machine is slow.
        stopped_share: How many of a run's ends are planned.
    """

    failure_min: float = 420.0
    down_min: float = 14.0
    startup_min: float = 9.0
    interval_min: int = 45
    save_min: int = 1
    write_min: int = 4
    evaluation_min: tuple[int, int] = (360, 15)
    input_min: tuple[float, float] = (300.0, 7.0)
    slow_min: tuple[float, float] = (1500.0, 150.0)
    stopped_share: float = 0.06


def cluster_log(
    rng: np.random.Generator,
    minutes: int = 43_200,
    paid: int = 1056,
    used: int = 1024,
    habits: Habits | None = None,
) -> Log:
    """A log from minute 0 on.

    Args:
        rng: What is random is drawn from it.
        minutes: How long it is; 30 days by default.
        paid: GPUs that are paid for all the time.
        used: GPUs of a run.
        habits: How a run goes.

    Returns:
        A dict with ``start`` and ``end`` in minutes, ``gpus``, and ``events``, in order of their
        starts. Each event has ``kind``, ``start`` and ``end``. A ``run`` has ``gpus`` and ``ends``,
        "failure" or "stopped"; a ``save`` has ``written``, and ``slow`` a ``share``. None stands
        for what a failure, or the end of the log, came before.
    """
    habits = habits or Habits()
    events: list[Event] = []
    now = int(rng.integers(0, 30))
    while now < minutes:
        end = now + max(20, round(rng.exponential(habits.failure_min)))
        is_stopped = bool(rng.random() < habits.stopped_share)
        ends = "stopped" if is_stopped else "failure"
        run = {"kind": "run", "start": now, "end": end, "gpus": used, "ends": ends}
        events += [run, *_of_run(rng, habits, now, end, is_stopped)]
        now = end + 1 + round(rng.exponential(habits.down_min))
    events.sort(key=lambda one: (one["start"], one["kind"] != "run"))
    return cut_log({"start": 0, "end": minutes, "gpus": paid, "events": events}, 0, minutes)


def _of_run(
    rng: np.random.Generator, habits: Habits, start: int, end: int, is_stopped: bool
) -> Iterator[Event]:
    half = habits.startup_min / 2
    first_step = start + max(1, round(rng.uniform(half, 3 * half)))
    yield _event("startup", start, first_step, end)
    for begin in range(first_step + habits.interval_min, end, habits.interval_min):
        done = begin + habits.save_min
        written = done + habits.write_min
        save = _event("save", begin, done, end)
        yield {**save, "written": written if written <= end else None}
    every, lasts = habits.evaluation_min
    for begin in range(first_step + every, end, every):
        yield _event("evaluation", begin, begin + lasts, end)
    for kind, (mean_gap, mean) in (("input", habits.input_min), ("slow", habits.slow_min)):
        begin = first_step + round(rng.exponential(mean_gap))
        while begin < end:
            done = begin + 1 + round(rng.exponential(mean))
            event = _event(kind, begin, done, end)
            share = {"share": float(rng.choice([0.1, 0.2, 0.25, 0.5]))} if kind == "slow" else {}
            yield {**event, **share}
            begin = done + round(rng.exponential(mean_gap))
    if is_stopped:
        yield {**_event("save", end - habits.save_min, end, end), "written": end}


def _event(kind: str, start: int, end: int, run_end: int) -> Event:
    return {"kind": kind, "start": start, "end": end if end <= run_end else None}


def cut_log(log: Log, start: int, end: int) -> Log:
    """The part of a log from one minute to another, as it would have been written at its end.

    It has all that reaches into it, with the real starts. A save does until it is written. What
    goes on at its end, or is written later, has None there.

    >>> run = {"kind": "run", "start": 2, "end": 9, "gpus": 8, "ends": "failure"}
    >>> cut_log({"start": 0, "end": 20, "gpus": 8, "events": [run]}, 5, 8)["events"]
    [{'kind': 'run', 'start': 2, 'end': None, 'gpus': 8, 'ends': None}]
    """
    runs = [one for one in log["events"] if one["kind"] == "run"]
    events = []
    for one in log["events"]:
        last = max(
            (one[name] for name in ("end", "written") if one.get(name) is not None), default=0
        )
        if one["end"] is None:
            last = max(last, _end_of_run(runs, one["start"], end))
        if one["start"] < end and last > start:
            events.append(_cut_event(one, end))
    return {"start": start, "end": end, "gpus": log["gpus"], "events": events}


def _end_of_run(runs: list[Event], start: int, otherwise: int) -> int:
    """Where the run ends in which something started that has no end of its own."""
    ends = [one["end"] for one in runs if one["start"] <= start and one["end"] is not None]
    later = [end for end in ends if end > start]
    return min(later, default=otherwise)


def _cut_event(event: Event, end: int) -> Event:
    cut = dict(event)
    for name in ("end", "written"):
        if cut.get(name) is not None and cut[name] > end:
            cut[name] = None
    if cut["kind"] == "run" and cut["end"] is None:
        cut["ends"] = None
    return cut
