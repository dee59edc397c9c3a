"""The table of grades: each value is one cell, whatever a learner is called, and none is a formula."""

from __future__ import annotations

import csv
import io

import pytest
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin
from traitlets.config import Config

from gpuedu.course.export import SafeCsv
from gpuedu.course.nbgrader_settings import configure
from tests.grading.report.spreadsheets import HOSTILE, formulas_in

# nbgrader's own way to add a submission.
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
NAMES = ("ann", "=1+cmd", "@bob, the -2nd", "cy")


def gradebook(names=NAMES):
    made = Gradebook("sqlite:///:memory:")
    for name in ("01_why_gpus", "02_first_kernels"):
        made.add_assignment(name)
    for name in names:
        made.add_student(name, first_name="-" + name[:1], email=None)
    made.add_submission("01_why_gpus", "ann")
    return made


def exported(kind, tmp_path, **wanted):
    place = tmp_path / "grades.csv"
    kind(to=str(place), **wanted).export(gradebook())
    return list(csv.DictReader(io.StringIO(place.read_text("utf-8"))))


def test_who_hands_in_under_a_formula_is_a_text_in_one_cell(tmp_path):
    rows = exported(SafeCsv, tmp_path)
    assert len(rows) == 2 * len(NAMES)
    assert {row["student_id"] for row in rows} == {"ann", "'=1+cmd", "'@bob, the -2nd", "cy"}
    assert {row["first_name"] for row in rows} == {"'-a", "'-=", "'-@", "'-c"}
    assert {row["score"] for row in rows} == {"0.0"}
    assert None not in rows[0]


def test_no_name_is_a_formula_whatever_separates_cells(tmp_path):
    place = tmp_path / "grades.csv"
    SafeCsv(to=str(place)).export(gradebook(("ann", *HOSTILE)))
    assert not formulas_in(place.read_text("utf-8"))


def test_columns_and_choice_are_those_of_nbgraders_export(tmp_path):
    wanted = {"assignment": ["02_first_kernels"], "student": ["ann", "cy"]}
    ours, theirs = (exported(kind, tmp_path, **wanted) for kind in (SafeCsv, CsvExportPlugin))
    assert [row["student_id"] for row in ours] == ["ann", "cy"]
    assert ours == [{**row, "first_name": "'" + row["first_name"]} for row in theirs]


def test_the_course_exports_so():
    config = Config()
    configure(config)
    assert config.ExportApp.plugin_class is SafeCsv
