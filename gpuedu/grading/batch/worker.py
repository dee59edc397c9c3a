"""A process that grades one submission after another, with its own sandbox."""

from __future__ import annotations

import contextlib
import signal
import sys
from dataclasses import replace
from importlib.metadata import version
from multiprocessing.connection import Connection

from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load
from gpuedu.grading.batch.jobs import COURSE, Job, Notice, Reply
from gpuedu.grading.judge.cells import imports_in
from gpuedu.grading.judge.grading import grade
from gpuedu.grading.judge.sources import sources_digest
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.player.namespaces import die_with_parent
from gpuedu.grading.sandbox.availability import require_sandbox
from gpuedu.grading.sandbox.limits import JudgeSlowError, SandboxError
from gpuedu.grading.sandbox.users import require_ordinary_user
from gpuedu.grading.submission import Submission
from gpuedu.grading.verdict import Verdict
from gpuedu.syllabus import lesson_in


def work(connection: Connection) -> None:
    """Take jobs from the connection until it closes; answer each with a Reply, but no Notice."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the class's process
    worker = Worker()
    with contextlib.suppress(EOFError, OSError):
        while True:
            message = connection.recv()
            if isinstance(message, Notice):
                worker.prepare_for(message)
            else:
                connection.send(worker.reply(message))
    worker.drop_zygote()


class Worker:
    """Judges one submission after another, with players from a warm process that it keeps."""

    def __init__(self) -> None:
        self._zygote: Zygote | None = None

    def reply(self, job: Job) -> Reply:
        """The verdict on a submission, or what went wrong; never raises."""
        try:
            unfit = _why_unfit(job)
            return Reply(fault=unfit, is_unfit=True) if unfit else Reply(self.judge(job))
        except JudgeSlowError as fault:
            return Reply(fault=str(fault), is_slow=True)
        except Exception as fault:
            self.drop_zygote()
            return Reply(fault=str(fault) if isinstance(fault, GpueduError) else repr(fault))

    def prepare_for(self, notice: Notice) -> None:
        """Start what takes time; what goes wrong is reported when a job comes."""
        with contextlib.suppress(GpueduError, OSError):
            zygote = self._ready_zygote(notice.sandbox)
            zygote.begin(lesson_in(notice.lesson).slug, imports_in(notice.lesson))
            for exercise in lesson_in(notice.lesson).exercises:
                load(exercise)

    def judge(self, job: Job) -> Verdict:
        """The verdict on a submission.

        Raises:
            SandboxError: a fault of ours.
        """
        submission = Submission(job.answers, job.repairs, job.digest)

        zygote = self._ready_zygote(job.sandbox)
        verdict = grade(zygote, job.task, submission, job.limits, job.exercises)
        return replace(verdict, sandbox=job.sandbox)

    def _ready_zygote(self, sandbox: bool) -> Zygote:
        kept = self._zygote
        if kept is None or not kept.is_alive() or kept.sandbox != sandbox:
            self.drop_zygote()
            if sandbox:
                require_sandbox()
            self._zygote = Zygote(sandbox=sandbox)
        return self._zygote

    def drop_zygote(self) -> None:
        """End the sandbox; the next submission gets a new one."""
        if self._zygote is not None:
            self._zygote.end()
            self._zygote = None


def _why_unfit(job: Job) -> str:
    """Why nothing that this job's class sends can be judged here, or ""."""
    here = version("gpuedu")
    if here != job.course:
        return f"it has gpuedu {here}, the class is graded with {job.course}"
    if sources_digest(job.task.lesson) != job.sources:
        return f"its gpuedu {here}, in {COURSE}, has different sources from the class's"
    try:
        if job.sandbox:
            require_sandbox()
        else:
            require_ordinary_user()
    except SandboxError as fault:
        return str(fault)
    return ""


if __name__ == "__main__":
    work(Connection(int(sys.argv[1])))
