"""Every figure of the lessons on one page to look at, as the solved notebooks draw them.

<folder>/index.html                      wide and narrow, on a light and on a dark page
<folder>/07_tiling/tiled-code.png        one file for each figure, named by its cell
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from importlib import resources
from pathlib import Path

from gpuedu.course.execution import execute, read_notebook
from gpuedu.syllabus import Lesson

_FIGURE = re.compile(r'<img alt="(?P<alt>[^"]*)"[^>]*src="data:image/png;base64,(?P<png>[^"]+)"')


@dataclass(frozen=True)
class Figure:
    """A figure: the cell that drew it, its PNG and its alternative text."""

    cell: str
    png: bytes
    alt: str


def write_gallery(root: Path, folder: Path, lessons: Sequence[Lesson]) -> int:
    """Run solved notebooks and write their figures; the page grows lesson by lesson.

    Args:
        root: the course, with the solutions' notebooks.
        folder: is created if it does not exist; figures in it are replaced.
        lessons: whose figures are wanted.

    Returns:
        How many figures were written.

    Raises:
        GpueduError: a notebook is missing, or one of its cells fails: lesson, cell and message.
    """
    from jinja2 import Environment, StrictUndefined

    template = resources.files("gpuedu.course").joinpath("gallery.html.j2").read_text("utf-8")
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(template)
    shown: list[tuple[Lesson, list[Figure]]] = []
    for lesson in lessons:
        figures = _figures(root, lesson)
        target = folder / lesson.folder
        target.mkdir(parents=True, exist_ok=True)
        for figure in figures:
            (target / f"{figure.cell}.png").write_bytes(figure.png)
        shown.append((lesson, figures))
        (folder / "index.html").write_text(page.render(lessons=shown), "utf-8")
    return sum(len(figures) for _, figures in shown)


def _figures(root: Path, lesson: Lesson) -> list[Figure]:
    """What the lesson's solved notebook draws, top to bottom."""
    notebook = read_notebook(root, "solutions", lesson.folder)
    execute(notebook, lesson.folder)
    return [figure for cell in notebook.cells for figure in figures_of(cell)]


def figures_of(cell: dict) -> Iterator[Figure]:
    """The figures among a cell's outputs; a cell's second one is named `<cell>.2`."""
    pages = (one.get("data", {}).get("text/html", "") for one in cell.get("outputs", ()))
    for number, found in enumerate(_FIGURE.finditer("".join(pages)), 1):
        name = cell["id"] if number == 1 else f"{cell['id']}.{number}"
        yield Figure(name, base64.b64decode(found["png"]), unescape(found["alt"]))
