"""A lesson's source as the teacher's notebook, nbgrader's source version.

Cell ids come from the exercise or section and the cell's ordinal of its kind within it, so that
every build is the same to the byte, and a cell added elsewhere changes no id.
"""

from __future__ import annotations

from collections import Counter

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from gpuedu.course.check_call import check_arguments
from gpuedu.course.signposts import add_signposts
from gpuedu.course.source import LessonSource, SourceCell
from gpuedu.exercises.registry import load_judge
from gpuedu.syllabus import Lesson

_LOCKED = ("setup", "given")
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def teacher_notebook(source: LessonSource, lesson: Lesson) -> nbformat.NotebookNode:
    """The notebook with answers; LessonSourceError if the source is not sound."""
    _require_exercises(source, lesson)
    cells = []
    for cell, cell_id in zip(source.cells, cell_ids(source), strict=True):
        metadata = {"gpuedu": _course_metadata(cell)}
        if cell.role in ("answer", "check", *_LOCKED):
            metadata["nbgrader"] = _nbgrader_metadata(source, lesson, cell, cell_id)
        make = new_code_cell if cell.is_code else new_markdown_cell
        cells.append(make(cell.text, id=cell_id, metadata=metadata))
    header = (
        f"<!-- Generated from solutions/{lesson.folder}/{lesson.folder}.py by `gpuedu build`. -->"
    )
    notebook = new_notebook(cells=cells, metadata=_notebook_metadata(lesson))
    add_signposts(notebook, lesson)
    cells[0].source = f"{header}\n{cells[0].source}"
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    nbformat.validate(notebook)
    return notebook


def _notebook_metadata(lesson: Lesson) -> dict:
    return {
        "gpuedu": {"lesson": lesson.slug},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


def cell_ids(source: LessonSource) -> list[str]:
    """An id for each cell, unique and stable."""
    seen: Counter[str] = Counter()
    ids = []
    for cell in source.cells:
        stem = f"{cell.exercise or cell.section}-{cell.role}"
        seen[stem] += 1
        ids.append(stem if seen[stem] == 1 else f"{stem}-{seen[stem]}")
    for cell, cell_id in zip(source.cells, ids, strict=True):
        if len(cell_id) > 64 or ids.count(cell_id) > 1:
            raise source.fault(
                f"the cell's id {cell_id!r} is too long or not unique",
                cell,
                "use a shorter or another heading",
            )
    return ids


def _course_metadata(cell: SourceCell) -> dict:
    metadata = {"role": cell.role}
    if cell.exercise:
        metadata["exercise"] = cell.exercise
    if cell.was:
        metadata["was"] = cell.was.split()
    return metadata


def _nbgrader_metadata(
    source: LessonSource, lesson: Lesson, cell: SourceCell, cell_id: str
) -> dict:
    metadata = {
        "schema_version": 3,
        "grade_id": cell_id,
        "grade": cell.role == "check",
        "solution": cell.role == "answer",
        "locked": cell.role != "answer",
        "task": False,
    }
    if cell.role == "check":
        metadata["points"] = load_judge(cell.exercise).points
        _require_check(source, cell)
    if cell.role == "answer":
        _require_regions(source, cell)
    return metadata


def _require_exercises(source: LessonSource, lesson: Lesson) -> None:
    """Every exercise of the syllabus is there, in that order, with answers and then one check."""
    found = source.exercise_ids()
    if found != lesson.exercises:
        raise source.fault(
            f"exercises are {', '.join(found) or 'none'}; the syllabus has "
            f"{', '.join(lesson.exercises)}",
            remedy="`gpuedu build` writes the exercises of a lesson into syllabus.toml",
        )
    for exercise in found:
        roles = [cell.role for cell in source.cells if cell.exercise == exercise]
        first = source.cells_of(exercise, *roles)[0]
        if "answer" not in roles:
            raise source.fault(f"{exercise!r} has no answer cell", first)
        if roles.count("check") != 1:
            raise source.fault(
                f"{exercise!r} has {roles.count('check')} check cells, expected 1", first
            )
        last_answer = len(roles) - 1 - roles[::-1].index("answer")
        if roles.index("check") < last_answer:
            raise source.fault(f"{exercise!r} checks before its last answer cell", first)
    for cell in source.cells:
        if cell.role in ("answer", "check", "predict") and not cell.exercise:
            raise source.fault(f"a cell with role {cell.role!r} belongs to no exercise", cell)


def _require_check(source: LessonSource, cell: SourceCell) -> None:
    asked = check_arguments(cell.text)
    if asked is None:
        raise source.fault(
            "the check cell does not end in a bare `check(...)`: it would print no number, and "
            "nbgrader gives full marks to a silent cell",
            cell,
            f'end the cell with `check("{cell.exercise}", ...)`, no semicolon, no assignment',
        )
    if asked[0] != cell.exercise:
        raise source.fault(f"the cell of {cell.exercise!r} checks {asked[0]!r}", cell)


def _require_regions(source: LessonSource, cell: SourceCell) -> None:
    """Solution regions open and close in turn, at least one, none empty."""
    opened = 0
    regions = 0
    for number, line in enumerate(cell.text.splitlines(), cell.line + 1):
        if BEGIN in line:
            if opened:
                raise source.fault(f"line {number}: a solution begins inside another", cell)
            opened = number
        elif END in line:
            if not opened:
                raise source.fault(f"line {number}: a solution ends that never began", cell)
            if number == opened + 1:
                raise source.fault(f"line {number}: the solution is empty", cell)
            opened = 0
            regions += 1
    if opened:
        raise source.fault(f"line {opened}: the solution is never closed", cell, f"add `{END}`")
    if not regions:
        raise source.fault(
            "an answer cell without a solution region", cell, f"put the answer between {BEGIN} ..."
        )
