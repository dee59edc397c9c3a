"""When a submission was handed in, read from a file that a learner may have written.

nbgrader gives the whole text of ``timestamp.txt`` to a parser whose time grows with the square of
its length, and which crashes if it finds no date: one learner's file could stop a class. So could
a moment at the end of the calendar, when the formgrader shows it in local time.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from nbgrader.apps.api import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

_MOST_BYTES = 100
A_TIME = "time of the years 2000 to 2100, such as 2026-11-28 09:00:00 UTC"
_YEARS = range(2000, 2101)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,9})?)?"
    r"( ?[A-Za-z][A-Za-z_/]{0,40}| ?[+-]\d\d:?\d\d)?"
)


def submitted_at(course: CourseDirectory, folder: str) -> datetime | None:
    """The time in a submission's ``timestamp.txt``, in UTC; none if it does not have that form.

    >>> moment_in("2026-11-28 09:00:00 UTC")
    datetime.datetime(2026, 11, 28, 9, 0)
    >>> moment_in("9" * 99), moment_in("9999-12-31 23:59:59")
    (None, None)
    """
    path = Path(folder) / "timestamp.txt"
    try:
        with open(path, "rb", opener=_open_file) as file:
            text = file.read(_MOST_BYTES + 1).decode("utf-8", "replace")
    except OSError:
        return None
    found = moment_in(text)
    if found is None:
        course.log.warning("skipped %s, which is no %s", path, A_TIME)
    return found


def shown_at(api: NbGraderAPI, assignment_id: str, student_id: str) -> datetime | None:
    """The time that the formgrader shows for a submission, which nbgrader would read on its own."""
    course = api.coursedir
    folder = course.format_path(course.submitted_directory, student_id, assignment_id)
    return submitted_at(course, folder)


def _open_file(path: str, flags: int) -> int:
    """Open a learner's file: no link is followed, and nobody waits for who writes to a pipe."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags)


def moment_in(text: str) -> datetime | None:
    """The time that a text of the usual form has, in UTC; none if it has another form."""
    is_one = len(text) <= _MOST_BYTES and _MOMENT.fullmatch(text.strip())
    return in_utc(text.strip()) if is_one else None


def in_utc(text: str) -> datetime | None:
    """The time of the years 2000 to 2100 that nbgrader reads in a short text, in UTC."""
    try:
        found = parse_utc(text)
    except (ValueError, OverflowError, TypeError):
        return None
    return found if found.year in _YEARS else None
