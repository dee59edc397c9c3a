"""Grade a class: jobs go to free graders, our own faults are retried, and every task ends."""

from __future__ import annotations

import contextlib
import math
import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load_play
from gpuedu.grading.batch.jobs import Done, Job, Notice, Reply
from gpuedu.grading.batch.ledger import Ledger
from gpuedu.grading.batch.processes import LocalCrew
from gpuedu.grading.batch.reader import import_reader
from gpuedu.grading.sandbox.availability import require_sandbox
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.sandbox.mounts import require_out_of_sight
from gpuedu.grading.sandbox.sweeping import sweep, swept
from gpuedu.grading.sandbox.users import players_user
from gpuedu.grading.verdict import GradingTask
from gpuedu.hardware.machine import available_memory_bytes
from gpuedu.syllabus import lesson_in

TRIES = 3
"""How often a submission is tried if a fault of ours stops it, each time by another worker."""


class Crew(Protocol):
    """Those that grade, wherever they are; each has one job at a time."""

    def has_room(self) -> bool:
        """True if one of them has no job."""

    def take(self, job: Job) -> None:
        """Give a job to one that has none, preferably one that had no fault with it."""

    def replies(self) -> list[tuple[Job, Reply]]:
        """Wait for something to happen, and take the replies.

        Raises:
            GpueduError: no grader is left.
        """

    def end(self) -> None:
        """Release what grading took."""


@dataclass(frozen=True)
class Progress:
    """How one submission went.

    Attributes:
        task: which.
        state: of its verdict; ``there`` if nothing was left to do, ``regraded`` if some of its
            exercises were judged again.
        points: earned.
        seconds: that it took.
        done: submissions that have ended, this one included; of ``total``.
        total: of the class.
        fault: of ours, if it could not be graded.
    """

    task: GradingTask
    state: str
    points: float
    seconds: float
    done: int
    total: int
    fault: str = ""


def grade_class(
    tasks: Sequence[GradingTask],
    out: Path,
    tell: Callable[[Progress], None],
    *,
    workers: int = 0,
    limits: PlayingLimits | None = None,
    again: bool = False,
    sandbox: bool = True,
    regrade: Collection[str] = (),
    scheduler: str = "",
    warn: Callable[[str], None] = print,
) -> dict[str, int]:
    """Grade submissions into verdict files; what is already there is not graded twice.

    The process can be killed at any moment, and the same call resumes where it was.

    Args:
        tasks: the submissions.
        out: the folder of the verdicts; created if missing.
        tell: is called whenever a submission has ended.
        workers: how many submissions are graded at a time; by default one per core of this machine,
            fewer if memory is short, or one per thread of the cluster's workers.
        limits: for each exercise.
        again: also grade what has a verdict.
        sandbox: False runs learners' code as this user; each verdict says so.
        regrade: exercises to judge again in verdicts made by other sources of the course.
        scheduler: address of a Dask scheduler whose workers grade; without it, this machine grades.
        warn: is told of useless workers.

    Returns:
        How many submissions ended in each state.

    Raises:
        SandboxError: there is no sandbox here.
        GpueduError: the cluster is not there, or has no grader left.
    """
    ledger = Ledger(out, limits or PlayingLimits(), again, sandbox, frozenset(regrade))
    with contextlib.ExitStack() as stack:
        if not scheduler and sandbox:
            require_sandbox()
            require_out_of_sight([out, *(Path(task.path) for task in tasks)])
            sweep()
            stack.enter_context(swept())
        ledger.sweep()
        is_new = tasks and ledger.is_empty()
        notice = Notice(tasks[0].lesson, sandbox) if is_new else None
        crew = _crew(workers, len(tasks), scheduler, warn, notice, ledger.limits)
        stack.callback(crew.end)
        import_reader()
        alone = _alone(tasks) if sandbox and not scheduler and players_user() is None else set()
        return dict(_Run(ledger, crew, tell, tasks, alone).grade_all())


