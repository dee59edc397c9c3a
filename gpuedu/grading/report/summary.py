"""What the verdicts of a class say together (pure)."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpuedu.grading.report.behaviors import (
    Behavior,
    Group,
    Verdicts,
    answer_to,
    group_failures,
)
from gpuedu.grading.report.likeness import Likeness, alike

Known = Callable[[str], Mapping[Behavior, str]]


@dataclass(frozen=True)
class ExerciseSummary:
    """One exercise in a class.

    Attributes:
        id: the exercise's.
        max_points: that can be had.
        mean_points: over all who handed in something that could be read.
        states: how many are solved, partly, wrong, unsolved, refused.
        properties: (name, what it says, how many have it, whether it can be forged) in the
            judge's order.
        observed: what a learner's process was trusted about.
        groups: failing answers that behave alike.
        alike: nearly identical answers.
    """

    id: str
    max_points: float
    mean_points: float
    states: Mapping[str, int]
    properties: tuple[tuple[str, str, int, bool], ...]
    observed: str
    groups: tuple[Group, ...]
    alike: tuple[Likeness, ...]


@dataclass(frozen=True)
class Summary:
    """One lesson in a class.

    Attributes:
        lesson: its folder.
        learners: (learner, state, points) of all submissions.
        max_points: that can be had.
        exercises: in the lesson's order.
        repaired: learner to what was repaired.
        failed: learner to state and reason.
    """

    lesson: str
    learners: tuple[tuple[str, str, float], ...]
    max_points: float
    exercises: tuple[ExerciseSummary, ...]
    repaired: Mapping[str, tuple[str, ...]]
    failed: Mapping[str, tuple[str, str]]


def summarize(verdicts: Verdicts, known: Known, given: Callable[[str], str]) -> list[Summary]:
    """A summary for each lesson in the verdicts.

    Args:
        verdicts: of a class, as their files have them.
        known: the stored wrong answers of an exercise by their behavior.
        given: what learners were given of an exercise's answer cells.
    """
    lessons = sorted({one["lesson"] for one in verdicts})
    return [
        _of_lesson(name, [one for one in verdicts if one["lesson"] == name], known, given)
        for name in lessons
    ]


def _of_lesson(
    lesson: str, verdicts: Verdicts, known: Known, given: Callable[[str], str]
) -> Summary:
    graded = [one for one in verdicts if one["state"] == "graded"]
    having: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for one in graded:  # another version of the course may have had other exercises
        for part in one["exercises"]:
            having[part["id"]].append(one)
    exercises = tuple(
        _of_exercise(name, theirs, known(name), given(name)) for name, theirs in having.items()
    )
    return Summary(
        lesson,
        tuple((one["learner"], one["state"], one["points"]) for one in verdicts),
        sum(one.max_points for one in exercises),
        exercises,
        {one["learner"]: tuple(one["repairs"]) for one in verdicts if one["repairs"]},
        {
            one["learner"]: (one["state"], one["reason"])
            for one in verdicts
            if one["state"] != "graded"
        },
    )


def _of_exercise(
    name: str, graded: Verdicts, known: Mapping[Behavior, str], given: str
) -> ExerciseSummary:
    parts = [_part(verdict, name) for verdict in graded]
    held = Counter(prop["name"] for one in parts for prop in one["properties"] if prop["holds"])
    answers = {
        verdict["learner"]: answer_to(verdict, name)
        for verdict, part in zip(graded, parts, strict=True)
        if part["state"] not in ("unsolved",)
    }
    return ExerciseSummary(
        name,
        parts[0]["max_points"],
        statistics.fmean(one["points"] for one in parts),
        dict(Counter(one["state"] for one in parts).most_common()),
        tuple(
            (one["name"], one["says"], held[one["name"]], one.get("forgeable", False))
            for one in parts[0]["properties"]
        ),
        parts[0].get("observed", ""),
        tuple(group_failures(graded, name, known)),
        tuple(alike(answers, given)),
    )


def _part(verdict: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return next(one for one in verdict["exercises"] if one["id"] == name)
