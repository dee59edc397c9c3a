"""nbgrader's own commands, with verdicts from the sandbox: grades, feedback, one bad apple."""

from __future__ import annotations

import csv
import json

import pytest

from gpuedu.course.demo import lay_out, run_nbgrader
from gpuedu.grading.verdict import read_verdicts
from tests.grading.batch.class_of import ROOT, make_class

LESSON = "00_welcome"
SCRIPT = "<script>document.title = 'stolen'</script>Hello"


@pytest.fixture(scope="module")
def classroom(tmp_path_factory, zygote):
    """A class that nbgrader's commands graded: its folder, and what the generator knows."""
    folder = tmp_path_factory.mktemp("class")
    lay_out(ROOT, folder, LESSON)
    with (folder / "nbgrader_config.py").open("a") as file:
        file.write("\nfrom gpuedu.grading.nbgrader import configure as take_verdicts\n")
        file.write("\ntake_verdicts(get_config())\n")
    run_nbgrader(folder, lambda _: None, "generate_assignment", LESSON)
    expected = make_class(folder / "submitted", LESSON, "rpwhu", seed=21)
    path = folder / "submitted" / "right000" / LESSON / f"{LESSON}.ipynb"
    notebook = json.loads(path.read_text("utf-8"))
    notebook["cells"].append({"cell_type": "markdown", "id": "x", "metadata": {}, "source": SCRIPT})
    path.write_text(json.dumps(notebook))
    # nbgrader wants a notebook in the folder; what is handed in as an archive is laid out for it.
    for archive in (folder / "submitted").rglob("*.zip"):
        import zipfile

        with zipfile.ZipFile(archive) as bundle:
            archive.with_suffix(".ipynb").write_bytes(bundle.read(f"{LESSON}.ipynb"))
        archive.unlink()
    run_nbgrader(folder, lambda _: None, "autograde", LESSON)
    run_nbgrader(folder, lambda _: None, "generate_feedback", LESSON)
    run_nbgrader(folder, lambda _: None, "export", "--to", "grades.csv")
    return folder, expected


def test_the_gradebook_has_the_points_of_the_verdicts(classroom):
    folder, expected = classroom
    with (folder / "grades.csv").open(newline="") as file:
        scores = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    verdicts = {one["learner"]: one["points"] for one in read_verdicts(folder / "verdicts")}
    assert scores == verdicts
    for learner, wanted in expected.items():
        if all(points >= 0 for points in wanted.points.values()):
            assert scores[learner] == sum(wanted.points.values())
        else:
            assert scores[learner] < sum(map(abs, wanted.points.values()))


def test_feedback_has_the_cards_and_no_script(classroom):
    folder, _ = classroom
    page = (folder / "feedback" / "right000" / LESSON / f"{LESSON}.html").read_text("utf-8")
    assert "first-check: 2 of 2" in page
    assert "<script>document" not in page
    assert "Hello" in page
    wrong = next((folder / "feedback").glob("wrong*")) / LESSON / f"{LESSON}.html"
    assert "It does not hold on a hidden case." in wrong.read_text("utf-8")


def test_a_second_run_takes_the_verdicts_that_are_there(classroom):
    folder, _ = classroom
    before = {path: path.stat().st_mtime_ns for path in (folder / "verdicts").iterdir()}
    run_nbgrader(folder, lambda _: None, "autograde", LESSON, "--force")
    assert {path: path.stat().st_mtime_ns for path in (folder / "verdicts").iterdir()} == before
