"""What in a class is already graded: the folder of its verdicts, and what is written there."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gpuedu.errors import GpueduError
from gpuedu.grading.batch.jobs import Done, Job
from gpuedu.grading.batch.variants import NAME as VARIANTS
from gpuedu.grading.batch.variants import Variants
from gpuedu.grading.judge.sources import sources_digest
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.submission import Submission
from gpuedu.grading.verdict import (
    SUFFIX,
    GradingTask,
    State,
    Verdict,
    failure_name,
    read_folder,
    read_verdict,
    seed_mark,
    verdict_from,
    verdict_name,
    write_verdict,
    writing_in,
)
from gpuedu.syllabus import lesson_in

_WRITTEN_S = 60.0
"""How long nobody takes to write a verdict."""
SET_ASIDE = "superseded"
"""Folder, beside the verdicts, for those on earlier submissions; no command reads them."""


@dataclass(frozen=True)
class Ledger:
    """The verdicts of a class: whose, on what, and how judged.

    Which exercises are judged again follows from the verdicts alone: each gives, for every exercise
    in it, the digest of the sources that judged it. So a regrade that was killed resumes where it
    was, and one that is asked for twice does nothing the second time; nothing else has to be kept.

    Attributes:
        out: the folder.
        limits: for each exercise.
        again: whether what has a verdict is graded again.
        sandbox: False for code that is trusted; it is written into each verdict.
        regrade: exercises that are judged again if a verdict was made by sources other than the
            current ones; with ``again``, always.
    """

    out: Path
    limits: PlayingLimits
    again: bool = False
    sandbox: bool = True
    regrade: Collection[str] = ()

    def open(self, task: GradingTask) -> Job | Done:
        """What has to be judged in a submission; Done if nothing is left to do."""
        self._require_variants(task)
        # Notebooks' library takes a second to be imported, in which workers make themselves ready.
        from gpuedu.grading.reading.released import read

        submission = read(task)
        name = verdict_name(task, submission.digest, version("gpuedu"))
        exercises: tuple[str, ...] = ()
        if self.regrade and (former := self._former(task, submission.digest)):
            exercises = self._out_of_date(read_verdict(former))
            if not exercises:
                return self._there(task, former)
        elif not self.again and (self.out / name).exists():
            return self._there(task, self.out / name)
        if isinstance(submission, Verdict):
            done = self._write(replace(submission, sandbox=self.sandbox))
            self._set_aside(task, done.path)
            return done
        return self._job(task, submission, exercises)

    def _require_variants(self, task: GradingTask) -> None:
        """Raise GpueduError where the note is gone that a class was given numbers of its own."""
        if not task.variant and self._has_variants:
            raise GpueduError(
                f"{self.out} has verdicts on a class's own numbers, but {VARIANTS}, which says "
                "whose they are, is gone: learners would be judged by numbers that they were "
                "not given",
                remedy=f"write it again: the one word `{Variants.CLASS}` or `{Variants.LEARNER}`",
            )

    def _job(self, task: GradingTask, submission: Submission, exercises: tuple[str, ...]) -> Job:
        return Job(
            replace(task, path=""),
            dict(submission.answers),
            submission.repairs,
            submission.digest,
            exercises or lesson_in(task.lesson).exercises,
            version("gpuedu"),
            sources_digest(task.lesson),
            self.limits,
            self.sandbox,
        )

    def keep(self, job: Job, verdict: Verdict) -> Done:
        """Write the verdict on a job; what was judged again goes into the verdict there is."""
        former = self._former(job.task, job.digest) if self.regrade else None
        if former is None:
            done = self._write(verdict)
        else:
            verdict_there = read_verdict(former)
            done = self._write(
                merge(verdict_from(verdict_there, job.task), verdict, verdict_there["course"])
            )
            done = replace(done, state="regraded")
            if former != done.path:
                former.unlink()  # of another version; the new one has all that was in it
        self._set_aside(job.task, done.path)
        return done

    def fail(self, task: GradingTask, fault: str) -> Done:
        """Say that it is our fault; another run tries again, as this is not a verdict's name."""
        verdict = Verdict(task, State.FAILED_BY_GRADER, reason=fault)
        return Done(write_verdict(self.out, failure_name(task), verdict), verdict.state)

    def sweep(self) -> None:
        """Make the folder, and remove what a killed run half wrote."""
        with writing_in(self.out):
            self.out.mkdir(parents=True, exist_ok=True)
            for left in self.out.glob(f".*{SUFFIX}.*"):
                if _is_left(left):
                    left.unlink(missing_ok=True)

    def is_empty(self) -> bool:
        """True if there is no verdict at all."""
        return not any(self.out.glob(f"*{SUFFIX}"))

    def _there(self, task: GradingTask, path: Path) -> Done:
        self._set_aside(task, path)
        self._forget_failure(task)
        return Done(path, "there")

    def _forget_failure(self, task: GradingTask) -> None:
        with writing_in(self.out):
            (self.out / failure_name(task)).unlink(missing_ok=True)

    def _set_aside(self, task: GradingTask, path: Path) -> None:
        """Move verdicts on what the learner had handed in before out of the way of the last one."""
        for other, verdict in self._found.items():
            is_theirs = (verdict["learner"], verdict["lesson"]) == (task.learner, task.lesson)
            if is_theirs and other != path and verdict["digest"] and other.exists():
                with writing_in(self.out):
                    (self.out / SET_ASIDE).mkdir(exist_ok=True)
                    with contextlib.suppress(FileNotFoundError):  # another command was first
                        other.replace(self.out / SET_ASIDE / other.name)

    def _write(self, verdict: Verdict) -> Done:
        name = verdict_name(verdict.task, verdict.digest, verdict.course)
        path = write_verdict(self.out, name, verdict)
        self._forget_failure(verdict.task)
        self._found[path] = _whose(verdict.as_dict())
        return Done(path, verdict.state, verdict.points, verdict.seconds)

    def _out_of_date(self, verdict: Mapping[str, Any]) -> tuple[str, ...]:
        """Exercises that are to be judged again for a verdict; none where nothing could be read."""
        if verdict["state"] != State.GRADED:
            return ()
        now = sources_digest(verdict["lesson"])
        judged_by = {one["id"]: one.get("judged_by") for one in verdict["exercises"]}
        return tuple(
            name
            for name in lesson_in(verdict["lesson"]).exercises
            if name in self.regrade and (self.again or judged_by.get(name) != now)
        )

    def _former(self, task: GradingTask, digest: str) -> Path | None:
        """The verdict on just this submission, whichever version of the course made it."""
        path = self.out / verdict_name(task, digest, version("gpuedu"))
        older = self._by_submission.get((task.learner, task.lesson, digest, seed_mark(task.seed)))
        if path.exists():
            if older is not None and older != path:  # a run was killed before it removed that
                older.unlink(missing_ok=True)
            return path
        return older if older is not None and older.exists() else None

    @cached_property
    def _found(self) -> dict[Path, dict[str, str]]:
        """Whose the verdicts are that lay there at first, or were written since."""
        return {path: _whose(verdict) for path, verdict in read_folder(self.out).items()}

    @cached_property
    def _has_variants(self) -> bool:
        return any(verdict["variant"] for verdict in self._found.values())

    @cached_property
    def _by_submission(self) -> dict[tuple[str, ...], Path]:
        """Verdicts that other versions of the course made, by what was graded."""
        return {
            tuple(verdict[key] for key in ("learner", "lesson", "digest", "seed")): path
            for path, verdict in self._found.items()
            if verdict["course"] != version("gpuedu") and verdict["state"] != State.FAILED_BY_GRADER
        }


