"""How far a learner is, as text and as HTML: a table by lesson with bars, and what comes next.

A lesson appears once one of its exercises was tried, then with all of them. What the course no
longer has comes last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.exercises.progress.calibration import format_calibration
from gpuedu.exercises.progress.following import Standing, following, standing
from gpuedu.exercises.progress.summary import ExerciseProgress, ProgressSummary
from gpuedu.syllabus import exercise_ids, ready_lessons

_DAY = len("2026-03-01")
_HEADS = ("exercise", "points", "attempts", "hints", "first solved")
_DONE = "You have solved all core exercises of the course."


@dataclass(frozen=True)
class Row:
    """An exercise as the table has it."""

    name: str
    points: str = "-"
    attempts: int = 0
    hints: int = 0
    day: str = ""


@dataclass(frozen=True)
class Section:
    """A lesson with its exercises; ``standing`` is None for what the course no longer has."""

    title: str
    rows: tuple[Row, ...]
    standing: Standing | None


class ProgressView:
    """A summary that a notebook shows as HTML, and everything else as text."""

    def __init__(self, summary: ProgressSummary) -> None:
        self._summary = summary

    def __repr__(self) -> str:
        return format_summary(self._summary)

    def _repr_html_(self) -> str:
        return _template().render(
            heads=_HEADS,
            sections=sections(self._summary),
            below=[_totals(self._summary), format_calibration(self._summary.calibration)],
            next_lines=next_lines(self._summary),
        )


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    from gpuedu.exercises.card import code

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["code"] = code
    place = resources.files("gpuedu.exercises.progress").joinpath("view.html.j2")
    return environment.from_string(place.read_text("utf-8"))


def sections(summary: ProgressSummary) -> list[Section]:
    """The table's parts, in the order of the course."""
    entries = {entry.exercise: entry for entry in summary.exercises}
    known = exercise_ids()
    found = [
        Section(
            lesson.title,
            _rows(lesson.core, entries) + _rows(lesson.stretch, entries, " (stretch)"),
            standing(lesson, summary.solved_ids),
        )
        for lesson in ready_lessons()
        if any(name in entries for name in lesson.exercises)
    ]
    gone = [name for name in entries if name not in known]
    return [
        *found,
        *([Section("No longer in the course", _rows(gone, entries), None)] if gone else []),
    ]


def _rows(
    names: Sequence[str], entries: dict[str, ExerciseProgress], mark: str = ""
) -> tuple[Row, ...]:
    return tuple(_row(name + mark, entries.get(name)) for name in names)


def _row(name: str, entry: ExerciseProgress | None) -> Row:
    if entry is None:
        return Row(name)
    points = f"{entry.best_points:.4g}/{entry.max_points:.4g}" if entry.attempts else "-"
    day = (entry.first_solved or "")[:_DAY]
    return Row(name, points, entry.attempts, entry.hints, day)


def next_lines(summary: ProgressSummary) -> list[str]:
    """What comes next, and what that builds on; names of exercises stand in backquotes."""
    found = following(summary)
    if found is None:
        return [_DONE]
    lines = [f"Next: `{found.exercise}` in {found.lesson.title}.{_built(found.builds_on)}"]
    if found.then is not None:
        then = f"Then: {found.then.title} ({found.then.question})."
        lines.append(f"{then}{_built(found.then_builds_on)}")
    return lines


def _built(needs: Sequence[Standing]) -> str:
    """What a lesson builds on, as a sentence; nothing where it needs no other."""
    said = [
        f"{one.lesson.title} ({'done' if one.is_done else f'{one.solved} of {one.core} solved'})"
        for one in needs
    ]
    return f" It builds on {', '.join(said)}." if said else ""


def format_summary(summary: ProgressSummary) -> str:
    """A table by lesson with bars, totals, predictions and what comes next, as plain text."""
    return "\n".join(
        [
            *_table(sections(summary)),
            _totals(summary),
            format_calibration(summary.calibration),
            *next_lines(summary),
        ]
    )


def _table(found: Sequence[Section]) -> Iterator[str]:
    if not found:
        return
    width = max(len(row.name) + 2 for section in found for row in section.rows)
    name, points, attempts, hints, day = _HEADS
    yield f"{name:<{width}}  {points:>9}  {attempts}  {hints}  {day}"
    for section in found:
        yield f"{section.title}{_bar(section.standing)}"
        for row in section.rows:
            line = f"{'  ' + row.name:<{width}}  {row.points:>9}  {row.attempts:>8}  {row.hints:>5}"
            yield f"{line}  {row.day}".rstrip()


def _bar(one: Standing | None) -> str:
    """A mark for each core exercise.

    >>> from gpuedu.syllabus import lesson
    >>> _bar(standing(lesson("cooperation"), ["scan", "warp-sum"]))
    '  [#..] 1 of 3'
    """
    if one is None:
        return ""
    marks = "#" * one.solved + "." * (one.core - one.solved)
    return f"  [{marks}] {one.solved} of {one.core}"


def _totals(summary: ProgressSummary) -> str:
    tried = sum(entry.attempts > 0 for entry in summary.exercises)
    if not tried:
        return "No exercise tried yet."
    return (
        f"Total: {summary.points:.4g} of {summary.max_points:.4g} points on what you tried; "
        f"{summary.solved} of the course's {len(exercise_ids())} exercises solved"
    )
