"""A lesson's page: what its learner is given, with what comes out, in Sphinx's Markdown.

An answer cell is shown as it is handed out. Below its check, each closed until somebody opens it,
are a wrong answer with its card, and a right one with its own.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from gpuedu.course.addresses import ways_in
from gpuedu.course.signposts import without_ways_in
from gpuedu.syllabus import Lesson

if TYPE_CHECKING:
    from nbformat import NotebookNode

FIGURES = "figures"
"""The folder of the figures, beside that of the lessons."""

_WIDGET = "application/vnd.jupyter.widget-view+json"
_SCROLLS = '<div class="output" tabindex="0">{}</div>'
"""A table or a stepper may be wider than a phone: who has no mouse scrolls it by its keys."""
_POINTS = 'class="gpuedu-points"'
_COMMENT = re.compile(r"<!-- .*? -->\n")
_PNG = re.compile(r'src="data:image/png;base64,([^"]+)"')
_STYLE = re.compile(r"<style>.*?</style>\s*", re.DOTALL)
_SAID = re.compile(r"You said .*?; (?:it is|the answer is) ", re.DOTALL)
_PARAGRAPH = re.compile(r"<div>(.*?)</div>", re.DOTALL)
_EMPHASIS = re.compile(r"(?<![*\w])\*([^*\n]+(?:\n[^*\n]+)?)\*(?![*\w])")
_CODE = re.compile(r"(?<!`)`([a-z0-9-]+)`(?!`)")
_HEADING = re.compile(r"^## ", re.MULTILINE)
_TICKS = re.compile("`{3,}")


@dataclass
class Page:
    """A page and what it needs beside it: figures by file name, styles of what it shows."""

    text: str = ""
    figures: dict[str, bytes] = field(default_factory=dict)
    styles: set[str] = field(default_factory=set)


def lesson_page(
    lesson: Lesson,
    run: NotebookNode,
    handed_out: NotebookNode,
    links: Links,
    *,
    solutions: bool = True,
) -> Page:
    """The page of one lesson.

    Args:
        lesson: which one.
        run: its run, as ``gpuedu.course.book.run`` gives it.
        handed_out: the learner's notebook.
        links: where names in its texts lead.
        solutions: whether right answers are on the page, each behind a click.
    """
    page = Page()
    given = {cell.id: cell.source for cell in handed_out.cells}
    for cell in run.cells:
        if cell.cell_type == "markdown":
            cell.source = links.into(_COMMENT.sub("", cell.source), lesson)
    blocks = [_block(page, lesson, cell, given, run, solutions) for cell in run.cells]
    page.text = "\n\n".join(block for block in blocks if block) + "\n"
    return page


def _block(
    page: Page,
    lesson: Lesson,
    cell: NotebookNode,
    given: Mapping[str, str],
    run: NotebookNode,
    solutions: bool,
) -> str:
    """One cell as it is on the page; nothing for what only had to run."""
    about = cell.metadata["gpuedu"]
    if cell.metadata.get("book"):
        return ""
    if cell.cell_type == "markdown":
        return _text(lesson, cell.source, about.get("exercise", ""), cell is run.cells[0])
    if about["role"] in ("predict", "answer"):
        return fenced(given[cell.id], "python")
    if about["role"] == "check":
        return "\n\n".join(_check(page, lesson, cell, run, solutions))
    is_summary = cell.source.strip() == "progress()"
    shown = [] if is_summary else list(_outputs(page, lesson, cell))
    return "\n\n".join([fenced(cell.source, "python"), *shown])


def _text(lesson: Lesson, source: str, exercise: str, is_first: bool) -> str:
    text = source
    if exercise and _HEADING.search(text):
        text = _HEADING.sub(f"({exercise})=\n## ", text, count=1)
    if is_first:
        title, _, rest = without_ways_in(text).partition("\n")
        number = f"{lesson.number:02d} · {lesson.title}"
        text = f"{title}\n\n{_raw(_ways(lesson, number))}\n{rest}"
    return text


def _ways(lesson: Lesson, name: str) -> str:
    links = (f'<a href="{escape(to)}">{escape(label)}</a>' for label, to in ways_in(lesson))
    return f'<p class="ways"><span>{escape(name)}</span> {" ".join(links)}</p>'


class Links:
    """Where names of lessons and of their exercises lead, in a book that has these lessons."""

    def __init__(self, lessons: Iterable[Lesson]) -> None:
        chosen = list(lessons)
        self._by_title = {one.title: one for one in chosen}
        self._by_exercise = {name: one for one in chosen for name in one.exercises}

    def into(self, text: str, lesson: Lesson | None = None) -> str:
        """A text of a lesson in which the names of other ones, and of their exercises, are links.

        >>> from gpuedu.syllabus import lesson
        >>> Links([lesson("memory")]).into("From *Memory*: `transpose`")
        'From [*Memory*](/lessons/04_memory.md): [`transpose`](#transpose)'
        """

        def to_lesson(match: re.Match) -> str:
            entry = self._by_title.get(" ".join(match[1].split()))
            is_other = entry is not None and entry != lesson
            return f"[{match.group()}](/lessons/{entry.folder}.md)" if is_other else match.group()

        def to_exercise(match: re.Match) -> str:
            entry = self._by_exercise.get(match[1])
            is_other = entry is not None and entry != lesson
            return f"[`{match[1]}`](#{match[1]})" if is_other else match.group()

        return _CODE.sub(to_exercise, _EMPHASIS.sub(to_lesson, text))


def _check(
    page: Page, lesson: Lesson, cell: NotebookNode, run: NotebookNode, solutions: bool
) -> Iterator[str]:
    """The call, a wrong answer and its card, the solution and its card."""
    exercise = cell.metadata["gpuedu"]["exercise"]
    yield fenced(cell.source, "python")
    of_it = [one for one in run.cells if one.metadata["gpuedu"].get("exercise") == exercise]
    by_kind = {one.metadata["book"]: one for one in of_it if one.metadata.get("book")}
    card = _outputs(page, lesson, by_kind["wrong-check"])
    wrong = [fenced(by_kind["wrong"].source, "python"), *card]
    yield _closed("A wrong answer, and what its card says", wrong)
    if solutions:
        answers = [
            one
            for one in of_it
            if one.metadata["gpuedu"]["role"] == "answer" and not one.metadata.get("book")
        ]
        right = [fenced(one.source, "python") for one in answers]
        yield _closed("A solution, and its card", [*right, *_outputs(page, lesson, cell)])


def _outputs(page: Page, lesson: Lesson, cell: NotebookNode) -> Iterator[str]:
    """What a cell gave, but for numbers that a card has said and widgets that need a kernel."""
    number = 0
    for output in cell.outputs:
        data = output.get("data", {})
        html = data.get("text/html", "")
        if _POINTS in html or _WIDGET in data:
            continue
        if output.output_type == "stream":
            yield fenced(output.text.rstrip(), "text")
        elif "You said" in html:
            yield _raw(_revealed(_collected(page, html)))
        elif html:
            number += 1
            suffix = f"-{number}" if number > 1 else ""
            shown = _with_files(page, lesson, f"{cell.id}{suffix}", _collected(page, html))
            yield _raw(_SCROLLS.format(shown))
        elif data.get("text/plain"):
            yield fenced(data["text/plain"], "text")


def _collected(page: Page, html: str) -> str:
    """The HTML without its styles, which the page keeps once."""
    page.styles.update(_STYLE.findall(html))
    return _STYLE.sub("", html)


def _revealed(html: str) -> str:
    """The truth of a prediction, closed until somebody has made their own."""
    told = (_capital(_SAID.sub("", text)) for text in _PARAGRAPH.findall(html))
    paragraphs = "".join(f"<p>{text}</p>" for text in told)
    return f'<details class="revealed"><summary>What it is</summary>{paragraphs}</details>'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _with_files(page: Page, lesson: Lesson, name: str, html: str) -> str:
    """The HTML with figures as files, which come when they are scrolled to."""

    def kept(match: re.Match) -> str:
        file = f"{lesson.folder}/{name}-{len(page.figures)}.png"
        page.figures[file] = base64.b64decode(match[1])
        return f'loading="lazy" src="../{FIGURES}/{file}"'

    return _PNG.sub(kept, html)


def fenced(text: str, language: str) -> str:
    """A block of code, whatever backticks are in it."""
    ticks = _ticks(text)
    return f"{ticks}{language}\n{text}\n{ticks}"


def _raw(html: str) -> str:
    ticks = _ticks(html)
    return f"{ticks}{{raw}} html\n{html}\n{ticks}"


def _ticks(text: str) -> str:
    return "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(text)), 3)


def _closed(title: str, blocks: Iterable[str]) -> str:
    """Blocks that a click opens."""
    return "\n".join([f":::{{dropdown}} {title}", *(f"\n{block}" for block in blocks), ":::"])


def write_page(page: Page, folder: Path, lesson: Lesson) -> None:
    """Write the page into ``lessons/``, and its figures to where Sphinx copies them from."""
    target = folder / "lessons" / f"{lesson.folder}.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page.text, "utf-8")
    for name, png in page.figures.items():
        path = folder / "beside" / FIGURES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png)
