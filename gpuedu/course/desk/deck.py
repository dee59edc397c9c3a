"""The slides of a lesson, from a run of its notebook (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gpuedu.course.book.exercise_list import Listed
from gpuedu.course.desk.announced import announcement_in
from gpuedu.course.desk.prose import blocks_of, heading_of, without_heading
from gpuedu.course.desk.section import Section
from gpuedu.course.desk.slide import Slide
from gpuedu.course.signposts import without_ways_in
from gpuedu.syllabus import Lesson

if TYPE_CHECKING:
    from nbformat import NotebookNode

_SOURCES, _LAST = "Sources", "What you take with you"


def slides_of(lesson: Lesson, run: NotebookNode, listed: Sequence[Listed]) -> list[Slide]:
    """The deck of a lesson.

    Args:
        lesson: which one.
        run: its solved notebook with outputs; cells that a book adds to it are left out.
        listed: its exercises, with points and minutes.
    """
    cells = [cell for cell in run.cells if not cell.metadata.get("book")]
    by_id = {one.id: one for one in listed}
    found = list(_first_slides(lesson, without_ways_in(cells[0].source)))
    for section in _sections(cells[1:]):
        heading = heading_of(section[0].source)
        if heading == _LAST:
            texts = blocks_of(without_heading(section[0].source))
            found.append(Slide("last", heading, tuple(texts)))
        elif heading != _SOURCES:
            exercise = by_id.get(section[0].metadata["gpuedu"].get("exercise", ""))
            found += Section(section, exercise).slides()
    return found


def _first_slides(lesson: Lesson, text: str) -> Iterator[Slide]:
    told = announcement_in(text)
    aims = "\n".join(f"- {aim}" for aim in told.aims)
    needs = f"**You need** {told.needs}" if told.needs else ""
    minutes = f"About {lesson.minutes} minutes in the notebook"
    yield Slide("title", lesson.question, above=f"{lesson.number:02d} · {lesson.title}")
    texts = tuple(filter(None, (aims, needs)))
    yield Slide("idea", "You will be able to", texts, lesson.title, minutes)
    if told.opening:
        yield Slide("idea", lesson.question, told.opening, lesson.title)


def _sections(cells: Sequence[NotebookNode]) -> Iterator[list[NotebookNode]]:
    """The cells below each heading, with it."""
    section: list[NotebookNode] = []
    for cell in cells:
        if cell.cell_type == "markdown" and heading_of(cell.source):
            if section:
                yield section
            section = [cell]
        elif section:
            section.append(cell)
    if section:
        yield section
