"""The part of a submission that belongs to one exercise."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gpuedu.course.check_call import check_arguments
from gpuedu.course.checkout import release_folder

_KEPT = 64
"""Lessons and variants whose cells are kept."""


@dataclass(frozen=True)
class Cells:
    """The cells of one exercise.

    Attributes:
        sources: the ones to run, each a name and its source: imports, what is given, the answers.
        arguments: what the check cell hands over, as source text.
        imports: import statements of the lesson's own setup cells.
        measured: names with which the given cells call ``measure``.
    """

    sources: tuple[tuple[str, str], ...]
    arguments: tuple[str, ...]
    imports: str = ""
    measured: tuple[str, ...] = ()


@dataclass(frozen=True)
class CourseCell:
    """A code cell of a released notebook: its id, its role in an exercise, and its source."""

    id: str
    role: str
    exercise: str
    source: str


@lru_cache(maxsize=_KEPT)
def course_cells(lesson: str, variant: str = "") -> tuple[CourseCell, ...]:
    """The code cells that learners of a lesson were given.

    The published file is the course's own, so it is read unchecked: the notebook checker takes a
    second to import, in each process that grades.

    Args:
        lesson: the lesson's folder, such as ``01_why_gpus``.
        variant: the code of a class's or a learner's own numbers.
    """
    if variant:
        from gpuedu.grading.reading.released import released

        return tuple(_course_cells(released(lesson, variant).cells))
    path = release_folder() / lesson / f"{lesson}.ipynb"
    return tuple(_course_cells(json.loads(path.read_text("utf-8"))["cells"]))


def _course_cells(cells: Iterable[Mapping[str, Any]]) -> Iterator[CourseCell]:
    for cell in cells:
        if cell["cell_type"] == "code":
            about = cell["metadata"].get("gpuedu", {})
            role_and_exercise = about.get("role", ""), about.get("exercise", "")
            yield CourseCell(cell["id"], *role_and_exercise, "".join(cell["source"]))


def is_untouched(given: Sequence[CourseCell], answers: Mapping[str, str], exercise: str) -> bool:
    """True if all answer cells of an exercise are as they were handed out."""
    blanks = (one for one in given if one.exercise == exercise and one.role == "answer")
    return all(answers.get(one.id, one.source).strip() == one.source.strip() for one in blanks)


def imports_in(lesson: str) -> str:
    """The import statements of a lesson's setup cells, in the form of ``Cells``."""
    setups = (cell for cell in course_cells(lesson) if cell.role == "setup")
    return "\n".join(imports_of(cell.source) for cell in setups)


def cells_of(given: Sequence[CourseCell], answers: Mapping[str, str], exercise: str) -> Cells:
    """The cells of an exercise in their order, with the learner's sources in its answer cells."""
    sources, arguments, imports, measured = [], (), [], []
    for cell in given:
        mine = cell.exercise == exercise
        if cell.role == "setup":
            imports.append(imports_of(cell.source))
            sources.append((cell.id, imports[-1]))
        elif mine and cell.role == "answer":
            sources.append((cell.id, answers.get(cell.id, cell.source)))
        elif mine and cell.role == "given":
            sources.append((cell.id, cell.source))
            measured += measured_in(cell.source)
        elif mine and cell.role == "check":
            _, handed_over = check_arguments(cell.source) or ("", [])
            arguments = tuple(ast.unparse(one) for one in handed_over)
    return Cells(tuple(sources), arguments, "\n".join(imports), tuple(measured))


def measured_in(given: str) -> list[str]:
    """Names with which a cell calls ``measure`` if it hands over nothing else."""
    calls = (node for node in ast.walk(ast.parse(given)) if isinstance(node, ast.Call))
    return [
        call.args[0].value
        for call in calls
        if ast.unparse(call.func) == "measure"
        and len(call.args) == 1
        and isinstance(call.args[0], ast.Constant)
    ]


def imports_of(setup: str) -> str:
    """A setup cell without the call that looks at the machine and opens the learner's progress."""
    body = ast.parse(setup).body
    kept = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return "\n".join(ast.unparse(node) for node in kept)
