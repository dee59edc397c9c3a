"""The classroom cycle with plain nbgrader, down to the formgrader in a browser."""

from __future__ import annotations

from gpuedu.exercises.registry import load
from gpuedu.syllabus import lesson
from tests.browser.server import TOKEN
from tests.sampled import only_whole

pytestmark = only_whole

LESSON = lesson("why-gpus")


def scores(graded_class):
    return {row["student_id"]: float(row["score"]) for row in graded_class[1]}


def test_the_grades_are_what_the_submissions_deserve(graded_class):
    total = sum(load(exercise).judge.points for exercise in LESSON.exercises)
    found = scores(graded_class)
    assert found["right"] == total
    assert found["unsolved"] == 0
    first, second, third = (load(exercise).judge.points for exercise in LESSON.core[:3])
    assert first + third <= found["partly"] < first + second + third
    assert {float(row["max_score"]) for row in graded_class[1]} == {total}


def test_the_feedback_page_shows_the_cards(graded_class):
    page = graded_class[2].read_text("utf-8")
    assert "gpuedu-card" in page
    assert f"{LESSON.core[0]}: {load(LESSON.core[0]).judge.points:g} of" in page
    assert "Not solved yet" in page


def test_a_teacher_sees_the_graded_submission(page, formgrader, screenshots):
    page.goto(f"{formgrader}lab?token={TOKEN}")  # as a teacher comes: this logs the browser in
    page.goto(f"{formgrader}formgrader/manage_submissions/{LESSON.folder}")
    page.get_by_text("partly").first.wait_for()
    page.screenshot(path=screenshots / "formgrader-submissions.png")
    text = page.locator("table").first.inner_text()
    for student in ("right", "partly", "unsolved"):
        assert student in text
    page.goto(f"{formgrader}formgrader/gradebook/{LESSON.folder}/{LESSON.folder}")
    page.get_by_text("Submission #1").first.wait_for()
    page.screenshot(path=screenshots / "formgrader-gradebook.png")
    page.get_by_text("Submission #1").first.click()
    page.locator(".gpuedu-card").first.wait_for()
    page.screenshot(path=screenshots / "formgrader-submission.png")
