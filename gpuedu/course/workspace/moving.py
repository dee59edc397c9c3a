"""Exercises that a release moved to another lesson: what the learner wrote moves with them (pure).

A lesson may be split, renamed or renumbered. Exercises keep their ids, so the cells of an exercise
are found in the lesson that had it, and are merged into the one that has it now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuedu.course.workspace.merge import Merged, merge
from gpuedu.course.workspace.nodes import NotebookNode


def exercises(notebook: NotebookNode) -> frozenset[str]:
    """Ids of the exercises that a notebook has cells of."""
    return frozenset(name for name, _ in _owned(notebook) if name)


def carry(
    formers: Iterable[tuple[NotebookNode, NotebookNode]], theirs: NotebookNode
) -> Merged | None:
    """The release's notebook of a lesson, with what was written in lessons that had its exercises.

    Args:
        formers: for each such lesson, the notebook as released, and as the learner has it.
        theirs: the lesson's notebook in the release.

    Returns:
        What was merged; None if nothing of it was in those lessons.
    """
    wanted, lesson = exercises(theirs), _lesson(theirs)
    base_cells: list[NotebookNode] = []
    own_cells: list[NotebookNode] = []
    for base, mine in formers:
        moved = exercises(base) & wanted
        is_whole = (
            lesson != "" and _lesson(base) == lesson
        )  # a new number: all of it is at home here
        if moved or is_whole:
            base_cells += _cells_of(base, moved, is_whole=is_whole)
            own_cells += _cells_of(mine, moved, is_whole=is_whole)
    if not own_cells:
        return None
    base, mine = (
        NotebookNode(nbformat=4, nbformat_minor=5, metadata=NotebookNode(), cells=cells)
        for cells in (base_cells, own_cells)
    )
    return merge(base, mine, theirs)


def without(notebook: NotebookNode, moved: frozenset[str]) -> NotebookNode:
    """A notebook without the cells of some exercises and what was written among them."""
    kept = [cell for name, cell in _owned(notebook) if name not in moved]
    return NotebookNode({**notebook, "cells": kept})


def _cells_of(
    notebook: NotebookNode, moved: frozenset[str], *, is_whole: bool
) -> list[NotebookNode]:
    return [cell for name, cell in _owned(notebook) if name in moved or (is_whole and not name)]


def _owned(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    """Each cell with the exercise it belongs to; a learner's own cell follows the course's."""
    name = ""
    for cell in notebook.cells:
        entry = cell.metadata.get("gpuedu")
        if isinstance(entry, dict):
            name = str(entry.get("exercise", ""))
        yield name, cell


def _lesson(notebook: NotebookNode) -> str:
    entry = notebook.metadata.get("gpuedu")
    return str(entry.get("lesson", "")) if isinstance(entry, dict) else ""
