"""Grader processes of this machine."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from multiprocessing.connection import Connection, wait

from gpuedu.errors import GpueduError
from gpuedu.grading.batch.jobs import COURSE, Job, Notice, Reply
from gpuedu.grading.sandbox.cgroups import judges_group

JOB_LIMIT_S = 3000.0
"""How long a job may take. Limits on learners' code end each one sooner: it is for what hangs."""
ENDING_LIMIT_S = 10.0
"""How long a grader may take to end its sandbox before both are killed."""


class GraderProcess:
    """A grader process, and the job that it has."""

    def __init__(self) -> None:
        self.job: Job | None = None
        ours, theirs = socket.socketpair()
        with theirs:
            # Not by `multiprocessing`: a process of a cluster may not have children of that kind.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gpuedu.grading.batch.worker", str(theirs.fileno())],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
            )
        self.connection = Connection(ours.detach())
        self._limits = contextlib.ExitStack()
        self._is_limited = False
        self._began_s = 0.0

    def is_alive(self) -> bool:
        """True if it is still running."""
        return self._process.poll() is None

    def send(self, job: Job) -> None:
        """Give it a job; if it is gone, ``receive`` says so."""
        self.job, self._began_s = job, time.monotonic()
        self._limit(job.sandbox)
        with contextlib.suppress(OSError):
            self.connection.send(job)

    def prepare_for(self, notice: Notice) -> None:
        """Tell it what will come."""
        self._limit(notice.sandbox)
        with contextlib.suppress(OSError):
            self.connection.send(notice)

    def _limit(self, sandbox: bool) -> None:
        """Limit it in memory, where learners' code does not run as its child."""
        if sandbox and not self._is_limited:
            self._is_limited = True
            self._limits.enter_context(judges_group(self._process.pid))

    def receive(self) -> Reply:
        """Wait for the reply to its job; if the process ended, or hangs, that is the reply."""
        self.job = None
        try:
            if self.connection.poll(max(self.left_s(), 0.0)):
                return self.connection.recv()
            self.end(0.0)
            return Reply(fault=f"the worker did not reply within {JOB_LIMIT_S:g} s")
        except (EOFError, OSError):
            self.end(0.5)
            return Reply(fault=f"the worker ended (status {self._process.returncode})")

    def left_s(self) -> float:
        """What is left for its job."""
        return self._began_s + JOB_LIMIT_S - time.monotonic()

    def end(self, limit_s: float = ENDING_LIMIT_S) -> None:
        """End the process and its sandbox."""
        self.connection.close()
        try:
            self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._limits.close()


class LocalCrew:
    """Grader processes on this machine.

    Args:
        most: how many.
        notice: of what will come first: all are started at once, and get ready while submissions
            are read. Without it, each is started when needed.
    """

    def __init__(self, most: int, notice: Notice | None = None) -> None:
        self._most = most
        self._processes: list[GraderProcess] = []
        for _ in range(most if notice else 0):
            self._processes.append(GraderProcess())
            self._processes[-1].prepare_for(notice)

    def has_room(self) -> bool:
        """True if a process has no job, or another may be started."""
        return len(self._processes) < self._most or any(
            process.job is None for process in self._processes
        )

    def take(self, job: Job) -> None:
        """Give a job to a process that has none; a process that is gone is replaced."""
        for process in [one for one in self._processes if not (one.job or one.is_alive())]:
            process.end()
            self._processes.remove(process)
        free = next((process for process in self._processes if process.job is None), None)
        if free is None:
            free = GraderProcess()
            self._processes.append(free)
        free.send(job)

    def replies(self) -> list[tuple[Job, Reply]]:
        """Wait until some jobs are answered, and take the replies.

        Raises:
            GpueduError: the course was changed meanwhile, or the sandbox is gone.
        """
        busy = {process.connection: process for process in self._processes if process.job}
        ready = wait(
            list(busy), max(min((one.left_s() for one in busy.values()), default=0.0), 0.0)
        )
        answered = [one for at, one in busy.items() if at in ready or one.left_s() <= 0]
        answers = [(process.job, process.receive()) for process in answered]
        for _, reply in answers:
            if reply.is_unfit:  # every process of this machine is alike
                raise GpueduError(
                    f"nothing can be graded any more: {reply.fault}",
                    remedy=(
                        f"the class's is in {COURSE}: make both the same, or run it from a folder "
                        "without a gpuedu of its own; what is graded is kept"
                    ),
                )
        return answers

    def end(self) -> None:
        """End all processes."""
        for process in self._processes:
            process.connection.close()  # all of them see it now, and end at the same time
        for process in self._processes:
            process.end()
