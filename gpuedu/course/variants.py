"""A released notebook with the numbers of a class or of one learner.

``gpuedu.exercises.variants`` draws what a code changes in an exercise; here that is put into the
notebook, and the code into its setup cell, so that ``check`` also knows the numbers.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence

import nbformat
from nbformat import NotebookNode

from gpuedu.course.signposts import drop_ways_in
from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load_variant
from gpuedu.exercises.variants import CODE
from gpuedu.syllabus import Lesson

_SETUP = re.compile(rf'^setup\("([\w-]+)"(?:, variant="({CODE.pattern})")?\)', re.MULTILINE)


def vary(released: NotebookNode, lesson: Lesson, code: str) -> NotebookNode:
    """The notebook for a code; the released one itself if the code changes nothing.

    Raises:
        GpueduError: the notebook does not have what a variant would change.
    """
    drawn = {name: load_variant(name, code) for name in lesson.exercises} if code else {}
    variants = {name: one for name, one in drawn.items() if one is not None}
    if not variants:
        return released
    notebook = copy.deepcopy(released)
    _edit(_cells(notebook, ""), ((f'setup("{lesson.slug}")', _setup(lesson, code)),))
    for name, variant in variants.items():
        _edit(_cells(notebook, name), variant.edits)
    return notebook


def vary_text(released: str, lesson: Lesson, code: str) -> str:
    """The same, from one file's text to another's, without links to the published numbers."""
    public = nbformat.reads(released, as_version=4)
    varied = vary(public, lesson, code)
    if varied is public:
        return released
    drop_ways_in(varied)
    return nbformat.writes(varied) + "\n"


def code_in(notebook: NotebookNode, lesson: Lesson) -> str | None:
    """The code in a notebook's setup cell, whoever wrote it there.

    "" if it calls ``setup`` as published; None if it does not call it for this lesson.
    """
    for cell in notebook.cells:
        for slug, code in _SETUP.findall(cell.source) if cell.cell_type == "code" else ():
            if slug == lesson.slug:
                return code
    return None


def _setup(lesson: Lesson, code: str) -> str:
    return f'setup("{lesson.slug}", variant="{code}")'


def _cells(notebook: NotebookNode, exercise: str) -> list[NotebookNode]:
    """The cells of an exercise; for "" the setup cell."""
    found = []
    for cell in notebook.cells:
        about = cell.metadata.get("gpuedu", {})
        wanted = about.get("exercise") == exercise if exercise else about.get("role") == "setup"
        found += [cell] if wanted else []
    return found


def _edit(cells: list[NotebookNode], edits: Sequence[tuple[str, str]]) -> None:
    """Put texts in place of others, each of which must stand there once; all of them at once."""
    for old, _ in edits:
        if sum(cell.source.count(old) for cell in cells) != 1:
            raise GpueduError(
                f"a variant wants to change {old!r}, which does not occur exactly once",
                remedy="change the lesson's module `variants` as its notebook was changed",
            )
    if not edits:
        return
    table = dict(edits)
    wanted = re.compile("|".join(map(re.escape, table)))
    for cell in cells:
        cell.source = wanted.sub(lambda found: table[found[0]], cell.source)
