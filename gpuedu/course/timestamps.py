"""When a submission was handed in, read from a file that a learner may have written.

nbgrader gives the whole text of ``timestamp.txt`` to a parser whose time grows with the square of
its length, and which crashes if it finds no date: one learner's file could stop a class.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

_MOST_BYTES = 100
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,9})?)?"
    r"( ?[A-Za-z][A-Za-z_/]{0,40}| ?[+-]\d\d:?\d\d)?"
)


def submitted_at(course: CourseDirectory, folder: str) -> datetime | None:
    """The time in a submission's ``timestamp.txt``, in UTC; none if it does not have that form.

    >>> _parse("2026-11-28 09:00:00 UTC")
    datetime.datetime(2026, 11, 28, 9, 0)
    >>> _parse("9" * 99)
    """
    path = Path(folder) / "timestamp.txt"
    try:
        with open(path, "rb", opener=_open_file) as file:
            text = file.read(_MOST_BYTES + 1).decode("utf-8", "replace")
    except OSError:
        return None
    found = _parse(text)
    if found is None:
        course.log.warning("skipped %s, which is not a time such as 2026-11-28 09:00:00 UTC", path)
    return found


def _open_file(path: str, flags: int) -> int:
    """Open a learner's file: no link is followed, and nobody waits for who writes to a pipe."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags)


def _parse(text: str) -> datetime | None:
    if len(text) > _MOST_BYTES or not _MOMENT.fullmatch(text.strip()):
        return None
    try:
        return parse_utc(text.strip())
    except (ValueError, OverflowError, TypeError):
        return None
