"""The README's table of lessons, written from the syllabus."""

from __future__ import annotations

from pathlib import Path

from gpuedu.errors import LessonSourceError
from gpuedu.syllabus import Lesson, lessons

BEGIN = "<!-- lessons: written by `gpuedu build`, checked by a test -->"
END = "<!-- end of lessons -->"
_TIERS = {"nothing": "no GPU needed"}


def readme_text(root: Path) -> str:
    """The README with its table taken from the syllabus; LessonSourceError without its marks."""
    path = root / "README.md"
    try:
        text = path.read_text("utf-8")
        head, rest = text.split(BEGIN)
        _, tail = rest.split(END)
    except (FileNotFoundError, ValueError) as fault:
        raise LessonSourceError(
            "no place for the table of lessons", path=str(path), remedy=f"add {BEGIN} and {END}"
        ) from fault
    return f"{head}{BEGIN}\n{lesson_table(lessons())}\n{END}{tail}"


def lesson_table(entries: tuple[Lesson, ...]) -> str:
    """A row for each lesson: its question, minutes and tier."""
    rows = ["| | lesson | question | minutes | a GPU adds |", "|---|---|---|---|---|"]
    for entry in entries:
        title = f"**{entry.title}**" if entry.ready else f"{entry.title} (in preparation)"
        tier = _TIERS.get(entry.gains, entry.gains)
        rows.append(
            f"| {entry.number:02d} | {title} | {entry.question} | {entry.minutes} | {tier} |"
        )
    return "\n".join(rows)
