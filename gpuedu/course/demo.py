"""The classroom cycle on a class of three, with nbgrader's own commands and nothing else.

``make demo`` runs it in a temporary folder: release the lesson, collect the archive that a learning
platform gives, grade, write feedback, export. It ends with the table of grades.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat

from gpuedu.course.proof import Bench
from gpuedu.errors import GpueduError
from gpuedu.syllabus import Lesson, lesson

LESSON = "why-gpus"
SUBMITTED_AT = "2026-11-20-18-30-00"


def main() -> None:
    """Walk through the cycle and say where the results are."""
    root = Path(__file__).resolve().parents[2]
    folder = Path(tempfile.mkdtemp(prefix="gpuedu-demo-"))
    try:
        grades, feedback = run_demo(root, folder, print)
    except GpueduError as fault:
        sys.exit(f"demo: {fault}")
    print(f"\n{format_grades(grades)}\n")
    print(f"The course of this demo: {folder}")
    print(f"A feedback page to open: {feedback}")


def run_demo(
    root: Path, folder: Path, tell: Callable[[str], None]
) -> tuple[list[dict[str, str]], Path]:
    """Walk through the classroom cycle in ``folder``.

    Returns:
        The exported rows of the grade table, and the feedback page of the partly wrong submission.

    Raises:
        GpueduError: with the end of nbgrader's output, if one of its commands fails.
    """
    entry = lesson(LESSON)
    name = entry.folder
    tell("Laying out a course as a teacher would have it ...")
    lay_out(root, folder, name)
    run_nbgrader(folder, tell, "generate_assignment", name)
    tell("Three learners hand in: one right, one partly wrong, one unsolved ...")
    _hand_in(root, folder, entry)
    run_nbgrader(folder, tell, "zip_collect", name)
    run_nbgrader(folder, tell, "autograde", name)
    run_nbgrader(folder, tell, "generate_feedback", name)
    run_nbgrader(folder, tell, "export", "--to", "grades.csv")
    with (folder / "grades.csv").open(newline="") as file:
        grades = sorted(csv.DictReader(file), key=lambda row: row["student_id"])
    return grades, folder / "feedback" / "partly" / name / f"{name}.html"


def lay_out(root: Path, folder: Path, name: str) -> None:
    """Copy everything about one lesson from a checkout into an empty course folder."""
    shutil.copy(root / "nbgrader_config.py", folder)
    for tree in ("solutions", "notebooks"):
        if not (root / tree / name / f"{name}.ipynb").is_file():
            raise GpueduError(f"there is no {tree}/{name}/{name}.ipynb", remedy="`gpuedu build`")
        shutil.copytree(root / tree / name, folder / tree / name)


def run_nbgrader(folder: Path, tell: Callable[[str], None], *command: str) -> None:
    """Run one of nbgrader's commands as a teacher would type it."""
    tell(f"$ nbgrader {' '.join(command)}")
    # nbgrader calls `alembic` by name, so this environment's programs come first on the path.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise GpueduError(f"`nbgrader {' '.join(command)}` failed:\n{tail}")


def _hand_in(root: Path, folder: Path, entry: Lesson) -> None:
    """Write the submissions as a learning platform's archive, named as such platforms do."""
    name = entry.folder
    released = (folder / "notebooks" / name / f"{name}.ipynb").read_text("utf-8")
    solved = (folder / "solutions" / name / f"{name}.ipynb").read_text("utf-8")
    answers = {
        cell.id: cell.source
        for cell in nbformat.reads(solved, as_version=4).cells
        if cell.metadata["gpuedu"]["role"] == "answer"
    }
    submissions = {
        "right": fill_in(released, answers),
        "partly": fill_in(released, _partly_wrong(root, entry, answers)),
        "unsolved": released,
    }
    archive = folder / "downloaded" / name / "archive"
    archive.mkdir(parents=True)
    with zipfile.ZipFile(archive / "submissions.zip", "w") as bundle:
        for student, text in submissions.items():
            bundle.writestr(f"{name}_{student}_attempt_{SUBMITTED_AT}_{name}.ipynb", text)


def fill_in(released: str, answers: Mapping[str, str]) -> str:
    """A learner's notebook: the released one with these sources in its answer cells, by cell id."""
    notebook = nbformat.reads(released, as_version=4)
    for cell in notebook.cells:
        if cell.id in answers:
            cell.source = answers[cell.id]
    return nbformat.writes(notebook)


def _partly_wrong(root: Path, entry: Lesson, answers: Mapping[str, str]) -> dict[str, str]:
    """The first exercise right, the second wrong in a known way, the third right, and no more."""
    kept = {
        cell_id: text
        for cell_id, text in answers.items()
        if any(cell_id.startswith(f"{exercise}-answer") for exercise in entry.core[:3])
    }
    wrong = [*Bench(root, entry.core[1]).wrong_texts().values()]
    if not wrong:
        raise GpueduError(f"there are no known wrong answers for {entry.core[1]!r}")
    last = [cell_id for cell_id in kept if cell_id.startswith(f"{entry.core[1]}-answer")][-1]
    kept[last] += "\n\n\n" + wrong[0]
    return kept


def format_grades(grades: list[dict[str, str]]) -> str:
    """The exported table as a teacher reads it: learner, score, maximum, late penalty."""
    rows = [("learner", "score", "of", "submitted")]
    rows += [
        (row["student_id"], row["score"], row["max_score"], row["timestamp"]) for row in grades
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


if __name__ == "__main__":
    main()
