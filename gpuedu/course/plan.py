"""Which lessons to take, for a goal and the hours that there are (pure).

The rule: kept are the goal's lessons and what they need, earliest first, until the hours are used.
A lesson counts by its core exercises and its text, and is kept only with all that it needs. Where
time is left then, stretch exercises are added, earliest first again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpuedu.errors import UnknownNameError
from gpuedu.syllabus import Lesson, Way, all_needs, lesson, ready_lessons, unknown, ways

MINUTES_PER_HOUR = 60


@dataclass(frozen=True)
class Part:
    """A lesson of a plan; ``session`` counts from 1, and is 0 where there is one only."""

    lesson: Lesson
    session: int = 0
    with_stretch: bool = False

    @property
    def minutes(self) -> int:
        """What it takes, with its stretch exercises only if they are in the plan."""
        return self.lesson.minutes + self.with_stretch * self.lesson.stretch_minutes


@dataclass(frozen=True)
class Plan:
    """Lessons in order. ``left_out``: what the goal needs, too, and does not fit into ``hours``."""

    goal: str
    title: str
    who: str
    unit: str
    parts: tuple[Part, ...]
    left_out: tuple[Part, ...]
    known: tuple[Lesson, ...]
    hours: float | None = None

    @property
    def minutes(self) -> int:
        """What all of it takes."""
        return sum(part.minutes for part in self.parts)

    @property
    def memory_mb(self) -> int:
        """What a seat needs for the largest lesson."""
        return max((part.lesson.memory_mb for part in self.parts), default=0)

    @property
    def stretch_minutes(self) -> int:
        """What the stretch exercises that are not in it would add."""
        return sum(one.lesson.stretch_minutes for one in self.parts if not one.with_stretch)

    def sums(self) -> list[int]:
        """Minutes from the beginning to the end of each lesson."""
        return [
            sum(part.minutes for part in self.parts[: end + 1]) for end in range(len(self.parts))
        ]

    def as_dict(self) -> dict[str, Any]:
        """Plain values only, ready for JSON."""
        return {
            "goal": self.goal,
            "title": self.title,
            "hours": self.hours,
            "minutes": self.minutes,
            "memory_mb": self.memory_mb,
            "known": [one.slug for one in self.known],
            "lessons": [
                {**_as_dict(part), "sum_minutes": total}
                for part, total in zip(self.parts, self.sums(), strict=True)
            ],
            "left_out": [_as_dict(part) for part in self.left_out],
        }


def _as_dict(part: Part) -> dict[str, Any]:
    entry = part.lesson
    return {
        "slug": entry.slug,
        "title": entry.title,
        "question": entry.question,
        "session": part.session or None,
        "minutes": part.minutes,
        "needs": list(entry.needs),
        "exercises": list(entry.exercises if part.with_stretch else entry.core),
    }


def make_plan(
    goal: str | None = None, hours: float | None = None, know: Iterable[str] = ()
) -> Plan:
    """The lessons for a goal.

    Args:
        goal: the slug of a way, or of a lesson; without one the longest general way that fits into
            the hours, or the shortest where none does.
        hours: how much time there is; None for as much as it takes.
        know: lessons that are known, and all that they need with them.

    Raises:
        UnknownNameError: there is no such way or lesson.
    """
    known = [lesson(name) for name in know]
    chosen = _general_way(hours) if goal is None else _find(goal)
    if isinstance(chosen, Way):
        wanted = _parts_of(chosen, known)
        plan = Plan(chosen.slug, chosen.title, chosen.who, chosen.unit, wanted, (), chosen.known)
    else:
        gone = {*known, *all_needs(known)}
        entries = [one for one in (*all_needs([chosen]), chosen) if one not in gone]
        wanted = tuple(Part(one) for one in entries)
        plan = Plan(chosen.slug, chosen.title, chosen.question, "", wanted, (), ())
    plan = replace(plan, known=tuple(dict.fromkeys((*plan.known, *known))), hours=hours)
    return plan if hours is None else _fitted(plan, hours * MINUTES_PER_HOUR)


def _parts_of(way: Way, known: Sequence[Lesson]) -> tuple[Part, ...]:
    """The way's lessons without those that are known; its own ``known`` are none of its lessons."""
    gone = {*known, *all_needs(known)}
    numbered = enumerate(way.sessions, 1)
    has_many = len(way.sessions) > 1
    return tuple(
        Part(entry, number if has_many else 0)
        for number, session in numbered
        for entry in session
        if entry not in gone
    )


def _find(goal: str) -> Way | Lesson:
    for one in ways():
        if one.slug == goal:
            return one
    try:
        return lesson(goal)
    except UnknownNameError:
        names = [one.slug for one in (*ways(), *ready_lessons())]
        raise unknown("way or lesson", goal, names) from None


def _general_way(hours: float | None) -> Way:
    general = sorted((one for one in ways() if one.is_general), key=lambda one: one.minutes)
    fitting = [one for one in general if hours is None or one.minutes <= hours * MINUTES_PER_HOUR]
    return fitting[-1] if fitting else general[0]


def _fitted(plan: Plan, minutes: float) -> Plan:
    """As much of a plan as fits, by the rule of this module."""
    wanted = {part.lesson.slug for part in plan.parts}
    kept: list[Part] = []
    left_out: list[Part] = []
    for part in plan.parts:
        have = {one.lesson.slug for one in kept}
        is_ready = all(need in have or need not in wanted for need in part.lesson.needs)
        if is_ready and sum(one.minutes for one in kept) + part.minutes <= minutes:
            kept.append(part)
        else:
            left_out.append(part)
    for place, part in enumerate(kept):
        whole = replace(part, with_stretch=bool(part.lesson.stretch))
        added = whole.minutes - part.minutes
        if sum(one.minutes for one in kept) + added <= minutes:
            kept[place] = whole
    return replace(plan, parts=tuple(kept), left_out=tuple(left_out))