def _alone(tasks: Sequence[GradingTask]) -> set[GradingTask]:
    """Those that are graded when nothing else is, where players are the grader's own user.

    The kernel counts some things by user. Who takes all of them could let the processes fail that
    a neighbor's exercise starts.
    """
    lessons = {task.lesson for task in tasks}
    launching = {
        one for one in lessons if any(load_play(e).launches for e in lesson_in(one).exercises)
    }
    return {task for task in tasks if task.lesson in launching}


def _crew(
    workers: int,
    tasks: int,
    scheduler: str,
    warn: Callable[[str], None],
    notice: Notice | None,
    limits: PlayingLimits,
) -> Crew:
    if scheduler:
        from gpuedu.grading.batch.cluster import ClusterCrew  # Dask, which few have installed

        return ClusterCrew(scheduler, workers, warn)
    return LocalCrew(min(workers or most_workers(limits), max(tasks, 1)), notice)


def most_workers(limits: PlayingLimits) -> int:
    """One per core, if each could have the memory that it may take."""
    memory_bytes = available_memory_bytes()
    rooms = math.inf if memory_bytes is None else memory_bytes // limits.memory_bytes
    return int(max(1, min(os.cpu_count() or 1, rooms)))


class _Run:
    """One class on its way."""

    def __init__(
        self,
        ledger: Ledger,
        crew: Crew,
        tell: Callable[[Progress], None],
        tasks: Sequence[GradingTask],
        alone: Collection[GradingTask],
    ) -> None:
        self._ledger, self._crew, self._tell = ledger, crew, tell
        self._waiting = deque(task for task in tasks if task not in alone)
        self._total = len(tasks)
        self._running: dict[Job, GradingTask] = {}
        self._opened: deque[Job] = deque()  # those of them that nobody has yet
        # For when nothing else runs, one at a time.
        self._slow = deque(task for task in tasks if task in alone)
        self._faults: Counter[GradingTask] = Counter()
        self._states: Counter[str] = Counter()

    def grade_all(self) -> Counter[str]:
        """Bring every task to its end."""
        while self._waiting or self._running or self._slow:
            if not (self._waiting or self._running):
                self._waiting.append(self._slow.popleft())
            self._hand_out()
            if not self._opened:
                self._open_next()  # while the others are judged, so that nobody waits for it
            is_idle = self._opened and self._crew.has_room()
            if self._running and not is_idle:
                replies = self._crew.replies()
                self._hand_out()  # before verdicts are written
                for job, reply in replies:
                    self._take(job, reply)
        return self._states

    def _hand_out(self) -> None:
        while (self._opened or self._waiting) and self._crew.has_room():
            if not self._opened:
                self._open_next()
            if self._opened:
                self._crew.take(self._opened.popleft())

    def _open_next(self) -> None:
        if self._waiting:
            self._open(self._waiting.popleft())

    def _open(self, task: GradingTask) -> None:
        try:
            opened = self._ledger.open(task)
        except GpueduError:
            raise  # a folder that cannot be graded into
        except Exception as fault:
            self._count_fault(task, f"it could not be read: {fault!r}")
            return
        if isinstance(opened, Done):
            self._end(task, opened)
        else:
            self._running[opened] = task
            self._opened.append(opened)

    def _take(self, job: Job, reply: Reply) -> None:
        task = self._running.pop(job)
        if reply.verdict is not None:
            self._end(task, self._ledger.keep(job, reply.verdict))
        elif reply.is_unfit:
            self._waiting.appendleft(task)  # it was not tried, and it is not its fault
        else:
            self._count_fault(task, reply.fault, is_slow=reply.is_slow)

    def _count_fault(self, task: GradingTask, fault: str, *, is_slow: bool = False) -> None:
        self._faults[task] += 1
        if self._faults[task] < TRIES:
            is_last = self._faults[task] == TRIES - 1  # then no neighbor may be the reason
            (self._slow if is_slow or is_last else self._waiting).append(task)
        else:
            self._end(task, self._ledger.fail(task, fault), fault)

    def _end(self, task: GradingTask, done: Done, fault: str = "") -> None:
        self._states[done.state] += 1
        count = self._states.total()
        self._tell(Progress(task, done.state, done.points, done.seconds, count, self._total, fault))
