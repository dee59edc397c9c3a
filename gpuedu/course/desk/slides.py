"""A lesson's slides as one HTML file, which a browser shows, and prints with one slide a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gpuedu.course.book.exercise_list import listed
from gpuedu.course.book.run import lesson_runs
from gpuedu.course.desk.deck import slides_of
from gpuedu.course.desk.page import render, write
from gpuedu.syllabus import Lesson

if TYPE_CHECKING:
    from nbformat import NotebookNode

KEPT = Path("build", "runs")
"""Where runs of lessons are kept, below the checkout; the book keeps its own there, too."""


def write_slides(root: Path, lesson: Lesson, path: Path) -> int:
    """Write the slides of a lesson; it is run first, unless its run is kept.

    Returns:
        How many slides there are.

    Raises:
        GpueduError: a cell of the lesson fails, or the page cannot be written.
    """
    ((_, run),) = lesson_runs(root, [lesson], root / KEPT, workers=1)
    return write_deck(root, lesson, run, path)


def write_deck(root: Path, lesson: Lesson, run: NotebookNode, path: Path) -> int:
    """Write the slides of a lesson from a run of it; returns how many there are."""
    slides = slides_of(lesson, run, listed(root, lesson))
    write(path, render("slides.html.j2", lesson=lesson, slides=slides))
    return len(slides)
