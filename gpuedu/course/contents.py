"""Which exercises a lesson has: read from the lessons' sources, kept in the syllabus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpuedu.course.source import read_source
from gpuedu.errors import CatalogueError
from gpuedu.syllabus import parse

SYLLABUS = Path("gpuedu", "syllabus.toml")
_LISTS = re.compile(r"^core = .*\nstretch = .*$", re.MULTILINE)


def syllabus_text(root: Path) -> str:
    """The syllabus with each lesson's exercises as its source has them, in its order.

    A stretch exercise is one whose line of points says so; a lesson without a source keeps its
    lists.

    Raises:
        LessonSourceError: for a source that cannot be read.
        CatalogueError: for a syllabus that cannot be.
    """
    text = (root / SYLLABUS).read_text("utf-8")
    entries = parse(text)
    if len(_LISTS.findall(text)) != len(entries):
        raise CatalogueError(
            "syllabus.toml: each lesson needs a line `core = []`, then `stretch = []`"
        )
    following = iter(entries)

    def listed(match: re.Match) -> str:
        lesson = next(following)
        path = root / "solutions" / lesson.folder / f"{lesson.folder}.py"
        return "\n".join(_lists(path)) if path.exists() else match.group()

    return _LISTS.sub(listed, text)


def _lists(path: Path) -> Iterator[str]:
    source = read_source(path)
    stretch = [name for name in source.exercise_ids() if source.is_stretch(name)]
    core = [name for name in source.exercise_ids() if name not in stretch]
    for kind, names in (("core", core), ("stretch", stretch)):
        quoted = ", ".join(f'"{name}"' for name in names)
        yield f"{kind} = [{quoted}]"