def _whose(verdict: Mapping[str, Any]) -> dict[str, str]:
    keys = ("learner", "lesson", "variant", "digest", "seed", "course", "state")
    return {key: verdict[key] for key in keys}


def merge(before: Verdict, again: Verdict, course: str) -> Verdict:
    """A verdict in which some exercises were judged again, and which says so (pure).

    Args:
        before: the whole verdict.
        again: has those exercises.
        course: version of the course that made the verdict before.
    """
    former = {one.id: one for one in before.exercises}
    records = tuple(
        {"id": name, "points_before": former[name].points, "course_before": course}
        for name in (one.id for one in again.exercises)
        if name in former
    )
    order = lesson_in(before.task.lesson).exercises
    exercises = former | {one.id: one for one in again.exercises}
    return replace(
        before,
        exercises=tuple(exercises[name] for name in order if name in exercises),
        regraded=before.regraded + records,
        course=again.course,
        sandbox=before.sandbox and again.sandbox,
    )


def _is_left(path: Path) -> bool:
    """Whether nobody writes this any more; a writer may be a process of another machine."""
    with contextlib.suppress(FileNotFoundError):
        is_old = time.time() - path.stat().st_mtime > _WRITTEN_S
        return is_old and not Path("/proc", path.suffix[1:]).exists()
    return False
