"""The leaderboard shows who asked for it, by the name they gave, with figures that held."""

from __future__ import annotations

import csv
import io

import pytest

from gpuedu.exercises.capstone.report_text import leaderboard_name
from gpuedu.grading.report.leaderboard import Entry, as_csv, entries_of
from tests.grading.report.spreadsheets import HOSTILE, formulas_in

REPORT = '''report = """
| cost | before | after | times | changed in |
|---|---|---|---|---|
| waits in training, an epoch | 160 | {waits} | 80 | train.py |
| images at once in evaluation | 1 | 8 | 8 | evaluate.py |
| recorded in an evaluation | 5,800 | 0 | all | evaluate.py |

Leaderboard: {name}
"""'''


def verdict(name, waits=2, points=34.0, failing=()):
    held = ("same", "rows", "before", "after", "times")
    return {
        "answers": {
            "make-it-fast-answer": REPORT.format(name="Eve", waits=0),
            "make-it-fast-answer-2": REPORT.format(name=name, waits=waits),
            "make-it-fast-too-answer": "x = (",
        },
        "exercises": [
            {
                "id": "make-it-fast",
                "points": points,
                "properties": [{"name": one, "holds": one not in failing} for one in held],
            }
        ],
    }


def test_the_best_come_first_and_nobody_is_shown_unasked():
    found = entries_of(
        [verdict("Ada", waits=4), verdict("no"), verdict(""), verdict("Bo", waits=2)]
    )
    assert [one.name for one in found] == ["Bo", "Ada"]
    assert found[1].times == pytest.approx((40 * 8) ** 0.5)
    assert found[0].after["recorded in an evaluation"] == "0"


def test_the_first_row_of_a_cost_is_the_one_that_was_judged():
    forged = verdict("Ada", waits=4)
    row = "| waits in training, an epoch | 999999 | 0.001 | 9 | a |\n\nLeaderboard"
    text = forged["answers"]["make-it-fast-answer-2"].replace("\nLeaderboard", row)
    forged["answers"]["make-it-fast-answer-2"] = text
    assert entries_of([forged]) == entries_of([verdict("Ada", waits=4)])


def test_points_come_before_figures():
    found = entries_of([verdict("Ada", waits=1, points=30), verdict("Bo", waits=4)])
    assert [one.name for one in found] == ["Bo", "Ada"]


@pytest.mark.parametrize("lost", ["same", "before", "after", "rows"])
def test_claims_that_do_not_hold_are_not_shown(lost):
    assert entries_of([verdict("Ada", failing=(lost,))]) == []


@pytest.mark.parametrize(
    "text", ["x = (", "", "report = open", "{report}\nreport = other", "del report"]
)
def test_only_what_was_judged_is_shown(text):
    changed = verdict("Ada")
    report = changed["answers"]["make-it-fast-answer-2"]
    changed["answers"]["make-it-fast-answer-2"] = text.format(report=report)
    assert entries_of([changed]) == []


def test_other_lessons_and_unreadable_submissions_have_no_entry():
    assert entries_of([{"exercises": []}, {"exercises": [{"id": "amdahl"}]}, {}]) == []


def test_a_name_cannot_be_a_formula_or_another_column():
    text = as_csv(entries_of([verdict('=HYPERLINK("http://a"),"x"')]))
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["name"] == '\'=HYPERLINK("http://a"),"x"'[:41]
    assert row["waits in training, an epoch"] == "2"


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_is_a_formula_whatever_separates_cells(name):
    assert not formulas_in(as_csv([Entry(name, 28.0, 12.5, {name: name})]))


def test_a_name_in_a_report_is_one_cell():
    name = leaderboard_name("Leaderboard: x;=cmd|' /C calc'!A0;y\n")
    (row,) = list(csv.reader(io.StringIO(as_csv([Entry(name, 28, 12.5, {})]))))[1:]
    assert row[1] == "x,=cmd|' /C calc'!A0,y"


def test_a_long_line_is_read_as_fast_as_a_short_one():
    """With time that grows as the square of its length, this would take hours."""
    assert leaderboard_name(f"Leaderboard: a{' ' * 5_000_000}b") == "a" + " " * 39
