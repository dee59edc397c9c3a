"""What was found about one submission, as one JSON file: never half written, never lost."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gpuedu.errors import GpueduError
from gpuedu.exercises.contract import Play
from gpuedu.exercises.examine import Report
from gpuedu.grading.texts import writable

FORMAT = 1
SUFFIX = ".verdict.json"
_TEXTS = ("learner", "lesson", "variant", "seed", "state", "digest", "course")
_VERDICT = {
    **dict.fromkeys(_TEXTS, str),
    **{"points": float, "exercises": list, "repairs": list, "answers": dict},
}
_EXERCISE = {"id": str, "points": float, "max_points": float, "state": str, "properties": list}
_PROPERTY = {"name": str, "says": str, "points": float, "holds": bool}
_REGRADED = {"id": str, "points_before": float, "course_before": str}
"""What each part of a verdict's file has to have."""
_MOST_POINTS = 1e6

_MOVE_IT = "move that file away, and `gpuedu grade` grades this submission again"


class State(StrEnum):
    """How a submission ended. There is no fourth way."""

    GRADED = "graded"
    FAILED_BY_LEARNER = "failed: learner"
    FAILED_BY_GRADER = "failed: grader"


@dataclass(frozen=True)
class GradingTask:
    """One submission to be graded.

    Attributes:
        learner: who handed it in.
        lesson: the lesson's folder, such as ``01_why_gpus``.
        path: what was handed in.
        seed: of the cases, for this learner.
        variant: the code of the numbers that this learner was given; "" for the published ones.
    """

    learner: str
    lesson: str
    path: str
    seed: int
    variant: str = ""


@dataclass(frozen=True)
class ExerciseVerdict:
    """The verdict on one exercise.

    Attributes:
        id: the exercise's.
        points: earned; of ``max_points``.
        max_points: that can be had.
        state: solved, partly, wrong, unsolved or refused.
        properties: for each its name, what it says, points, whether it holds; if it does not,
            ``message`` is the counterexample, which reveals hidden inputs, and ``cause`` a
            question; ``forgeable`` says whether it depends on what is ``observed``.
        refusal: why nothing was played.
        remedy: what to try then.
        printed: what the learner's code printed in the check.
        forgeable: whether something that was judged, other than a result of the learner's code, was
            observed in the process that ran it.
        observed: what that is, in words.
        seconds: that it took.
        judged_by: digest of the sources of the course that judged it.
    """

    id: str
    points: float
    max_points: float
    state: str
    properties: tuple[Mapping[str, Any], ...]
    refusal: str = ""
    remedy: str = ""
    printed: str = ""
    forgeable: bool = True
    observed: str = ""
    seconds: float = 0.0
    judged_by: str = ""

    @classmethod
    def of(cls, report: Report, play: Play, judged_by: str = "") -> ExerciseVerdict:
        """From what the judge reports, and the play, which says which of it could be forged."""
        return cls(
            report.exercise,
            report.points,
            report.max_points,
            report.state,
            tuple(_properties(report, play)),
            writable(report.refusal),
            writable(report.remedy),
            writable(report.printed),
            bool(play.forgeable),
            play.forgeable,
            round(report.seconds, 3),
            judged_by,
        )


def _properties(report: Report, play: Play) -> Iterator[dict[str, Any]]:
    for result in report.results:
        message_and_cause = {"message": "", "cause": ""}
        if result.fault is not None:
            message, cause = result.fault.message, result.fault.cause
            message_and_cause = {"message": writable(message), "cause": writable(cause)}
        yield {
            "name": result.property.name,
            "says": result.property.says,
            "points": result.property.points,
            "holds": result.holds,
            "case": result.case,
            "forgeable": play.can_forge(result.property.name),
            **message_and_cause,
        }


@dataclass(frozen=True)
class Verdict:
    """The verdict on one submission.

    Attributes:
        task: what was graded.
        state: how it ended.
        reason: why it failed, if it did.
        exercises: in the lesson's order; none for a submission that cannot be read.
        repairs: what was repaired in its form.
        answers: the learner's answer cells by id, for the teacher.
        digest: SHA-256 of what was handed in.
        sandbox: whether the learner's code was sandboxed.
        course: version of the course that judged.
        seconds: that it took.
        regraded: what was judged again, in that order: an exercise's ``id``, its ``points_before``,
            and the ``course_before`` that had judged it.
    """

    task: GradingTask
    state: State
    reason: str = ""
    exercises: tuple[ExerciseVerdict, ...] = ()
    repairs: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    digest: str = ""
    sandbox: bool = True
    course: str = field(default_factory=lambda: version("gpuedu"))
    seconds: float = 0.0
    regraded: tuple[Mapping[str, Any], ...] = ()

    @property
    def points(self) -> float:
        """Earned in all exercises."""
        return sum(one.points for one in self.exercises)

    def as_dict(self) -> dict[str, Any]:
        """The verdict in its file's form, without the seed itself and without a path."""
        saved = asdict(self)
        task = saved.pop("task")
        return {
            "format": FORMAT,
            "learner": task["learner"],
            "lesson": task["lesson"],
            "variant": task["variant"],
            "seed": seed_mark(task["seed"]),
            "points": self.points,
            **saved,
        }


