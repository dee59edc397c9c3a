"""The lessons and their exercises, read from ``syllabus.toml``."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.errors import CatalogError, UnknownNameError

GAINS = ("nothing", "own times", "needed for scale")


@dataclass(frozen=True)
class Lesson:
    """One lesson. ``minutes`` a learner needs; ``memory_mb`` for one seat; ``gains`` from a GPU.

    ``tab``: it runs in a browser tab, too, where each cell that cannot says so. ``topic`` names the
    package of its exercises where that is not the slug: lessons on one topic share their pictures
    and whatever else their exercises have in common. ``part``: the part of the course it is in.
    """

    number: int
    slug: str
    title: str
    question: str
    minutes: int
    memory_mb: int
    gains: str
    ready: bool
    core: tuple[str, ...]
    stretch: tuple[str, ...]
    tab: bool = False
    topic: str = ""
    part: str = ""

    @property
    def folder(self) -> str:
        """Name of the lesson's folder and of its files.

        >>> lesson("why-gpus").folder
        '01_why_gpus'
        """
        return f"{self.number:02d}_{self.slug.replace('-', '_')}"

    @property
    def module(self) -> str:
        """Name of the package below ``gpuedu.exercises`` that has the lesson's exercises."""
        return (self.topic or self.slug).replace("-", "_")

    @property
    def exercises(self) -> tuple[str, ...]:
        """Ids of the core exercises, then of the stretch ones."""
        return self.core + self.stretch


@cache
def lessons() -> tuple[Lesson, ...]:
    """All lessons in order, the planned ones too."""
    text = resources.files("gpuedu").joinpath("syllabus.toml").read_text("utf-8")
    return parse(text)


def parse(text: str) -> tuple[Lesson, ...]:
    """Read lessons from TOML; raises CatalogError that names the lesson and what it lacks."""
    try:
        rows = tomllib.loads(text).get("lesson", [])
        found = tuple(_read(number, row) for number, row in enumerate(_with_parts(rows)))
    except (tomllib.TOMLDecodeError, TypeError, KeyError) as fault:
        raise CatalogError(f"syllabus.toml: {fault}") from fault
    for entry in found:
        if entry.gains not in GAINS:
            raise CatalogError(f"syllabus.toml: lesson {entry.slug!r} has gains not in {GAINS}")
    ids = [name for entry in found for name in entry.exercises]
    twice = sorted({name for name in ids if ids.count(name) > 1})
    if twice:
        raise CatalogError(f"syllabus.toml: exercises listed twice: {', '.join(twice)}")
    return found


def _with_parts(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each row with the part that it is in, which is named at the part's first lesson."""
    part = ""
    for row in rows:
        part = row.get("part", part)
        yield {**row, "part": part}


def _read(number: int, row: dict[str, Any]) -> Lesson:
    return Lesson(number, **{**row, "core": tuple(row["core"]), "stretch": tuple(row["stretch"])})


def parts() -> dict[str, tuple[Lesson, ...]]:
    """The lessons that exist, by the part of the course that they are in."""
    found: dict[str, tuple[Lesson, ...]] = {}
    for entry in ready_lessons():
        found[entry.part] = (*found.get(entry.part, ()), entry)
    return found


def ready_lessons() -> tuple[Lesson, ...]:
    """The lessons that exist."""
    return tuple(entry for entry in lessons() if entry.ready)


def lesson(slug: str) -> Lesson:
    """The lesson with this slug, number or folder name; UnknownNameError with the nearest slugs."""
    for entry in lessons():
        if slug in (entry.slug, entry.folder, str(entry.number), f"{entry.number:02d}"):
            return entry
    raise unknown("lesson", slug, (entry.slug for entry in lessons()))


def lesson_in(folder: str) -> Lesson:
    """The lesson whose folder has this name; UnknownNameError with the existing ones."""
    for entry in ready_lessons():
        if entry.folder == folder:
            return entry
    raise unknown("lesson", folder, (entry.folder for entry in ready_lessons()))


def lesson_of(exercise: str) -> Lesson:
    """The lesson that has this exercise; UnknownNameError with the nearest ids."""
    for entry in ready_lessons():
        if exercise in entry.exercises:
            return entry
    raise unknown("exercise", exercise, exercise_ids())


def topic_exercises(topic: str) -> tuple[str, ...]:
    """Ids of the exercises of all lessons on a topic; UnknownNameError with the nearest topics."""
    entries = [entry for entry in ready_lessons() if topic == (entry.topic or entry.slug)]
    if not entries:
        raise unknown("topic", topic, (entry.topic or entry.slug for entry in ready_lessons()))
    return tuple(name for entry in entries for name in entry.exercises)


def exercise_ids() -> tuple[str, ...]:
    """Ids of all exercises that exist, in the order of the course."""
    return tuple(name for entry in ready_lessons() for name in entry.exercises)


def unknown(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """The error for an unknown name, with the nearest known names as its remedy.

    >>> str(unknown("exercise", "amdal", ["amdahl", "bandwidth"]))
    "no exercise is called 'amdal'. Try: amdahl"
    """
    known = list(known)
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.5) or known
    shown = ", ".join(near[:20])
    return UnknownNameError(f"no {kind} is called {str(name)[:60]!r}", remedy=shown)
