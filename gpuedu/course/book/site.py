"""Lay the book out for Sphinx, and have it built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpuedu.course.addresses import REPOSITORY, TAB_URL
from gpuedu.course.book.exercise_list import listed
from gpuedu.course.book.glossary import terms
from gpuedu.course.book.page import Links, lesson_page, write_page
from gpuedu.course.book.run import lesson_runs
from gpuedu.course.execution import read_notebook
from gpuedu.course.plan_text import duration
from gpuedu.errors import GpueduError
from gpuedu.syllabus import Lesson, lesson, parts, ready_lessons, ways

if TYPE_CHECKING:
    from nbformat import NotebookNode

KEPT = Path("build", "runs")
"""Where lessons' runs are kept, below the checkout."""
_MARK = ".gpuedu-book"
_GUIDES = {
    "docs/start.md": "start",
    "docs/questions.md": "questions",
    "docs/classroom.md": "classroom",
    "docs/grading.md": "grading",
    "docs/variants.md": "variants",
    "docs/ways.md": "ways",
    "docs/teaching/README.md": "teaching",
    "docs/teaching/setup.md": "teaching_setup",
    "docs/teaching/lesson_plans.md": "teaching_sessions",
    "docs/teaching/platforms.md": "teaching_platforms",
    "docs/teaching/late_and_extra_time.md": "teaching_late_work",
    "docs/teaching/honesty.md": "teaching_honesty",
    "docs/teaching/change_an_exercise.md": "teaching_changes",
    "docs/teaching/strangers.md": "teaching_strangers",
    "docs/tools.md": "tools",
    "docs/ladder.md": "ladder",
    "docs/browser.md": "browser",
    "docs/not_run.md": "not_run",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
}
"""Documents of the repository that are pages of the book, with the names of these pages."""
_SEEN = "What you will see"
"""The README's part that the first page shows, too."""
_LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")
_PUBLIC = ("http://", "https://", "mailto:")


def build_book(
    root: Path,
    out: Path,
    lessons: Sequence[Lesson] | None = None,
    *,
    solutions: bool = True,
    kept: Path | None = None,
) -> Path:
    """Build the book into ``out``, which is replaced; returns its first page.

    Args:
        root: the checkout.
        out: the folder that a browser opens, or a web server serves.
        lessons: whose pages are wanted; all by default.
        solutions: whether right answers are in it, each behind a click.
        kept: where runs of lessons are kept, so that only what has changed is run again.

    Raises:
        GpueduError: a cell of a lesson fails, a package is missing, or Sphinx has something to
            complain of; ``out`` is then as it was.
    """
    if out.exists() and any(out.iterdir()) and not (out / _MARK).is_file():
        raise GpueduError(
            f"{out} holds something that is not a book of ours",
            remedy="name a new folder, or empty it",
        )
    chosen = list(ready_lessons() if lessons is None else lessons)
    with tempfile.TemporaryDirectory(prefix="gpuedu-book-") as made:
        source, site = Path(made) / "source", Path(made) / "site"
        lay_out(root, source, chosen, solutions=solutions, kept=kept or root / KEPT)
        _run_sphinx(source, site)
        (site / _MARK).touch()
        if out.exists():
            shutil.rmtree(out)
        shutil.copytree(site, out)
    return out / "index.html"


