"""Grades as a table that a spreadsheet opens: no value becomes a formula, or several cells.

nbgrader's own export writes names as they are. A name that begins with ``=`` would run as a formula
in the teacher's spreadsheet, and one with a comma would move the points into another column.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import CsvExportPlugin

from gpuedu.course.csv_cells import as_cell

_COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


class SafeCsv(CsvExportPlugin):
    """The columns of nbgrader's export, for the same learners and assignments."""

    def export(self, gradebook: Gradebook) -> None:
        """Write the table to ``--to``, by default ``grades.csv``."""
        place = self.to or "grades.csv"
        self.log.info("Exporting grades to %s", place)
        with Path(place).open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(_COLUMNS)
            table.writerows([_cell(one) for one in row] for row in self._rows(gradebook))

    def _rows(self, gradebook: Gradebook) -> Iterator[tuple[Any, ...]]:
        wanted = {str(one) for one in self.assignment}, {str(one) for one in self.student}
        for assignment in gradebook.assignments:
            for student in gradebook.students:
                asked = zip(wanted, (assignment.name, student.id), strict=True)
                if all(not names or name in names for names, name in asked):
                    yield self._row(gradebook, assignment, student)

    def _row(self, gradebook: Gradebook, assignment: Any, student: Any) -> tuple[Any, ...]:
        try:
            found = gradebook.find_submission(assignment.name, student.id)
            penalty = found.late_submission_penalty or 0.0
            points = (found.score, penalty, max(0.0, found.score - penalty))
            moment = found.timestamp
        except MissingEntry:  # nothing was handed in
            points, moment = (0.0, 0.0, 0.0), None
        who = (student.id, student.last_name, student.first_name, student.email)
        return (assignment.name, assignment.duedate, moment, *who, *points, assignment.max_score)


def _cell(value: Any) -> str:
    """What stands in a cell.

    >>> _cell("=1+cmd"), _cell(-1.5), _cell(None), _cell("Zoë")
    ("'=1+cmd", '-1.5', '', 'Zoë')
    """
    if isinstance(value, str):
        return as_cell(value)
    return "" if value is None else str(value)
