"""Exercises whose answers are texts for other tools: a Dockerfile, a batch script, a manifest.

The text is all that comes from the learner's process; the judge reads it with the parser of its
language. Mistakes are known with their line, so a card needs no known wrong answer to ask its
question: each complaint may have its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.exercises.contract import (
    Answer,
    Case,
    Fault,
    Inputs,
    Plain,
    Play,
    Property,
    Undecided,
)
from gpuedu.exercises.plain import text

MOST_CHARACTERS = 8_000
"""For a text that is an answer: several times what the longest needs."""


@dataclass(frozen=True)
class Complaint:
    """What a rule finds wrong, for a learner, with the line if there is one; and a question.

    One that does not ``decides`` says why nothing can be said yet: it earns nothing, and is not
    called wrong.
    """

    message: str
    asks: str = ""
    decides: bool = True


def document_play(*names: str) -> Play:
    """A play for answers that are texts, observed by name."""

    def run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
        pairs = zip(names, answers, strict=True)
        return {name: text(one, f"`{name}`", MOST_CHARACTERS) for name, one in pairs}

    return Play(tuple(Answer(name, kind=str) for name in names), run)


def document_rule(
    name: str,
    says: str,
    points: float,
    broken: Callable[..., Iterable[Complaint]],
    *,
    asks: str,
    after: tuple[str, ...] = (),
    waits_for: tuple[str, ...] = (),
) -> Property:
    """A property that a rule about the texts decides.

    Args:
        name: The property's.
        says: What the card says about it.
        points: Its points.
        broken: ``broken(case, dockerfile="FROM ...")``, with the texts by their names, gives a
            complaint for each breach; the first is reported.
        asks: The question if a complaint has none.
        after: Properties of which one has to be right on some case first; see ``Property``.
        waits_for: Properties that have to be right before a fault of this one is told.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        for complaint in broken(case, **observed):
            kind = Fault if complaint.decides else Undecided
            yield kind(name, complaint.message, complaint.asks)
            return

    return Property(name, says, points, asks, test, after, waits_for)
