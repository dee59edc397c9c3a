"""What comes next for a learner, and what that builds on (pure)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gpuedu.exercises.progress.summary import ProgressSummary
from gpuedu.syllabus import Lesson, lesson, next_lesson, ready_lessons


@dataclass(frozen=True)
class Standing:
    """How much of a lesson is done: its core exercises, and those of them that are solved."""

    lesson: Lesson
    solved: int

    @property
    def core(self) -> int:
        """How many core exercises it has."""
        return len(self.lesson.core)

    @property
    def is_done(self) -> bool:
        """Whether all of its core exercises are solved."""
        return self.solved == self.core


@dataclass(frozen=True)
class Following:
    """The next exercise and its lesson, and the lesson after that; None where there is none.

    ``builds_on``: what the lesson of the next exercise needs; ``then_builds_on``: the one after it.
    """

    exercise: str
    lesson: Lesson
    builds_on: tuple[Standing, ...]
    then: Lesson | None
    then_builds_on: tuple[Standing, ...]


def standing(entry: Lesson, solved: Iterable[str]) -> Standing:
    """How much of a lesson is done."""
    return Standing(entry, len(set(entry.core) & set(solved)))


def following(summary: ProgressSummary) -> Following | None:
    """What comes next: in the lesson that was worked on last, and then in the order of the course.

    None where all core exercises are solved.
    """
    solved = summary.solved_ids
    here = _worked_on(summary)
    order = sorted(ready_lessons(), key=lambda entry: (entry.number < here.number, entry.number))
    waiting = [entry for entry in order if not standing(entry, solved).is_done]
    if not waiting:
        return None
    entry = waiting[0]
    exercise = next(name for name in entry.core if name not in solved)
    then = next_lesson(entry)
    while then is not None and standing(then, solved).is_done:
        then = next_lesson(then)
    of_then = _needs(then, solved) if then is not None else ()
    return Following(exercise, entry, _needs(entry, solved), then, of_then)


def _worked_on(summary: ProgressSummary) -> Lesson:
    """The lesson of the exercise that was tried last; the first before any."""
    at = {one.exercise: one.last_checked for one in summary.exercises if one.last_checked}
    tried = [
        (at[name], entry) for entry in ready_lessons() for name in entry.exercises if name in at
    ]
    return max(tried, key=lambda pair: pair[0])[1] if tried else ready_lessons()[0]


def _needs(entry: Lesson, solved: Iterable[str]) -> tuple[Standing, ...]:
    return tuple(standing(lesson(need), solved) for need in entry.needs)
