"""Build both trees of notebooks from the lessons' sources; compare them with the committed ones."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from gpuedu import syllabus
from gpuedu.course.contents import SYLLABUS, syllabus_text
from gpuedu.course.notebook_texts import notebook_texts
from gpuedu.course.readme import readme_text
from gpuedu.errors import LessonSourceError
from gpuedu.syllabus import Lesson, ready_lessons

TREES = ("solutions", "notebooks")


@dataclass(frozen=True)
class Difference:
    """A committed notebook that does not match its source: missing, stale or extra."""

    path: str
    state: str


def build(
    root: Path, out: Path | None = None, lessons: tuple[Lesson, ...] | None = None
) -> list[Path]:
    """Write the teacher's and the learner's notebook of each lesson.

    Args:
        root: the course, with ``solutions/NN_slug/NN_slug.py``.
        out: where ``solutions/`` and ``notebooks/`` are written; the course itself by default.
        lessons: which ones; all that are ready by default.

    Returns:
        The notebooks written, teacher's and learner's in turn.

    Raises:
        LessonSourceError: for the first lesson that is not sound; its notebooks stay as they were.
    """
    out = root if out is None else out
    written = []
    for lesson in ready_lessons() if lessons is None else lessons:
        texts = notebook_texts(root, lesson)
        for tree, text in zip(TREES, texts, strict=True):
            path = out / tree / lesson.folder / f"{lesson.folder}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_if_new(path, text)
            written.append(path)
    return written


def build_syllabus(root: Path) -> None:
    """Write the lists of exercises into the syllabus, and read it again."""
    _write_if_new(root / SYLLABUS, syllabus_text(root))
    syllabus.lessons.cache_clear()
    syllabus.ways.cache_clear()


def build_readme(root: Path) -> None:
    """Write the README's table of lessons."""
    _write_if_new(root / "README.md", readme_text(root))


def _write_if_new(path: Path, text: str) -> None:
    """Leave a file that is as it should be alone, so that its time does not change."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def compare(root: Path) -> list[Difference]:
    """Build into an empty folder and list every committed notebook that differs.

    Raises:
        LessonSourceError: if a lesson is not sound, or if there is nothing to compare.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        built = {path.relative_to(out): path.read_bytes() for path in build(root, out)}
    if not built:
        raise LessonSourceError(
            "there is no lesson to build",
            path=str(root / "solutions"),
            remedy="check syllabus.toml",
        )
    differences = _text_differences(root)
    for relative, content in sorted(built.items()):
        committed = root / relative
        if not committed.exists():
            differences.append(Difference(str(relative), "missing"))
        elif committed.read_bytes() != content:
            differences.append(Difference(str(relative), "stale"))
    for tree in TREES:
        for path in sorted((root / tree).rglob("*")):
            relative = path.relative_to(root)
            is_source = tree == "solutions" and path.suffix == ".py"
            if path.is_file() and not is_source and relative not in built and not _ignored(path):
                differences.append(Difference(str(relative), "extra"))
    return differences


def _text_differences(root: Path) -> list[Difference]:
    """What ``build`` would write into the texts that are only partly its own."""
    wanted = {"README.md": readme_text(root), str(SYLLABUS): syllabus_text(root)}
    return [
        Difference(path, "stale")
        for path, text in wanted.items()
        if (root / path).read_text("utf-8") != text
    ]


def _ignored(path: Path) -> bool:
    return ".ipynb_checkpoints" in path.parts or "__pycache__" in path.parts
