"""Answers that fail in the same way, and the stored misconception that does so too (pure).

How an answer fails is its *behavior*: for each property whether it holds, and what the judge said
about it, without the numbers of the cases.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.exercises.examine import Report

Verdicts = Sequence[Mapping[str, Any]]
Behavior = tuple[tuple[str, bool, str], ...]
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?(?!\w)")


@dataclass(frozen=True)
class Group:
    """Answers to one exercise that fail alike.

    Attributes:
        learners: those who gave them.
        loses: properties that do not hold.
        cause: what the judge asks about the first of them.
        misconception: the stored wrong answer that fails alike, or "".
        example: the answer of the first of them, as they wrote it.
    """

    learners: tuple[str, ...]
    loses: tuple[str, ...]
    cause: str
    misconception: str
    example: str


def behavior_of(properties: Iterable[Mapping[str, Any]]) -> Behavior:
    """How an answer behaves, from the properties in its verdict."""
    return tuple(
        (one["name"], one["holds"], without_numbers(one["cause"] or one["message"]))
        for one in properties
    )


def behavior_in(report: Report) -> Behavior:
    """The same, from what a judge reports of a stored answer."""
    return tuple(
        (
            one.property.name,
            one.holds,
            without_numbers(one.fault.cause or one.fault.message) if one.fault else "",
        )
        for one in report.results
    )


def group_failures(verdicts: Verdicts, exercise: str, known: Mapping[Behavior, str]) -> list[Group]:
    """The failing answers to an exercise by behavior, the commonest first.

    Args:
        verdicts: of a class, as their files have them.
        exercise: its id.
        known: names of stored wrong answers by behavior.
    """
    alike: dict[Behavior, list[tuple[str, Mapping[str, Any], str]]] = defaultdict(list)
    for verdict in verdicts:
        for one in verdict["exercises"]:
            if one["id"] == exercise and one["state"] in ("partly", "wrong"):
                own = answer_to(verdict, exercise)
                alike[behavior_of(one["properties"])].append((verdict["learner"], one, own))
    groups = []
    for behavior, members in alike.items():
        _, first, example = members[0]
        lost = [prop for prop in first["properties"] if not prop["holds"]]
        groups.append(
            Group(
                tuple(learner for learner, _, _ in members),
                tuple(prop["name"] for prop in lost),
                without_numbers(next((prop["cause"] for prop in lost if prop["cause"]), "")),
                known.get(behavior, ""),
                example,
            )
        )
    return sorted(groups, key=lambda one: (-len(one.learners), one.learners))


def answer_to(verdict: Mapping[str, Any], exercise: str) -> str:
    """A learner's answer cells of one exercise, as one text."""
    cells = verdict.get("answers", {})
    mine = [text for cell, text in cells.items() if cell.split("-answer")[0] == exercise]
    return "\n\n".join(mine)


def without_numbers(text: str) -> str:
    """A text whose numbers are left out; those in names stay.

    >>> without_numbers("rank 3 has -1.5e-3 of 12, in float32")
    'rank … has … of …, in float32'
    """
    return _NUMBER.sub("…", text)