def lay_out(
    root: Path, source: Path, lessons: Sequence[Lesson], *, solutions: bool, kept: Path
) -> None:
    """Write all that Sphinx reads into ``source``."""
    _copy_settings(source)
    links, styles = Links(lessons), set()
    texts = []
    for entry, run in lesson_runs(root, lessons, kept, os.cpu_count() or 1):
        handed_out = read_notebook(root, "notebooks", entry.folder)
        texts.append((entry, _text_cells(run)))
        page = lesson_page(entry, run, handed_out, links, solutions=solutions)
        write_page(page, source, entry)
        styles |= page.styles
    (source / "static" / "cards.css").write_text(_plain(styles), "utf-8")
    pages = {"root": root, "lessons": lessons, "parts": _chosen_parts(lessons), "tab": TAB_URL}
    seen = _relinked(root, source, "README.md", _section(root / "README.md", _SEEN))
    _render(source, "index.md", {**pages, "guides": list(_GUIDES.values()), "seen": seen})
    _render(
        source, "exercises.md", {**pages, "listed": {one: listed(root, one) for one in lessons}}
    )
    _render(source, "ways.md", {**ways_values(), "lessons": lessons, "parts": parts()})
    glossary = [(term, links.into(term.sentence)) for term in terms(texts)]
    _render(source, "glossary.md", {"terms": glossary})
    _render(source, "api.md", {})
    for document, name in _GUIDES.items():
        text = (root / document).read_text("utf-8")
        target = source / "guide" / f"{name}.md"
        target.parent.mkdir(exist_ok=True)
        target.write_text(_relinked(root, source, document, text), "utf-8")


def ways_values() -> dict[str, Any]:
    """The ways, and what builds on what."""
    every = ready_lessons()
    needs = {entry: [lesson(need) for need in entry.needs] for entry in every}
    return {
        "ways": ways(),
        "duration": duration,
        "builds_on": needs,
        "leads_to": {one: [entry for entry in every if one in needs[entry]] for one in every},
    }


def _text_cells(run: NotebookNode) -> list[str]:
    return [cell.source for cell in run.cells if cell.cell_type == "markdown"]


def _plain(styles: set[str]) -> str:
    """Styles of cards, reports and the stepper, without their tags."""
    return "\n".join(re.sub(r"</?style>", "", style).strip() for style in sorted(styles))


def _chosen_parts(lessons: Sequence[Lesson]) -> dict[str, list[Lesson]]:
    chosen = {name: [one for one in within if one in lessons] for name, within in parts().items()}
    return {name: within for name, within in chosen.items() if within}


def _copy_settings(source: Path) -> None:
    with resources.as_file(resources.files("gpuedu.course.book").joinpath("sphinx")) as settings:
        shutil.copytree(settings, source, ignore=shutil.ignore_patterns("*.j2", "__pycache__"))
    conf = source / "conf.py"
    conf.write_text(conf.read_text("utf-8").replace("<repository>", REPOSITORY), "utf-8")
    (source / "beside").mkdir()


def _render(source: Path, name: str, values: Mapping[str, Any]) -> None:
    from jinja2 import Environment, StrictUndefined

    template = resources.files("gpuedu.course.book").joinpath("sphinx", f"{name}.j2")
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    text = environment.from_string(template.read_text("utf-8")).render(**values)
    (source / name).write_text(text + "\n", "utf-8")


def _section(document: Path, heading: str) -> str:
    """What stands below a heading, up to the next one."""
    _, _, below = document.read_text("utf-8").partition(f"## {heading}\n")
    return below.partition("\n## ")[0].strip()


def _relinked(root: Path, source: Path, document: str, text: str) -> str:
    """A document whose links lead to pages of the book, or to the file in the repository."""
    here = (root / document).parent

    def moved(match: re.Match) -> str:
        before, to, fragment, after = match.groups()
        if to.startswith(_PUBLIC):
            return match.group()
        path = (here / to).resolve()
        inside = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
        if inside in _GUIDES:
            return f"{before}/guide/{_GUIDES[inside]}.md{fragment or ''}{after}"
        if path.suffix == ".png" and path.is_file():
            copied = source / "guide" / path.name
            copied.parent.mkdir(exist_ok=True)
            shutil.copy(path, copied)
            return f"{before}/guide/{path.name}{after}"
        kind = "tree" if path.is_dir() else "blob"
        return f"{before}{REPOSITORY}/{kind}/main/{inside}{fragment or ''}{after}"

    return _LINK.sub(moved, text)


def _run_sphinx(source: Path, site: Path) -> None:
    """Build the pages; whatever Sphinx complains of is a fault."""
    jobs = str(os.cpu_count() or 1)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", jobs]
    done = subprocess.run(
        [*command, str(source), str(site)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        told = "\n".join(done.stderr.strip().splitlines()[-20:])
        raise GpueduError(f"Sphinx could not build the book:\n{told}")
