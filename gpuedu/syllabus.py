"""The lessons and their exercises (``syllabus.toml``), and ways through them (``ways.toml``)."""

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
    ``needs``: slugs of the lessons that its text says you need, each an earlier one.
    ``stretch_minutes``: what the stretch exercises take, which ``minutes`` leaves out.
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
    needs: tuple[str, ...] = ()
    stretch_minutes: int = 0

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
    _require_earlier(found)
    return found


def _require_earlier(found: Iterable[Lesson]) -> None:
    """Raise CatalogError for a lesson that needs one which does not come before it."""
    before: set[str] = set()
    for entry in found:
        for need in entry.needs:
            if need not in before:
                raise CatalogError(
                    f"syllabus.toml: lesson {entry.slug!r} needs {need!r}, which is not before it"
                )
        before.add(entry.slug)


def _with_parts(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each row with the part that it is in, which is named at the part's first lesson."""
    part = ""
    for row in rows:
        part = row.get("part", part)
        yield {**row, "part": part}


def _read(number: int, row: dict[str, Any]) -> Lesson:
    lists = {key: tuple(row[key]) for key in ("core", "stretch")}
    lists["needs"] = tuple(row.get("needs", ()))
    return Lesson(number, **{**row, **lists})


def all_needs(entries: Iterable[Lesson]) -> tuple[Lesson, ...]:
    """What these lessons need, and what that needs in turn, in the order of the course.

    >>> [one.slug for one in all_needs([lesson("memory")])]
    ['why-gpus', 'first-kernels']
    """
    waiting = [need for entry in entries for need in entry.needs]
    found: set[str] = set()
    while waiting:
        slug = waiting.pop()
        if slug not in found:
            found.add(slug)
            waiting += lesson(slug).needs
    return tuple(entry for entry in lessons() if entry.slug in found)


def next_lesson(entry: Lesson) -> Lesson | None:
    """The lesson that follows in the course; None after the last."""
    return next((one for one in ready_lessons() if one.number > entry.number), None)


@dataclass(frozen=True)
class Way:
    """A way through the course: whose it is, and its lessons in order.

    ``sessions`` are its days or weeks, as ``unit`` says; a way without such has one session and no
    unit. ``known``: lessons that it does not have, though its lessons need them.
    ``is_general``: it is for whoever has no goal but the time they have.
    """

    slug: str
    title: str
    who: str
    sessions: tuple[tuple[Lesson, ...], ...]
    known: tuple[Lesson, ...] = ()
    unit: str = ""
    is_general: bool = False

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Its lessons in order."""
        return tuple(entry for session in self.sessions for entry in session)

    @property
    def minutes(self) -> int:
        """What its lessons take, without stretch exercises."""
        return sum(entry.minutes for entry in self.lessons)

    @property
    def memory_mb(self) -> int:
        """What a seat needs for the largest of its lessons."""
        return max(entry.memory_mb for entry in self.lessons)


@cache
def ways() -> tuple[Way, ...]:
    """The ways through the course."""
    return parse_ways(resources.files("gpuedu").joinpath("ways.toml").read_text("utf-8"))


def way(slug: str) -> Way:
    """The way with this slug; UnknownNameError with the nearest."""
    for entry in ways():
        if entry.slug == slug:
            return entry
    raise unknown("way", slug, (entry.slug for entry in ways()))


def parse_ways(text: str) -> tuple[Way, ...]:
    """Read ways from TOML; CatalogError names the way, and the lesson that is wrong there."""
    try:
        found = tuple(_read_way(row) for row in tomllib.loads(text).get("way", []))
    except (tomllib.TOMLDecodeError, TypeError, KeyError, AttributeError) as fault:
        raise CatalogError(f"ways.toml: {fault}") from fault
    taken = {entry.slug for entry in lessons()}
    for one in found:
        if one.slug in taken:
            raise CatalogError(f"ways.toml: {one.slug!r} names another way or lesson, too")
        taken.add(one.slug)
    return found


def _read_way(row: dict[str, Any]) -> Way:
    """A way whose lessons exist, come once, and are not before what they need."""
    row = dict(row)
    slug, most = row["slug"], row.pop("session_minutes", None)
    known = tuple(_lesson_of_way(slug, name) for name in row.pop("known", ()))
    sessions = tuple(
        tuple(_lesson_of_way(slug, name) for name in names) for names in row.pop("sessions")
    )
    found = Way(**row, sessions=sessions, known=known)
    if not all(sessions) or not sessions:
        raise CatalogError(f"ways.toml: way {slug!r} has a session without a lesson")
    _require_closed(found)
    for number, session in enumerate(sessions, 1):
        minutes = sum(entry.minutes for entry in session)
        if most is not None and minutes > most:
            raise CatalogError(
                f"ways.toml: way {slug!r}: session {number}, with {session[-1].slug!r} at its end, "
                f"takes {minutes} minutes; at most {most}"
            )
    return found


def _lesson_of_way(slug: str, name: str) -> Lesson:
    entry = next((one for one in ready_lessons() if one.slug == name), None)
    if entry is None:
        raise CatalogError(f"ways.toml: way {slug!r} names {name!r}, which is no lesson")
    return entry


def _require_closed(found: Way) -> None:
    """What a lesson needs comes before it, or is known, or is needed by what is known."""
    known = {*found.known, *all_needs(found.known)}
    before: set[Lesson] = set()
    for entry in found.lessons:
        where = f"ways.toml: way {found.slug!r}: lesson {entry.slug!r}"
        if entry in before or entry in found.known:
            raise CatalogError(f"{where} is there twice, or said to be known")
        for need in map(lesson, entry.needs):
            if need not in before and need not in known:
                raise CatalogError(f"{where} needs {need.slug!r}, neither before it nor known")
        before.add(entry)


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
