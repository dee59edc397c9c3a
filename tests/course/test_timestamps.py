"""A file that says when something was handed in stops nobody, whatever is in it."""

from __future__ import annotations

import os
from datetime import datetime
from types import SimpleNamespace

import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import as_timezone
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


@pytest.mark.parametrize("year", ["0001", "1999", "2101", "9999"])
def test_a_year_of_another_century_is_no_moment(read, year):
    """The formgrader shows moments in local time, in which the calendar's last one has no place."""
    assert read(f"{year}-12-31 23:59:59") == (None, 1)


@pytest.mark.parametrize("at", ["2000-01-01 00:00:00", "2100-12-31 23:59:59"])
def test_a_moment_that_is_read_can_be_shown_anywhere(read, at):
    found, told = read(at)
    shown = [as_timezone(found, zone) for zone in ("Europe/Berlin", "America/New_York")]
    assert told == 0 and {one.tzinfo is not None for one in shown} == {True}


def test_a_folder_without_the_file_has_no_moment(tmp_path):
    assert submitted_at(None, str(tmp_path)) is None


def test_the_course_has_nbgrader_read_it_so(monkeypatch):
    monkeypatch.setattr(CourseDirectory, "get_existing_timestamp", None)
    configure(Config())
    assert CourseDirectory.get_existing_timestamp is submitted_at


@pytest.mark.parametrize("text", ["9999-12-31 23:59:59", "0001-01-01 00:00:00", "yesterday"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York"])
def test_the_formgrader_lists_everybody(text, zone, tmp_path, monkeypatch):
    """Whatever one of them wrote, and wherever the teacher is."""
    original = NbGraderAPI.get_submitted_timestamp
    monkeypatch.setattr(NbGraderAPI, "get_submitted_timestamp", original)
    config = Config()
    configure(config)
    config.CourseDirectory.root = str(tmp_path)
    for learner, at in {"ada": text, "bob": "2026-11-20 10:00:00"}.items():
        folder = tmp_path / "submitted" / learner / "01_why_gpus"
        folder.mkdir(parents=True)
        (folder / "01_why_gpus.ipynb").write_text("{}")
        (folder / "timestamp.txt").write_text(at)
    api = NbGraderAPI(CourseDirectory(config=config), config=config)
    api.timezone = zone
    found = {one["student"]: one["timestamp"] for one in api.get_submissions("01_why_gpus")}
    assert found == {"ada": None, "bob": "2026-11-20T10:00:00"}


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_a_file_that_is_none_is_passed_over(kind, tmp_path):
    path = tmp_path / "timestamp.txt"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    course = SimpleNamespace(log=SimpleNamespace(warning=lambda *_: None))
    assert submitted_at(course, str(tmp_path)) is None
