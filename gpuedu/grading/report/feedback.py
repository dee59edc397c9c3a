"""What learners sent with ``gpuedu feedback``, read and added up for their teacher.

The files come from anybody: what is no such file is named and passed over, and nothing in one
becomes markup or moves a cursor.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from gpuedu.errors import GpueduError
from gpuedu.exercises.progress.feedback import MOST_BYTES, QUESTIONS, Feedback, Tried, from_json
from gpuedu.grading.report.page import render
from gpuedu.syllabus import exercise_ids, lesson_of

MOST_FILES = 10_000
MOST_NAMED = 3
"""Properties that are named of an exercise."""


@dataclass(frozen=True)
class Received:
    """Feedback by learners, and files that were passed over, each with the reason."""

    feedback: tuple[Feedback, ...]
    passed_over: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ExerciseFeedback:
    """One exercise: how many tried and solved it; medians of those who did; what they lost.

    ``lost``: id of a property, and how many learners lost it at least once, the most first.
    """

    exercise: str
    lesson: str
    tried: int
    solved: int
    checks: float
    hints: float
    minutes: float
    lost: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Remark:
    """What somebody said; ``name`` is "" for whoever gave none."""

    question: str
    text: str
    name: str


def receive(places: Iterable[Path]) -> Received:
    """Read files, and the files ending in ``.json`` of folders."""
    feedback: list[Feedback] = []
    passed_over: list[tuple[str, str]] = []
    seen: dict[str, Path] = {}
    for path in islice(_files(places), MOST_FILES + 1):
        try:
            if len(seen) + len(passed_over) >= MOST_FILES:
                raise GpueduError(f"there are more than {MOST_FILES:,} files")
            text = _read(path)
            if text in seen:
                raise GpueduError(f"it is the same as {seen[text].name}")
            found = from_json(text)
        except GpueduError as fault:
            passed_over.append((str(path), fault.message))
            continue
        seen[text] = path
        feedback.append(found)
    return Received(tuple(feedback), tuple(passed_over))


def _files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        if place.is_dir():
            yield from sorted(place.glob("*.json"))
        else:
            yield place


def _read(path: Path) -> str:
    """A file's text; GpueduError where it is none, or a larger one than feedback can be."""
    try:
        if path.is_symlink() or not path.is_file():
            raise GpueduError("it is no file")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise GpueduError(f"it has more than {MOST_BYTES:,} bytes")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GpueduError("it is no text") from None
    except OSError as fault:
        raise GpueduError(f"it cannot be read: {fault.strerror}") from None


def by_exercise(feedback: Sequence[Feedback]) -> list[ExerciseFeedback]:
    """A summary for each exercise that somebody tried, in the order of the course."""
    having: dict[str, list[Tried]] = {name: [] for name in exercise_ids()}
    for one in feedback:
        for tried in one.exercises:
            having[tried.exercise].append(tried)
    return [_summed(name, theirs) for name, theirs in having.items() if theirs]


def _summed(name: str, theirs: Sequence[Tried]) -> ExerciseFeedback:
    lost = Counter(prop for one in theirs for prop in one.lost)
    return ExerciseFeedback(
        name,
        lesson_of(name).title,
        len(theirs),
        sum(one.solved for one in theirs),
        statistics.median(one.checks for one in theirs),
        statistics.median(one.hints for one in theirs),
        statistics.median(one.minutes for one in theirs),
        tuple(lost.most_common(MOST_NAMED)),
    )


def remarks(feedback: Sequence[Feedback]) -> list[Remark]:
    """All that was said, question by question."""
    return [
        Remark(question, one.remarks[key], one.name)
        for key, question in QUESTIONS.items()
        for one in feedback
        if key in one.remarks
    ]


def as_rows(summaries: Sequence[ExerciseFeedback]) -> list[tuple[str, ...]]:
    """Rows for a terminal: exercise, tried, solved, checks, hints, minutes, most lost."""
    return [
        (
            one.exercise,
            str(one.tried),
            str(one.solved),
            f"{one.checks:g}",
            f"{one.hints:g}",
            f"{one.minutes:g}",
            ", ".join(f"{name} ({count})" for name, count in one.lost),
        )
        for one in summaries
    ]


def feedback_page(received: Received) -> str:
    """The page: a table by exercise, the remarks, and what was passed over."""
    return render(
        "feedback.html.j2",
        count=len(received.feedback),
        exercises=by_exercise(received.feedback),
        remarks=remarks(received.feedback),
        passed_over=received.passed_over,
    )
