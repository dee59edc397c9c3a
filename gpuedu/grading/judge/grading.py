"""One submission, from what was handed in to a Verdict."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence

from gpuedu.exercises.contract import Exercise
from gpuedu.exercises.examine import Report, report_without_cases
from gpuedu.exercises.registry import load_varied
from gpuedu.grading.judge.cells import cells_of, course_cells, is_untouched
from gpuedu.grading.judge.examining import examine_cells
from gpuedu.grading.judge.sources import sources_digest
from gpuedu.grading.judge.stage import Stage
from gpuedu.grading.judge.zygote import Zygote
from gpuedu.grading.sandbox.limits import PlayingLimits
from gpuedu.grading.submission import Submission
from gpuedu.grading.verdict import ExerciseVerdict, GradingTask, State, Verdict
from gpuedu.syllabus import lesson_in


def grade(
    zygote: Zygote,
    task: GradingTask,
    submission: Submission,
    limits: PlayingLimits,
    exercises: Sequence[str] = (),
) -> Verdict:
    """Judge the exercises of a submission, each in its own process.

    An exercise whose blanks are as they were handed out is unsolved, and is not played.

    Args:
        zygote: where players come from.
        task: what is graded.
        submission: as it was read.
        limits: of each exercise, and of the notebook.
        exercises: which; all of the lesson by default.

    Raises:
        SandboxError: no player could be had: a fault of ours.
    """
    began_s = time.perf_counter()
    verdicts = []
    given, judged_by = course_cells(task.lesson, task.variant), sources_digest(task.lesson)
    with Stage(zygote, limits) as stage:
        for name in exercises or lesson_in(task.lesson).exercises:
            exercise = load_varied(name, task.variant)
            if is_untouched(given, submission.answers, name):
                report = report_without_cases(exercise, "unsolved")
            elif time.perf_counter() - began_s > limits.notebook_s:
                report = _no_time_left(exercise, limits)
            else:
                cells = cells_of(given, submission.answers, name)
                seed = seed_of(task.seed, name)
                report = examine_cells(stage, exercise, cells, seed)
            verdicts.append(ExerciseVerdict.of(report, exercise.play, judged_by))
    return Verdict(
        task,
        State.GRADED,
        exercises=tuple(verdicts),
        repairs=submission.repairs,
        answers=dict(submission.answers),
        digest=submission.digest,
        seconds=round(time.perf_counter() - began_s, 3),
    )


def _no_time_left(exercise: Exercise, limits: PlayingLimits) -> Report:
    message = f"the exercises before it took all of the notebook's {limits.notebook_s:g} s"
    return report_without_cases(exercise, "refused", message)


def seed_of(seed: int, exercise: str) -> int:
    """The seed of one exercise's cases: one exercise's cases say nothing about another's."""
    digest = hashlib.sha256(f"{seed} {exercise}".encode()).digest()
    return int.from_bytes(digest[:6], "big")
