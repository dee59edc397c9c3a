"""Points as learning platforms import them, and the names that they give to submissions."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
import zipfile

import pytest

from gpuedu.course.collect import platforms_part
from gpuedu.course.lesson_names import lesson_named
from gpuedu.course.nbgrader_settings import CANVAS_NAME, MOODLE_NAME
from gpuedu.errors import GpueduError
from gpuedu.grading.report.platforms import (
    as_csv,
    canvas_table,
    filled_worksheet,
    moodle_table,
)
from tests.conftest import ROOT
from tests.grading.report.spreadsheets import HOSTILE, formulas_in

WORKSHEET = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum grade,Last modified (grade)\n"
    "Participant 4242,Ada,ada@example.org,Submitted,,100.00,-\n"
    'Participant 4243,"Bo, jr",bo@example.org,No submission,55.00,100.00,"Monday, 1 June"\n'
)


def verdict(learner, lesson="01_why_gpus", points=3.0, state="graded"):
    exercises = [{"max_points": 4.0}, {"max_points": 2.0}] if state == "graded" else []
    return {
        "learner": learner,
        "lesson": lesson,
        "state": state,
        "points": points,
        "exercises": exercises,
    }


CLASS = [
    verdict("cy", points=0, state="failed: learner"),
    verdict("ada", points=4.5),
    verdict("ada", lesson="02_first_kernels", points=6.0),
    verdict("=bo", state="failed: grader"),
]


def rows_of(table):
    text = table if isinstance(table, str) else as_csv(table)
    return list(csv.reader(io.StringIO(text)))


def test_moodle_has_a_column_for_users_and_one_for_each_lesson():
    assert rows_of(moodle_table(CLASS)) == [
        ["Username", "01_why_gpus", "02_first_kernels"],
        ["'=bo", "", ""],
        ["ada", "4.5", "6"],
        ["cy", "0", ""],
    ]


def test_canvas_has_its_columns_and_the_points_that_can_be_had():
    head, possible, *rows = rows_of(canvas_table([*CLASS, verdict("4242")]))
    assert head[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert "Points Possible" in possible[0] and possible[5:] == ["6", "6"]
    by_name = {row[0]: row for row in rows}
    assert by_name["4242"] == ["4242", "4242", "", "", "", "3", ""]
    assert by_name["ada"] == ["ada", "", "", "ada", "", "4.5", "6"]


def test_a_worksheet_takes_grades_of_its_own_maximum_and_keeps_the_rest():
    table, count = filled_worksheet(WORKSHEET, [verdict("4242", points=4.5)], "01_why_gpus")
    head, ada, bo = rows_of(table)
    assert count == 1
    assert head[0] == "Identifier"
    assert ada == [
        "Participant 4242",
        "Ada",
        "ada@example.org",
        "Submitted",
        "75.00",
        "100.00",
        "-",
    ]
    assert bo[1:] == [
        "Bo, jr",
        "bo@example.org",
        "No submission",
        "55.00",
        "100.00",
        "Monday, 1 June",
    ]


def test_where_the_grader_failed_nothing_is_filled_in():
    failed = [verdict("4242", state="failed: grader"), verdict("4243", points=6.0)]
    table, count = filled_worksheet(WORKSHEET, failed, "01_why_gpus")
    assert [row[4] for row in rows_of(table)] == ["Grade", "", "100.00"] and count == 1


def test_a_learner_who_is_not_in_the_worksheet_is_told():
    with pytest.raises(GpueduError, match="nobody in the worksheet is 'ada'"):
        filled_worksheet(WORKSHEET, [verdict("ada")], "01_why_gpus")


@pytest.mark.parametrize("text", ["", "Name,Grade\nAda,1\n"])
def test_another_file_is_no_worksheet(text):
    with pytest.raises(GpueduError, match="no column 'identifier'"):
        filled_worksheet(text, [verdict("4242")], "01_why_gpus")


def with_a_text(text):
    """A worksheet that has what a learner wrote as online text."""
    rows = list(csv.reader(io.StringIO(WORKSHEET)))
    made = io.StringIO()
    csv.writer(made).writerows([[*rows[0], "Online text"], [*rows[1], text], [*rows[2], ""]])
    return made.getvalue()


def test_a_long_online_text_is_kept():
    usual, text = csv.field_size_limit(), "x" * 140_000
    table, count = filled_worksheet(with_a_text(text), [verdict("4242")], "01_why_gpus")
    assert csv.field_size_limit() == usual < len(text)
    assert count == 1 and text in table


def test_a_worksheet_that_cannot_be_read_is_told():
    usual = csv.field_size_limit()
    with pytest.raises(GpueduError, match=r"the worksheet cannot be read: .* Try: download"):
        filled_worksheet(WORKSHEET + "a\rb,", [verdict("4242")], "01_why_gpus")
    assert csv.field_size_limit() == usual


@pytest.mark.parametrize("name", HOSTILE)
def test_a_learners_name_is_no_formula_whatever_separates_cells(name):
    assert not formulas_in(as_csv(moodle_table([verdict(name)])))
    assert not formulas_in(as_csv(canvas_table([verdict(name)])))


NAMES = [
    (MOODLE_NAME, "Ada Lovelace_4242_assignsubmission_file/01_why_gpus.ipynb"),
    (MOODLE_NAME, "Ada Lovelace_4242_assignsubmission_file_/01_why_gpus.ipynb"),
    (MOODLE_NAME, "Ada Lovelace_4242_assignsubmission_file_01_why_gpus.ipynb"),
    (MOODLE_NAME, "Participant_4242_assignsubmission_file/01_why_gpus.ipynb"),
    (CANVAS_NAME, "lovelaceada_4242_777_01_why_gpus.ipynb"),
    (CANVAS_NAME, "lovelaceada_LATE_4242_777_01_why_gpus-1.ipynb"),
    (CANVAS_NAME, "ada_jr_4242_777_01_why_gpus.ipynb"),
]


@pytest.mark.parametrize(("pattern", "name"), NAMES)
def test_the_learner_and_the_lesson_are_read_from_names(pattern, name):
    found = platforms_part(pattern, f"class/{name}")
    assert found["student_id"] == "4242" and lesson_named(found["file_id"]) == "01_why_gpus"


def test_nbgrader_sorts_an_archive_of_moodles(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(
        (ROOT / "nbgrader_config.py").read_text("utf-8")
        + "\nfrom gpuedu.course.nbgrader_settings import MOODLE_NAME\n"
        "get_config().FileNameCollectorPlugin.named_regexp = MOODLE_NAME\n"
    )
    archive = tmp_path / "downloaded" / "01_why_gpus" / "archive"
    archive.mkdir(parents=True)
    with zipfile.ZipFile(archive / "class.zip", "w") as file:
        for _, name in NAMES[:1]:
            file.writestr(name, "{}")
    command = [sys.executable, "-m", "nbgrader", "zip_collect", "01_why_gpus"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "submitted" / "4242" / "01_why_gpus" / "01_why_gpus.ipynb").is_file()
