"""Lines that the build adds to a lesson's notebooks: where else it opens, and what comes next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpuedu.course.addresses import ways_in
from gpuedu.syllabus import Lesson, next_lesson

if TYPE_CHECKING:
    from nbformat import NotebookNode

LAST = "This is the last lesson of the course."
_WAYS_IN = re.compile(
    r"^\[(?:Run in this tab|Open in Colab|Open in Binder)\]\([^\n]*\)$\n*", re.MULTILINE
)


def ways_in_line(lesson: Lesson) -> str:
    """Links to where the lesson opens with one click."""
    return " · ".join(f"[{label}]({address})" for label, address in ways_in(lesson))


def next_line(lesson: Lesson) -> str:
    """The lesson that follows, and its question.

    >>> from gpuedu.syllabus import lesson
    >>> next_line(lesson("welcome"))
    'Next: *Why GPUs* (What is a GPU good at, and what is it bad at?)'
    """
    following = next_lesson(lesson)
    return LAST if following is None else f"Next: *{following.title}* ({following.question})"


def add_signposts(notebook: NotebookNode, lesson: Lesson) -> None:
    """Put the links below the title of the first text, and what is next at the end of the last."""
    texts = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    title, _, rest = texts[0].source.partition("\n")
    texts[0].source = f"{title}\n\n{ways_in_line(lesson)}\n{rest}"
    texts[-1].source = f"{texts[-1].source}\n\n{next_line(lesson)}"


def without_ways_in(text: str) -> str:
    r"""A text without the line of links, for where they make no sense or are shown otherwise.

    >>> without_ways_in("# What?\n\n[Open in Colab](https://a) · [b](https://b)\n\nText.")
    '# What?\n\nText.'
    """
    return _WAYS_IN.sub("", text)


def drop_ways_in(notebook: NotebookNode) -> None:
    """Take the links out of a notebook: whoever has it open is there already."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = without_ways_in(cell.source)
