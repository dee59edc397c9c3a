"""The gradebook in a real PostgreSQL: a whole cycle, and two commands at once."""

from __future__ import annotations

import csv

import pytest

from gpuedu.grading.verdict import read_verdicts
from tests.grading.classroom import answered, begin_nbgrader, hand_in, make_course, nbgrader
from tests.grading.postgres_server import postgres
from tests.sampled import WHOLE, only_whole

LESSONS = ("00_welcome", "01_why_gpus")
LEARNERS = ("ann", "bob", "cleo") if WHOLE else ("ann", "bob")


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("psycopg", reason="psycopg is not installed: `pip install .[classroom]`")
    with postgres() as address:
        yield address


@only_whole
def test_a_class_in_postgres_graded_by_two_commands_at_once(server, tmp_path, zygote):
    settings = f"\nget_config().CourseDirectory.db_url = {server!r}\n"
    folder = make_course(tmp_path, *LESSONS, settings=settings)
    for lesson in LESSONS:
        nbgrader(folder, "generate_assignment", lesson)
        hand_in(folder, "ann", answered(folder, lesson=lesson), lesson=lesson)
        hand_in(folder, "bob", answered(folder, "first-check", lesson=lesson), lesson=lesson)
        if "cleo" in LEARNERS:
            hand_in(folder, "cleo", answered(folder, "none", lesson=lesson), lesson=lesson)
    # No learner is in the gradebook yet: each command enters all of them.
    both = [begin_nbgrader(folder, "autograde", lesson) for lesson in LESSONS]
    for one in both:
        told, _ = one.communicate(timeout=300)
        assert one.returncode == 0, told[-3000:]
    for lesson in LESSONS:
        nbgrader(folder, "generate_feedback", lesson)
    nbgrader(folder, "export", "--to", "grades.csv")
    with (folder / "grades.csv").open(newline="") as file:
        rows = {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}
    verdicts = read_verdicts(folder / "verdicts")
    assert {(one["lesson"], one["learner"]) for one in verdicts} == set(rows)
    assert len(rows) == len(LESSONS) * len(LEARNERS)
    for one in verdicts:
        row = rows[one["lesson"], one["learner"]]
        assert float(row["score"]) == one["points"], (one["lesson"], one["learner"])
        page = folder / "feedback" / one["learner"] / one["lesson"] / f"{one['lesson']}.html"
        assert f"{one['points']:.1f} / " in page.read_text("utf-8")
    assert float(rows["00_welcome", "ann"]["score"]) == float(
        rows["00_welcome", "ann"]["max_score"]
    )
    assert not (folder / "gradebook.db").exists()
