"""What a learner is told about a verdict: properties and causes, nothing about hidden cases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gpuedu.exercises.card import Card, Line

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,_]\d+)*(?:e[-+]?\d+)?(?!\w)")


def feedback_card(exercise: Mapping[str, Any]) -> Card:
    """The card of one exercise, from its part of a verdict's file.

    Counterexamples, and what the learner's code printed, are left out: they would reveal the inputs
    that the next submission will be tried on.
    """
    heading = f"{exercise['id']}: {exercise['points']:g} of {exercise['max_points']:g}"
    state = exercise["state"]
    if state == "unsolved":
        return Card(heading, state, paragraphs=("The placeholder `...` is still there.",))
    if state == "refused":
        text = f"Not judged: {exercise['refusal']}."
        return Card(heading, state, paragraphs=(text,), next=exercise["remedy"])
    return Card(heading, state, lines=tuple(map(_line, exercise["properties"])))


def _line(prop: Mapping[str, Any]) -> Line:
    points = f"{prop['points']:g} {'point' if prop['points'] == 1 else 'points'}"
    if prop["holds"]:
        return Line("✓", f"{prop['says']}: yes ({points})")
    return Line(
        "✗",
        f"{prop['says']}: no ({points})",
        strong=True,
        why="It does not hold on a hidden case.",
        cause=without_numbers(prop["cause"]),
    )


def without_numbers(text: str) -> str:
    """A text whose numbers are left out; those in names stay.

    >>> without_numbers("rank 3 has -1.5e-3 of 12, in float32")
    'rank … has … of …, in float32'
    """
    return _NUMBER.sub("…", text)
