"""Run a lesson as a learner does: each check first on a wrong answer, then on a right one.

A run takes seconds to a minute, all of them ten minutes of two cores. So it is kept in a file whose
name says what it was made of: the solved notebook, its exercises, and all of the package that
lessons use.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from gpuedu.course.execution import execute, read_notebook
from gpuedu.course.proof import Bench
from gpuedu.course.stored import without_marks
from gpuedu.syllabus import Lesson, ready_lessons

if TYPE_CHECKING:
    from nbformat import NotebookNode

_UNUSED_BY_LESSONS = (
    *("course", "grading", "exercises", "cli.py", "ways.toml"),
    *("mutants.json", "__pycache__"),
)
_TOPIC = re.compile(rb"gpuedu\.exercises\.(\w+)")
_NO_TEXTS = (".pyc", ".so")
_ENDLESS = "ends"
"""The property that an answer loses whose check lasts until its time is up."""


def lesson_runs(
    root: Path, lessons: Sequence[Lesson], kept: Path, workers: int
) -> Iterator[tuple[Lesson, NotebookNode]]:
    """Each lesson with its run, in order; what is not kept in a folder is run, and then kept.

    Raises:
        GpueduError: a cell of a lesson fails.
    """
    import nbformat

    kept.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(workers) as pool:
        waiting = [(one, pool.submit(_keep_run, root, one, kept)) for one in lessons]
        for lesson, path in waiting:
            yield lesson, nbformat.read(path.result(), as_version=4)


def kept_name(root: Path, lesson: Lesson) -> str:
    """The name of the file that keeps a lesson's run, with a digest of what it was made of."""
    digest = hashlib.sha256(_shared_digest(root).encode())
    digest.update(Path(__file__).read_bytes())
    folder = lesson.folder
    digest.update((root / "solutions" / folder / f"{folder}.ipynb").read_bytes())
    for topic in sorted(_topics_behind(root, lesson.module)):
        _digest_tree(digest, root / "gpuedu" / "exercises" / topic)
    return f"{folder}-{digest.hexdigest()[:16]}.ipynb"


@cache
def _topics_behind(root: Path, module: str) -> frozenset[str]:
    """A topic's package, and those of other topics that it names, as an import does."""
    found, wanted = set(), [module]
    while wanted:
        topic = wanted.pop()
        found.add(topic)
        for path in (root / "gpuedu" / "exercises" / topic).rglob("*.py"):
            named = {name.decode() for name in _TOPIC.findall(path.read_bytes())}
            wanted += sorted((named & _topics()) - found - set(wanted))
    return frozenset(found)


def _topics() -> set[str]:
    return {lesson.module for lesson in ready_lessons()}


def _keep_run(root: Path, lesson: Lesson, kept: Path) -> Path:
    import nbformat

    path = kept / kept_name(root, lesson)
    if not path.exists():
        notebook = run(root, lesson)
        for outdated in kept.glob(f"{lesson.folder}-*.ipynb"):
            outdated.unlink()
        unfinished = path.with_suffix(".part")
        unfinished.write_text(nbformat.writes(notebook), "utf-8")
        unfinished.rename(path)
    return path


def run(root: Path, lesson: Lesson) -> NotebookNode:
    """Run a lesson; ``metadata.book`` of a cell says what it is beside the notebook's own.

    ``wrong`` has a wrong answer's text, ``wrong-check`` its card; ``again`` is the right one once
    more, so that what follows finds it.
    """
    notebook = read_notebook(root, "solutions", lesson.folder)
    notebook.cells = list(_with_wrong_answers(root, notebook.cells))
    execute(notebook, lesson.folder)
    return notebook


def _with_wrong_answers(root: Path, cells: Sequence[NotebookNode]) -> Iterator[NotebookNode]:
    for cell in cells:
        cell.source = without_marks(cell.source)
    for cell in cells:
        about = cell.metadata["gpuedu"]
        if about["role"] == "check":
            exercise = about["exercise"]
            yield _added(cell, "wrong", wrong_answer(root, exercise))
            yield _added(cell, "wrong-check", cell.source)
            for earlier in cells:
                of_it = earlier.metadata["gpuedu"].get("exercise") == exercise
                if of_it and earlier.metadata["gpuedu"]["role"] in ("given", "answer"):
                    yield _added(earlier, "again", earlier.source)
        yield cell


def _added(beside: NotebookNode, kind: str, source: str) -> NotebookNode:
    import nbformat

    metadata = {"gpuedu": dict(beside.metadata["gpuedu"]), "book": kind}
    return nbformat.v4.new_code_cell(source, id=f"{beside.id}-{kind}"[-64:], metadata=metadata)


def wrong_answer(root: Path, exercise: str) -> str:
    """The stored wrong answer to be shown: the first that is asked a question of its own."""
    bench = Bench(root, exercise)
    stored = bench.stored_wrong()
    named = sorted(stored, key=lambda name: (stored[name].loses == _ENDLESS, not stored[name].asks))
    return stored[named[0]].text(bench.solution_cells()).strip()


@cache
def _shared_digest(root: Path) -> str:
    """Of all of the package that every lesson may use."""
    digest = hashlib.sha256()
    for path in sorted((root / "gpuedu").iterdir()):
        if path.name not in _UNUSED_BY_LESSONS:
            _digest_tree(digest, path)
    for path in sorted((root / "gpuedu" / "exercises").iterdir()):
        if path.name not in {*_UNUSED_BY_LESSONS, *_topics()}:
            _digest_tree(digest, path)
    return digest.hexdigest()


def _digest_tree(digest: hashlib._Hash, top: Path) -> None:
    """Add a file, or all files below a folder, by name and content."""
    for path in [top] if top.is_file() else sorted(top.rglob("*")):
        if path.is_file() and path.suffix not in _NO_TEXTS:
            digest.update(path.relative_to(top.parent).as_posix().encode())
            digest.update(path.read_bytes())
