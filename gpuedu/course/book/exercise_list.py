"""All exercises of the course, by topic: what each asks for, its points and its minutes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from gpuedu.course.source import LessonSource, read_source
from gpuedu.syllabus import Lesson

_LINE = re.compile(
    r"\*\*`(?P<id>[^`]+)` · (?P<points>[\d.]+) points? · (?P<stretch>stretch · )?"
    r"about (?P<minutes>\d+) minutes"
)
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Listed:
    """An exercise as its lesson announces it."""

    id: str
    title: str
    points: str
    minutes: int
    is_stretch: bool


def listed(root: Path, lesson: Lesson) -> list[Listed]:
    """The exercises of a lesson, in the order of its source."""
    source = read_source(root / "solutions" / lesson.folder / f"{lesson.folder}.py")
    return [_read(source, exercise) for exercise in source.exercise_ids()]


def _read(source: LessonSource, exercise: str) -> Listed:
    text = "\n".join(cell.text for cell in source.cells_of(exercise, "text"))
    line, heading = _LINE.search(" ".join(text.split())), _HEADING.search(text)
    if line is None or heading is None:
        raise source.fault(f"{exercise}: no line with its points and minutes below a heading")
    return Listed(
        exercise, heading[1], line["points"], int(line["minutes"]), line["stretch"] is not None
    )
