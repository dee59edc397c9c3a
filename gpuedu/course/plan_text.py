"""A plan, and the list of ways, as text for a terminal (pure)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from gpuedu.course.plan import MINUTES_PER_HOUR, Plan
from gpuedu.syllabus import Lesson, Way, lesson

WIDTH = 92
SEE_ONE = "`gpuedu plan --goal training` lists the lessons of one. A lesson can be a goal, too."
RULE = (
    "Kept are the goal's lessons and what they need, earliest first, until the hours are used; "
    "stretch exercises are added where time is left."
)


def duration(minutes: float) -> str:
    """Minutes for a person.

    >>> duration(55), duration(420), duration(865)
    ('55 min', '7 h', '14 h 25 min')
    """
    hours, rest = divmod(round(minutes), MINUTES_PER_HOUR)
    said = [f"{hours} h"] * bool(hours) + [f"{rest} min"] * bool(rest or not hours)
    return " ".join(said)


def titles(entries: Sequence[Lesson]) -> str:
    """Lessons by their titles, "-" for none."""
    return ", ".join(entry.title for entry in entries) or "-"


def ways_text(entries: Sequence[Way]) -> str:
    """The ways, and how to see one of them."""
    lines = []
    for one in entries:
        size = f"{len(one.lessons)} lessons, {duration(one.minutes)}, {one.memory_mb:,} MB a seat"
        lines += [f"{one.slug}: {one.title}. {size}", textwrap.indent(_wrapped(one.who), "  ")]
        if one.known:
            lines.append(f"  You know {titles(one.known)}.")
    lines.append(SEE_ONE)
    return "\n".join(lines)


def plan_text(plan: Plan) -> str:
    """The plan as a table by session, what it takes, and what was left out."""
    lines = [f"{plan.title}: {plan.who}"]
    if plan.known:
        lines.append(f"You know {titles(plan.known)}.")
    if plan.hours is not None:
        lines.append(_wrapped(RULE))
    lines += ["", *_table(plan)] if plan.parts else []
    lines += ["", *_totals(plan)]
    return "\n".join(lines)


def _table(plan: Plan) -> Iterator[str]:
    names = [part.lesson.title + " + stretch" * part.with_stretch for part in plan.parts]
    width = max(map(len, names))
    yield f"{'minutes':>7}  {'sum':>5}  {'lesson':<{width}}  builds on"
    before = 0
    for part, name, total in zip(plan.parts, names, plan.sums(), strict=True):
        if part.session != before:
            before = part.session
            yield f"{plan.unit.capitalize()} {part.session}"
        needs = titles([lesson(need) for need in part.lesson.needs])
        yield f"{part.minutes:>7}  {total:>5}  {name:<{width}}  {needs}"


def _totals(plan: Plan) -> Iterator[str]:
    count = len(plan.parts)
    if count:
        size = f"{count} lesson{'s' if count > 1 else ''}, {duration(plan.minutes)}"
        yield f"{size}; a seat needs {plan.memory_mb:,} MB."
    elif not plan.left_out:
        yield "Nothing is left: you know all of it."
    if plan.stretch_minutes:
        yield f"Stretch exercises would add {duration(plan.stretch_minutes)}."
    if plan.left_out:
        missing = sum(part.minutes for part in plan.left_out)
        names = titles([part.lesson for part in plan.left_out])
        yield _wrapped(f"Left out, {duration(missing)}: {names}.")
        needed = duration(missing + sum(part.lesson.minutes for part in plan.parts))
        yield f"All of it takes {needed}; `--know LESSON` takes out what you know already."


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_on_hyphens=False)
