"""What travels between the class's process and those that grade: a job, and the reply to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.verdict import GradingTask, Verdict

COURSE = Path(__file__).resolve().parents[2]
"""The folder of the package that this process runs."""


@dataclass(frozen=True, eq=False)
class Job:
    """A submission that was read and is to be judged, on this machine or on another.

    It has no path and no secret: the judge sees the learner's answers, and the seed of this
    learner's cases.

    Attributes:
        task: whose submission; its path is that of the class's machine.
        answers: sources of the learner's answer cells by id.
        repairs: what was repaired in its form.
        digest: SHA-256 of what was handed in.
        exercises: the ones to judge.
        course: version of the course that read it.
        sources: digest of the sources that should judge it.
        limits: for each exercise.
        sandbox: False runs the learner's code as the grader's user.
    """

    task: GradingTask
    answers: Mapping[str, str]
    repairs: tuple[str, ...]
    digest: str
    exercises: tuple[str, ...]
    course: str
    sources: str
    limits: PlayingLimits
    sandbox: bool = True


@dataclass(frozen=True)
class Notice:
    """What to expect, so that a worker is ready when the first job comes; has no reply."""

    lesson: str
    sandbox: bool = True


@dataclass(frozen=True)
class Reply:
    """The outcome of a job: a verdict, or a fault of ours.

    Attributes:
        verdict: None if there is a fault.
        fault: what went wrong.
        is_unfit: the fault is the place's and affects every job: no sandbox, another course.
        is_slow: we ran out of time; it is worth another try when nothing else runs here.
    """

    verdict: Verdict | None = None
    fault: str = ""
    is_unfit: bool = False
    is_slow: bool = False


@dataclass(frozen=True)
class Done:
    """How a submission ended, and where it is written.

    ``state`` is "there" where nothing was left to do, "regraded" where exercises were judged again.
    """

    path: Path
    state: str
    points: float = 0.0
    seconds: float = 0.0
