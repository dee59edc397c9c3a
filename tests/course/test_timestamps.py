"""A file that says when something was handed in stops nobody, whatever is in it."""

from __future__ import annotations

import os
from datetime import datetime
from types import SimpleNamespace

import pytest
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from gpuedu.course.nbgrader_settings import configure
from gpuedu.course.timestamps import submitted_at

MOMENT = datetime(2026, 11, 28, 9, 30)


@pytest.fixture
def read(tmp_path):
    told = []
    course = SimpleNamespace(log=SimpleNamespace(warning=lambda *given: told.append(given)))

    def read(text):
        (tmp_path / "timestamp.txt").write_text(text)
        return submitted_at(course, str(tmp_path)), len(told)

    return read


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-28 09:30:00.000000 UTC\n",
        "2026-11-28 09:30:00 UTC",
        "2026-11-28T09:30",
        "2026-11-28 09:30:00 +0000",
        "2026-11-28 10:30:00 Europe/Berlin",
    ],
)
def test_forms_that_platforms_and_nbgrader_write_are_read(read, text):
    assert read(text) == (MOMENT, 0)


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "9" * 400_000, "2026-13-77 09:30:00", "2026-11-28 09:30" + " " * 500 + "x"],
)
def test_another_text_is_told_and_is_no_moment(read, text):
    """The time that nbgrader's own parser takes grows with the square of the digits."""
    assert read(text) == (None, 1)


def test_a_folder_without_the_file_has_no_moment(tmp_path):
    assert submitted_at(None, str(tmp_path)) is None


def test_the_course_has_nbgrader_read_it_so(monkeypatch):
    monkeypatch.setattr(CourseDirectory, "get_existing_timestamp", None)
    configure(Config())
    assert CourseDirectory.get_existing_timestamp is submitted_at


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_a_file_that_is_none_is_passed_over(kind, tmp_path):
    path = tmp_path / "timestamp.txt"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    course = SimpleNamespace(log=SimpleNamespace(warning=lambda *_: None))
    assert submitted_at(course, str(tmp_path)) is None
