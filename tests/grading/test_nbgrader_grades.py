"""What a class adds to points: late submissions, a teacher's word, another try, the formgrader."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from urllib.request import Request, urlopen

import nbformat
import pytest

from gpuedu.course.proof import Bench
from gpuedu.grading.verdict import read_verdicts
from tests.grading.batch.class_of import ROOT
from tests.grading.classroom import (
    LESSON,
    answered,
    exported,
    gradebook,
    hand_in,
    make_course,
    nbgrader,
)
from tests.sampled import only_whole

PENALTY = """
from nbgrader.plugins import LateSubmissionPlugin


class APointADay(LateSubmissionPlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return min(score, total_seconds_late / 86400)


get_config().AssignLatePenalties.plugin_class = APointADay
"""


def half_right(folder):
    """All solved, and one exercise then answered by a stored misconception that keeps points."""
    notebook = answered(folder)
    wrong = Bench(ROOT, "bandwidth").wrong_texts()["gibibytes"]
    cell = next(one for one in notebook.cells if one.id.startswith("bandwidth-answer"))
    cell.source += "\n\n\n" + wrong
    return notebook


@pytest.fixture(scope="module")
def course(tmp_path_factory, zygote):
    """A class of four: in time and right, late and right, late with little, partly right."""
    folder = make_course(tmp_path_factory.mktemp("class"), settings=PENALTY)
    nbgrader(folder, "generate_assignment", LESSON)
    nbgrader(folder, "db", "assignment", "add", LESSON, "--duedate=2026-11-20 12:00:00 UTC")
    hand_in(folder, "punctual", answered(folder), "2026-11-20 11:59:00")
    hand_in(folder, "late", answered(folder), "2026-11-22 12:00:00")
    hand_in(folder, "little", answered(folder, "first-check"), "2026-11-29 12:00:00")
    hand_in(folder, "partly", half_right(folder))
    nbgrader(folder, "autograde", LESSON)
    return folder


def grade_of(book, learner, exercise):
    return book.find_grade(f"{exercise}-check", LESSON, LESSON, learner)


def comment_of(book, learner, exercise):
    return book.find_comment(f"{exercise}-answer", LESSON, LESSON, learner)


def points_in(folder, learner):
    (verdict,) = [one for one in read_verdicts(folder / "verdicts") if one["learner"] == learner]
    return verdict["points"], {one["id"]: one["points"] for one in verdict["exercises"]}


@only_whole
def test_who_is_late_loses_what_the_plug_in_says_of_the_points_of_the_verdict(course):
    rows = {learner: row for (_, learner), row in exported(course).items()}
    penalties = {who: float(row["late_submission_penalty"]) for who, row in rows.items()}
    assert penalties == {"punctual": 0, "late": 2, "little": 2, "partly": 0}
    scores = {who: float(row["score"]) for who, row in rows.items()}
    full, _ = points_in(course, "punctual")
    assert full == float(rows["late"]["max_score"])
    assert scores["punctual"] == full
    assert scores["late"] == full - 2
    assert scores["little"] == 0  # nine days late: no more is lost than was earned


def test_a_part_of_an_exercises_points_counts(course):
    with gradebook(course) as book:
        grade = grade_of(book, "partly", "bandwidth")
        assert 0 < grade.auto_score < grade.max_score
        assert grade.auto_score == points_in(course, "partly")[1]["bandwidth"]
        assert not grade.needs_manual_grade


def test_a_teachers_points_and_words_stay_when_all_is_graded_again(course):
    with gradebook(course) as book:
        grade = grade_of(book, "partly", "bandwidth")
        grade.manual_score, grade.extra_credit = 3.5, 0.5
        comment_of(book, "partly", "bandwidth").manual_comment = "Units: see me."
        book.db.commit()
    nbgrader(course, "autograde", LESSON, "--force", "--student", "partly")
    with gradebook(course) as book:
        grade = grade_of(book, "partly", "bandwidth")
        assert grade.auto_score == points_in(course, "partly")[1]["bandwidth"]
        assert (grade.manual_score, grade.extra_credit, grade.score) == (3.5, 0.5, 4.0)
        assert grade.needs_manual_grade  # nbgrader asks the teacher to look again
        assert comment_of(book, "partly", "bandwidth").comment == "Units: see me."
    nbgrader(course, "generate_feedback", LESSON, "--student", "partly")
    page = course / "feedback" / "partly" / LESSON / f"{LESSON}.html"
    assert "Units: see me." in page.read_text("utf-8")


@only_whole
def test_a_newer_submission_is_graded_without_being_asked_and_an_older_is_not(course):
    hand_in(course, "again", answered(course, "first-check"), "2026-11-18 09:00:00")
    nbgrader(course, "autograde", LESSON, "--student", "again")
    first, _ = points_in(course, "again")
    with gradebook(course) as book:
        assert book.find_submission(LESSON, "again").score == first
        comment_of(book, "again", "bandwidth").manual_comment = "Try it."
        book.db.commit()
    hand_in(course, "again", answered(course), "2026-11-21 12:00:00")
    nbgrader(course, "autograde", LESSON)
    with gradebook(course) as book:
        submission = book.find_submission(LESSON, "again")
        assert submission.score == submission.max_score > first
        assert submission.late_submission_penalty == 1
        assert comment_of(book, "again", "bandwidth").comment == "Try it."
    hand_in(course, "again", answered(course, "none"), "2026-11-17 09:00:00")
    nbgrader(course, "autograde", LESSON)
    with gradebook(course) as book:
        submission = book.find_submission(LESSON, "again")
        assert submission.score == submission.max_score


@pytest.mark.parametrize("left", ["no points yet", "half a file", "no file"])
def test_what_a_killed_run_left_unfinished_is_graded_again(course, left):
    path = course / "autograded" / "punctual" / LESSON / f"{LESSON}.ipynb"
    text = path.read_text("utf-8")
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    path.unlink()
    if left != "no file":
        unfinished = nbformat.writes(notebook)
        path.write_text(unfinished[: 99 if left == "half a file" else None], "utf-8")
    with gradebook(course) as book:
        grade_of(book, "punctual", "bandwidth").auto_score = 0
        book.db.commit()
    nbgrader(course, "autograde", LESSON)
    assert path.read_text("utf-8") == text
    with gradebook(course) as book:
        submission = book.find_submission(LESSON, "punctual")
        assert submission.score == submission.max_score


@only_whole
def test_the_formgraders_button_gives_the_same_grades(course):
    before = {path: path.stat().st_mtime_ns for path in (course / "verdicts").iterdir()}
    scores = {key: row["score"] for key, row in exported(course).items()}
    hand_in(course, "button", half_right(course), "2026-11-20 10:00:00")
    with formgrader(course) as press:
        for learner in ("button", "late"):
            told = press(f"submission/{LESSON}/{learner}/autograde")
            assert told["success"], told
    after = {key: row["score"] for key, row in exported(course).items()}
    mine = after.pop((LESSON, "button"))
    assert after == scores
    assert float(mine) == points_in(course, "button")[0] == points_in(course, "partly")[0]
    assert {path: path.stat().st_mtime_ns for path in before} == before


@contextmanager
def formgrader(folder):
    """A Jupyter server as `jupyter lab` starts it; yields what presses one of its buttons."""
    settings = ["--no-browser", "--allow-root", "--ServerApp.port=0", "--IdentityProvider.token=x"]
    extension = '--ServerApp.jpserver_extensions={"nbgrader.server_extensions.formgrader": True}'
    home = {"JUPYTER_RUNTIME_DIR": str(folder / ".runtime"), "JUPYTER_CONFIG_DIR": str(folder)}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyter", "server", *settings, extension],
        cwd=folder,
        env={**os.environ, **home, "PATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = _address(folder / ".runtime", server)

        def press(button):
            request = Request(
                f"{address}formgrader/api/{button}",
                method="POST",
                headers={"Authorization": "token x"},
            )
            with urlopen(request, timeout=300) as reply:
                return json.load(reply)

        yield press
    finally:
        server.terminate()
        server.wait(30)


def _address(runtime, server):
    for _ in range(600):
        for path in runtime.glob("jpserver-*.json"):
            # Jupyter writes the file before it listens; on a busy machine that can be a while.
            with suppress(ValueError, OSError):
                told = json.loads(path.read_text("utf-8"))
                socket.create_connection((told["hostname"], told["port"]), timeout=5).close()
                return told["url"]
        assert server.poll() is None, "the server ended"
        sleep(0.1)
    raise AssertionError("the server did not start")
