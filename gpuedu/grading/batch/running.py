"""A class is graded: tasks go to workers, faults of ours are tried again, every task ends."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from gpuedu.grading.batch.worker import work
from gpuedu.grading.sandbox.availability import require_sandbox
from gpuedu.grading.sandbox.cgroups import sweep_groups
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.verdict import SUFFIX, State, Task, Verdict, failure_name, write_verdict

TRIES = 3
"""How often a submission is tried where a fault of ours stops it, each time by another worker."""


@dataclass(frozen=True)
class Progress:
    """How one submission went.

    Attributes:
        task: which.
        state: of its verdict; ``there`` where one was there before.
        points: earned.
        seconds: that it took.
        done: submissions that have ended, this one included; of ``total``.
        total: of the class.
        fault: of ours, where it could not be graded.
    """

    task: Task
    state: str
    points: float
    seconds: float
    done: int
    total: int
    fault: str = ""


@dataclass
class _Seat:
    """A worker, and what it is doing."""

    process: BaseProcess
    connection: Connection
    task: Task | None = None


@dataclass
class _Queue:
    """What is still to be done, and how often each was tried."""

    waiting: deque[Task]
    tries: dict[Task, int] = field(default_factory=dict)


def grade_class(
    tasks: Sequence[Task],
    out: Path,
    tell: Callable[[Progress], None],
    *,
    workers: int = 0,
    limits: PlayingLimits | None = None,
    again: bool = False,
    sandbox: bool = True,
) -> dict[str, int]:
    """Grade submissions into verdict files; what is there already is not graded twice.

    The process can be killed at any moment, and the same call goes on where it was.

    Args:
        tasks: the submissions.
        out: the folder of the verdicts; made where it is not there.
        tell: is called whenever a submission has ended.
        workers: processes; one a core by default.
        limits: for each exercise.
        again: grade also what has a verdict.
        sandbox: False runs learners' code as this user; each verdict says so.

    Returns:
        How many submissions ended in each state.

    Raises:
        SandboxError: there is no sandbox here.
    """
    if sandbox:
        require_sandbox()
        sweep_groups()
    out.mkdir(parents=True, exist_ok=True)
    for left in out.glob(f".*{SUFFIX}.*"):  # of a run that was killed while it wrote
        left.unlink()
    limits = limits or PlayingLimits()
    queue, counts = _Queue(deque(tasks)), {}
    count = min(workers or os.cpu_count() or 1, max(len(tasks), 1))
    settings = {"again": again, "sandbox": sandbox}
    seats = [_seat(out, limits, settings) for _ in range(count)]
    try:
        while any(seat.task for seat in seats) or queue.waiting:
            for place, seat in enumerate(seats):
                if not seat.process.is_alive() and seat.task is None:
                    seats[place] = seat = _seat(out, limits, settings)
                if seat.task is None and queue.waiting:
                    seat.task = queue.waiting.popleft()
                    seat.connection.send(seat.task)
            for seat in _answered(seats):
                progress = _take(seat, queue, out, sum(counts.values()), len(tasks))
                if progress is not None:
                    counts[progress.state] = counts.get(progress.state, 0) + 1
                    tell(progress)
    finally:
        for seat in seats:
            seat.connection.close()
            seat.process.join(10)
            seat.process.kill()
            seat.process.join()
    return counts


def _seat(out: Path, limits: PlayingLimits, settings: dict[str, bool]) -> _Seat:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(
        target=work, args=(theirs, out, limits), kwargs=settings, name="grader"
    )
    process.start()
    theirs.close()
    return _Seat(process, ours)


def _answered(seats: list[_Seat]) -> list[_Seat]:
    busy = {seat.connection: seat for seat in seats if seat.task}
    return [busy[one] for one in wait(list(busy)) if one in busy]


def _take(seat: _Seat, queue: _Queue, out: Path, done: int, total: int) -> Progress | None:
    """What came of a task; None where another worker is to try it."""
    task, seat.task = seat.task, None
    try:
        kind, *told = seat.connection.recv()
    except (EOFError, OSError):
        seat.process.join(5)
        seat.process.kill()
        seat.process.join()
        kind, told = "fault", [f"the worker ended (status {seat.process.exitcode})"]
    if kind == "done":
        return Progress(task, *told, done + 1, total)
    queue.tries[task] = queue.tries.get(task, 0) + 1
    if queue.tries[task] < TRIES:
        queue.waiting.append(task)
        return None
    (fault,) = told
    _write_failure(out, task, fault)
    return Progress(task, State.FAILED_BY_GRADER, 0.0, 0.0, done + 1, total, fault)


def _write_failure(out: Path, task: Task, fault: str) -> None:
    """Say that it is our fault; another run tries again, since this is no verdict's name."""
    verdict = Verdict(task, State.FAILED_BY_GRADER, reason=fault)
    write_verdict(out, failure_name(task), verdict)