def seed_mark(seed: int) -> str:
    """What a verdict reveals about its seed: only whether it is the same as another."""
    return hashlib.sha256(f"seed {seed}".encode()).hexdigest()[:16]


def verdict_from(saved: Mapping[str, Any], task: GradingTask) -> Verdict:
    """The verdict on a task, from what its file has."""
    kept = {one.name: saved[one.name] for one in fields(Verdict) if one.name in saved}
    known = {one.name for one in fields(ExerciseVerdict)}
    exercises = tuple(
        ExerciseVerdict(**{name: value for name, value in one.items() if name in known})
        for one in ({**one, "properties": tuple(one["properties"])} for one in saved["exercises"])
    )
    kept |= {"task": task, "state": State(saved["state"]), "exercises": exercises}
    kept |= {name: tuple(kept.get(name, ())) for name in ("repairs", "regraded")}
    return Verdict(**kept)


def verdict_name(task: GradingTask, digest: str, course: str) -> str:
    """The name of a verdict's file: the same submission judged the same way has the same name."""
    how = [task.seed, FORMAT, *([task.variant] if task.variant else [])]
    text = json.dumps([task.learner, task.lesson, digest, course, *how])
    return hashlib.sha256(text.encode()).hexdigest()[:32] + SUFFIX


def failure_name(task: GradingTask) -> str:
    """The name of the file that says that a fault of ours stopped a submission."""
    return verdict_name(task, "not graded", "")


def write_verdict(folder: Path, name: str, verdict: Verdict) -> Path:
    """Write a verdict's file whole or not at all, for its owner alone, and force it to disk."""
    text = json.dumps(verdict.as_dict(), indent=1, ensure_ascii=True)
    path, beside = folder / name, folder / f".{name}.{os.getpid()}"
    with writing_in(folder):
        try:
            with open(beside, "w", encoding="utf-8", opener=_private) as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    return path


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


@contextlib.contextmanager
def writing_in(folder: Path) -> Iterator[None]:
    """Report what prevents writing to the folder of a class.

    Raises:
        GpueduError: in place of an OSError.
    """
    try:
        yield
    except OSError as fault:
        raise GpueduError(
            f"cannot write in {folder}: {fault.strerror or fault}",
            remedy="fix that, and run it again: what is graded is kept",
        ) from fault


def read_verdicts(folder: Path) -> list[dict[str, Any]]:
    """All verdicts in a folder, by lesson and learner.

    Where the last try at a learner's submission ended in the grader's fault, that is all there is:
    an earlier verdict is on what it was before.

    Raises:
        GpueduError: a file is not a verdict, or has another format; it is named.
    """
    found = read_folder(folder).values()
    failed = [one for one in found if one["state"] == State.FAILED_BY_GRADER]
    theirs = set(map(_whose, failed))
    return sorted((*failed, *(one for one in found if _whose(one) not in theirs)), key=_whose)


def _whose(verdict: Mapping[str, Any]) -> tuple[str, str]:
    return verdict["lesson"], verdict["learner"]


def read_folder(folder: Path) -> dict[Path, dict[str, Any]]:
    """All verdicts in a folder by their files, without those that another command moves meanwhile.

    Raises:
        GpueduError: a file is not a verdict, or has another format; it is named.
    """
    found = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        with contextlib.suppress(FileNotFoundError):
            found[path] = read_verdict(path)
    return found


def read_verdict(path: Path) -> dict[str, Any]:
    """One verdict, in its file's form.

    Raises:
        GpueduError: the file is not a verdict, or has another format.
        FileNotFoundError: it is not there.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError("no file")
        saved = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise
    except (ValueError, RecursionError, OSError) as fault:
        raise GpueduError(f"{path} is not a verdict: {fault}", remedy=_MOVE_IT) from fault
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise GpueduError(
            f"{path.name} is a verdict of another format", remedy="grade into an empty folder"
        )
    for odd in _odd_parts(saved):
        raise GpueduError(f"{path} is not a verdict: it has no {odd!r}", remedy=_MOVE_IT)
    return saved


def _odd_parts(saved: Mapping[str, Any]) -> Iterator[str]:
    """What is missing in a verdict, or isn't of its kind."""
    yield from _odd_in(saved, _VERDICT)
    if saved["state"] not in [*State]:
        yield "state"
    for exercise in saved["exercises"]:
        yield from _odd_in(exercise, _EXERCISE)
        for one in exercise["properties"]:
            yield from _odd_in(one, _PROPERTY)
    regraded = saved.get("regraded", [])
    if not isinstance(regraded, list):
        yield "regraded"
    for one in regraded:
        yield from _odd_in(one, _REGRADED)


def _odd_in(part: Any, kinds: Mapping[str, type]) -> Iterator[str]:
    for key, kind in kinds.items():
        if not isinstance(part, dict) or not _is(part.get(key), kind):
            yield key


def _is(value: Any, kind: type) -> bool:
    if kind is float:
        return type(value) in (int, float) and abs(value) < _MOST_POINTS
    return type(value) is kind
