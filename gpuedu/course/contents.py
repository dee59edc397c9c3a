"""What a lesson contains and needs, and its minutes: read from its source, kept in the syllabus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from gpuedu.course.minutes import lesson_minutes, stated_minutes
from gpuedu.course.source import LessonSource, read_source
from gpuedu.errors import CatalogError
from gpuedu.syllabus import Lesson, parse

SYLLABUS = Path("gpuedu", "syllabus.toml")
_NEEDS = re.compile(r"^\*\*You need\*\*(.*?)(?=\*\*Time\*\*|^\s*$|\Z)", re.MULTILINE | re.DOTALL)
_EMPHASIS = re.compile(r"(?<![*\w])\*([^*]+)\*(?![*\w])")
_READ = re.compile(
    r"^minutes = .*\n(?P<kept>(?:\w+ = .*\n)*?)core = .*\nstretch = .*"
    r"(?:\nstretch_minutes = .*)?(?:\nneeds = .*)?$",
    re.MULTILINE,
)


def syllabus_text(root: Path) -> str:
    """The syllabus with each lesson's minutes, its exercises, and the lessons that it needs.

    A stretch exercise is one whose line of points says so; a lesson without a source keeps its
    entry.

    Raises:
        LessonSourceError: for a source that cannot be read, or that needs what is no lesson.
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
    titles = {entry.title: entry for entry in entries}

    def renewed(match: re.Match) -> str:
        lesson = next(following)
        path = root / "solutions" / lesson.folder / f"{lesson.folder}.py"
        if not path.exists():
            return match.group()
        source = read_source(path)
        lines = "\n".join(_lines(source, needs_of(source, titles)))
        return f"minutes = {lesson_minutes(source)}\n{match['kept']}{lines}"

    written = _READ.sub(renewed, text)
    parse(written)  # raises for a lesson that needs a later one
    return written


def needs_of(source: LessonSource, titles: Mapping[str, Lesson]) -> list[Lesson]:
    """The lessons that the paragraph "You need" names in emphasis, in the order of the course.

    Raises:
        LessonSourceError: for a name that is no lesson's title.
    """
    said = _NEEDS.search(source.cells[0].text)
    named = {" ".join(name.split()) for name in _EMPHASIS.findall(said[1])} if said else set()
    for name in sorted(named - set(titles)):
        raise source.fault(
            f"'You need' names *{name}*, which is no lesson",
            source.cells[0],
            "a lesson's title as in syllabus.toml; without emphasis for anything else",
        )
    return sorted((titles[name] for name in named), key=lambda entry: entry.number)


def _lines(source: LessonSource, needs: list[Lesson]) -> Iterator[str]:
    stretch = [name for name in source.exercise_ids() if source.is_stretch(name)]
    core = [name for name in source.exercise_ids() if name not in stretch]
    yield f"core = {_list(core)}"
    yield f"stretch = {_list(stretch)}"
    yield f"stretch_minutes = {sum(stated_minutes(source, name) for name in stretch)}"
    yield f"needs = {_list(entry.slug for entry in needs)}"


def _list(names: Iterable[str]) -> str:
    """A list of texts as TOML has it.

    >>> _list(["a", "b"])
    '["a", "b"]'
    """
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"[{quoted}]"
