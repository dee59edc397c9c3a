"""Points as the tables that learning platforms import (pure).

Moodle's gradebook takes a table with any columns, one of which names the user. A Moodle assignment
takes its own grading worksheet back. Canvas takes the columns that its gradebook exports.

Sources: Moodle docs, "Grade import", and ``mod/assign/feedback/offline/importgradeslib.php``;
Canvas guides, "How do I import grades in the Gradebook?", and ``lib/gradebook_importer.rb`` of
canvas-lms. Both as of November 2026.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gpuedu.course.csv_cells import as_cell
from gpuedu.errors import GpueduError
from gpuedu.grading.report.behaviors import Verdicts
from gpuedu.grading.texts import printable
from gpuedu.grading.verdict import State

_MOODLE_USER = "Username"
_CANVAS_USER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
_CANVAS_POINTS = "    Points Possible"
_WORKSHEET_COLUMNS = ("identifier", "grade", "maximum grade")
_PARTICIPANT = "Participant "

Table = Sequence[Sequence[object]]


def moodle_table(verdicts: Verdicts) -> Table:
    """A row for each learner, whose name here is their username in Moodle; a column a lesson."""
    lessons = _lessons(verdicts)
    rows = [[learner, *_cells(points, lessons)] for learner, points in _points(verdicts).items()]
    return [[_MOODLE_USER, *lessons], *rows]


def canvas_table(verdicts: Verdicts) -> Table:
    """A row for each learner: a number is the user's ID in Canvas, another name their login.

    The row below the columns' names has what can be had, as Canvas writes it.
    """
    lessons = _lessons(verdicts)
    possible = [_CANVAS_POINTS, *[""] * (len(_CANVAS_USER) - 1), *_most(verdicts, lessons)]
    rows = []
    for learner, points in _points(verdicts).items():
        is_id = learner.isascii() and learner.isdigit()
        user = [learner, learner if is_id else "", "", "" if is_id else learner, ""]
        rows.append([*user, *_cells(points, lessons)])
    return [[*_CANVAS_USER, *lessons], possible, *rows]


def filled_worksheet(text: str, verdicts: Verdicts, lesson: str) -> tuple[str, int]:
    """A Moodle assignment's grading worksheet with the points of a lesson, and how many it took.

    Learners are named by the numbers of Moodle's participants, as in the files of its download.
    Points are of the worksheet's own maximum. Nothing else is changed: Moodle compares the time of
    the last change, so that a newer grade there is not lost.

    Raises:
        GpueduError: the file is no such worksheet, or a verdict is on nobody in it.
    """
    first, *rows = _read(text.removeprefix("\ufeff")) or [[]]
    columns = [name.strip().lower() for name in first]
    missing = [name for name in _WORKSHEET_COLUMNS if name not in columns]
    if missing:
        raise GpueduError(
            f"the worksheet has no column {missing[0]!r}",
            remedy="download the grading worksheet of the assignment, in English, from Moodle",
        )
    who, grade, most = (columns.index(name) for name in _WORKSHEET_COLUMNS)
    possible = _most(verdicts, [lesson])[0] or 1.0
    points = {name: one[lesson] for name, one in _points(verdicts).items() if lesson in one}
    by_number = {row[who].removeprefix(_PARTICIPANT): row for row in rows if row}
    unknown = sorted(set(points) - set(by_number))
    if unknown:
        raise GpueduError(
            f"nobody in the worksheet is {printable(unknown[0])!r}",
            remedy="learners have to be named by Moodle's numbers: see docs/teaching/platforms.md",
        )
    known = {name: found for name, found in points.items() if found is not None}
    for name, found in known.items():
        row = by_number[name]
        row[grade] = f"{found / possible * float(row[most]):.2f}"
    return _written([first, *rows]), len(known)


def _read(text: str) -> list[list[str]]:
    """A worksheet's rows, with cells of any length: it has what learners wrote as online text."""
    usual = csv.field_size_limit(len(text) + 1)
    try:
        return list(csv.reader(io.StringIO(text)))
    except csv.Error as fault:
        raise GpueduError(
            f"the worksheet cannot be read: {fault}", remedy="download it again from Moodle"
        ) from fault
    finally:
        csv.field_size_limit(usual)


def as_csv(table: Table) -> str:
    """A table as comma-separated values; no cell is a formula."""
    return _written([_cell(one) for one in row] for row in table)


def _written(rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _cell(value: object) -> str:
    """What stands in a cell.

    >>> _cell("=1+cmd"), _cell(2.0), _cell(2.25), _cell(None)
    ("'=1+cmd", '2', '2.25', '')
    """
    if isinstance(value, float):
        return f"{value:g}"
    return "" if value is None else as_cell(str(value))


def _lessons(verdicts: Verdicts) -> list[str]:
    return sorted({one["lesson"] for one in verdicts})


def _points(verdicts: Verdicts) -> dict[str, dict[str, float | None]]:
    """Points by learner and lesson; None where the grader failed, which is no zero."""
    found: dict[str, dict[str, float | None]] = {}
    for one in sorted(verdicts, key=lambda one: one["learner"]):
        is_known = one["state"] != State.FAILED_BY_GRADER
        found.setdefault(one["learner"], {})[one["lesson"]] = (
            float(one["points"]) if is_known else None
        )
    return found


def _cells(points: Mapping[str, float | None], lessons: Iterable[str]) -> list[float | None]:
    return [points.get(lesson) for lesson in lessons]


def _most(verdicts: Verdicts, lessons: Iterable[str]) -> list[float]:
    """What can be had in each lesson, from the verdicts on it."""
    return [
        max((_possible(one) for one in verdicts if one["lesson"] == name), default=0.0)
        for name in lessons
    ]


def _possible(verdict: Mapping[str, Any]) -> float:
    return float(sum(one["max_points"] for one in verdict["exercises"]))
