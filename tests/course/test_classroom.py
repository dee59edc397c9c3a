"""What nbgrader makes of notebooks that learners and their tools have mangled."""

from __future__ import annotations

import copy
import csv

import nbformat
import pytest

from gpuedu.course.demo import fill_in, lay_out, run_nbgrader
from gpuedu.exercises.registry import load
from gpuedu.syllabus import lesson
from tests.sampled import WHOLE

LESSON = lesson("welcome")
TOTAL = sum(load(exercise).judge.points for exercise in LESSON.exercises)
LAST = load("launch-bound").judge.points


def without_an_exercise(notebook):
    notebook.cells = [c for c in notebook.cells if not c.id.startswith("launch-bound")]


def without_metadata(notebook):
    for cell in notebook.cells:
        cell.metadata = nbformat.NotebookNode()


def with_a_copied_answer(notebook):
    place = next(i for i, c in enumerate(notebook.cells) if c.id == "bandwidth-answer")
    twin = copy.deepcopy(notebook.cells[place])
    twin.id = "a-copy"
    notebook.cells.insert(place + 1, twin)


def with_an_edited_check(notebook):
    for cell in notebook.cells:
        if cell.id == "launch-bound-check":
            cell.source = "1000.0"


MANGLED = {
    "whole": (lambda notebook: None, TOTAL),
    "lost": (without_an_exercise, TOTAL - LAST),
    "stripped": (without_metadata, TOTAL),
    "copied": (with_a_copied_answer, TOTAL),
    "edited": (with_an_edited_check, TOTAL),
}


HANDED_IN = {who: MANGLED[who] for who in (MANGLED if WHOLE else ("whole", "copied"))}
"""Each is graded for half a minute or more: CI has two."""


@pytest.fixture(scope="module")
def scores(root, tmp_path_factory):
    """The exported score of each mangled right submission."""
    folder, name = tmp_path_factory.mktemp("class"), LESSON.folder
    lay_out(root, folder, name)
    run_nbgrader(folder, lambda line: None, "generate_assignment", name)
    released = (folder / "notebooks" / name / f"{name}.ipynb").read_text("utf-8")
    solved = nbformat.read(folder / "solutions" / name / f"{name}.ipynb", as_version=4)
    answers = {c.id: c.source for c in solved.cells if c.metadata["gpuedu"]["role"] == "answer"}
    for student, (mangle, _) in HANDED_IN.items():
        notebook = nbformat.reads(fill_in(released, answers), as_version=4)
        mangle(notebook)
        path = folder / "submitted" / student / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    run_nbgrader(folder, lambda line: None, "autograde", name)
    run_nbgrader(folder, lambda line: None, "export", "--to", "grades.csv")
    with (folder / "grades.csv").open(newline="") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("student", HANDED_IN)
def test_a_mangled_submission_gets_what_its_answers_deserve(scores, student):
    assert scores[student] == MANGLED[student][1]
