"""An nbgrader course with our verdicts, and what a teacher does in it, by nbgrader's own commands."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook

from gpuedu.course.demo import fill_in, lay_out, run_nbgrader
from tests.grading.batch.class_of import ROOT, solutions_of

LESSON = "00_welcome"
TAKE_VERDICTS = """
from gpuedu.grading.nbgrader import configure as take_verdicts

take_verdicts(get_config())
"""


def quiet(line):
    pass


def make_course(folder: Path, *lessons: str, settings: str = "") -> Path:
    """Lay out a course of some lessons that takes our verdicts."""
    for lesson in lessons or (LESSON,):
        lay_out(ROOT, folder, lesson)
    with (folder / "nbgrader_config.py").open("a") as file:
        file.write(TAKE_VERDICTS + settings)
    return folder


def nbgrader(folder: Path, *command: str) -> None:
    run_nbgrader(folder, quiet, *command)


def begin_nbgrader(folder: Path, *command: str) -> subprocess.Popen:
    """One of nbgrader's commands, beside others."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.Popen(
        [sys.executable, "-m", "nbgrader", *command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def released(folder: Path, lesson: str = LESSON) -> str:
    return (folder / "notebooks" / lesson / f"{lesson}.ipynb").read_text("utf-8")


def answered(folder: Path, *exercises: str, lesson: str = LESSON):
    """A released notebook in which some exercises, or all, are solved."""
    answers = {
        cell: text
        for cell, text in solutions_of(lesson).items()
        if not exercises or cell.split("-answer")[0] in exercises
    }
    return nbformat.reads(fill_in(released(folder, lesson), answers), as_version=4)


def hand_in(folder: Path, learner: str, notebook, at: str = "", lesson: str = LESSON) -> Path:
    """Put a submission where nbgrader expects it, with the time at which it was handed in."""
    place = folder / "submitted" / learner / lesson
    place.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, place / f"{lesson}.ipynb")
    if at:
        (place / "timestamp.txt").write_text(f"{at} UTC\n")
    return place / f"{lesson}.ipynb"


def exported(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The rows of `nbgrader export`, by lesson and learner."""
    nbgrader(folder, "export", "--to", "grades.csv")
    with (folder / "grades.csv").open(newline="") as file:
        return {(row["assignment"], row["student_id"]): row for row in csv.DictReader(file)}


def gradebook(folder: Path) -> Gradebook:
    """The gradebook, as nbgrader's API opens it."""
    with redirect_stderr(io.StringIO()):
        return Gradebook(f"sqlite:///{folder / 'gradebook.db'}", "gpuedu")
