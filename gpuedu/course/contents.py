"""What a lesson contains and how long it takes: read from its source, kept in the syllabus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gpuedu.course.minutes import lesson_minutes
from gpuedu.course.source import LessonSource, read_source
from gpuedu.errors import CatalogError
from gpuedu.syllabus import parse

SYLLABUS = Path("gpuedu", "syllabus.toml")
_READ = re.compile(
    r"^minutes = .*\n(?P<kept>(?:\w+ = .*\n)*?)core = .*\nstretch = .*$", re.MULTILINE
)


def syllabus_text(root: Path) -> str:
    """The syllabus with each lesson's minutes, and its exercises in the order of its source.

    A stretch exercise is one whose line of points says so; a lesson without a source keeps its
    entry.

    Raises:
        LessonSourceError: for a source that cannot be read.
        CatalogError: for a syllabus that cannot be.
    """
    text = (root / SYLLABUS).read_text("utf-8")
    entries = parse(text)
    if len(_READ.findall(text)) != len(entries):
        raise CatalogError(
            "syllabus.toml: each lesson needs `minutes = 0`, and below it, last, `core = []` and "
            "`stretch = []`"
        )
    following = iter(entries)

    def renewed(match: re.Match) -> str:
        lesson = next(following)
        path = root / "solutions" / lesson.folder / f"{lesson.folder}.py"
        if not path.exists():
            return match.group()
        source = read_source(path)
        lists = "\n".join(_lists(source))
        return f"minutes = {lesson_minutes(source)}\n{match['kept']}{lists}"

    return _READ.sub(renewed, text)


def _lists(source: LessonSource) -> Iterator[str]:
    stretch = [name for name in source.exercise_ids() if source.is_stretch(name)]
    core = [name for name in source.exercise_ids() if name not in stretch]
    for kind, names in (("core", core), ("stretch", stretch)):
        quoted = ", ".join(f'"{name}"' for name in names)
        yield f"{kind} = [{quoted}]"
