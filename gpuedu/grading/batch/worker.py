"""A process that grades one submission after another, with a sandbox of its own."""

from __future__ import annotations

import contextlib
import signal
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from gpuedu.errors import GpueduError
from gpuedu.grading.judge.grading import grade, read
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.player.namespaces import die_with_parent
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.verdict import State, Task, Verdict, failure_name, verdict_name, write_verdict


def work(
    connection: Connection, out: Path, limits: PlayingLimits, *, again: bool, sandbox: bool
) -> None:
    """Take tasks from the connection until it closes; answer each with how it went.

    An answer is the verdict's state, points and seconds, or a fault of ours: the class's process
    gives the task to another worker then.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the class's process
    worker = Worker(out, limits, again=again, sandbox=sandbox)
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            try:
                done = worker.do(task)
                connection.send(("done", done.state, done.points, done.seconds))
            except Exception as fault:
                worker.drop_zygote()
                told = str(fault) if isinstance(fault, GpueduError) else repr(fault)
                connection.send(("fault", told))
    worker.drop_zygote()


@dataclass(frozen=True)
class Done:
    """How a submission went; ``state`` is "there" where its verdict was there before."""

    path: Path
    state: str
    points: float = 0.0
    seconds: float = 0.0


class Worker:
    """Grades one submission after another into a folder of verdicts.

    Args:
        out: the folder.
        limits: for each exercise.
        again: whether what has a verdict is graded again.
        sandbox: False for code that is trusted; it is written into each verdict.
    """

    def __init__(
        self, out: Path, limits: PlayingLimits, *, again: bool = False, sandbox: bool = True
    ) -> None:
        self._sandbox, self._out, self._limits, self._again = sandbox, out, limits, again
        self._zygote: Zygote | None = None

    def do(self, task: Task) -> Done:
        """Grade one, unless its verdict is there.

        Raises:
            SandboxError: a fault of ours.
        """
        submission = read(task)
        verdict = submission if isinstance(submission, Verdict) else None
        course = Verdict(task, State.GRADED).course
        name = verdict_name(task, submission.digest, course)
        if not self._again and (self._out / name).exists():
            return Done(self._out / name, "there")
        if verdict is None:
            verdict = grade(self._ready_zygote(), task, submission, self._limits)
        verdict = replace(verdict, sandbox=self._sandbox)
        write_verdict(self._out, name, verdict)
        (self._out / failure_name(task)).unlink(missing_ok=True)
        return Done(self._out / name, verdict.state, verdict.points, verdict.seconds)

    def _ready_zygote(self) -> Zygote:
        if self._zygote is None or not self._zygote.is_alive():
            self.drop_zygote()
            self._zygote = Zygote(sandbox=self._sandbox)
        return self._zygote

    def drop_zygote(self) -> None:
        """End the sandbox; the next submission gets a new one."""
        if self._zygote is not None:
            self._zygote.end()
            self._zygote = None
