"""export-and-run: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.functions import entry
from gpuedu.exercises.plain import entries, text

_ANSWERS = ("exports", "calls", "mends")


def play_export_and_run(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What one of the learner's dicts says, by the names that are asked for."""
    asked, names = inputs["ask"], inputs["names"]
    given = entries(answers[_ANSWERS.index(asked)], f"`{asked}`")
    found = {}
    for name in names:
        said = entry(given, name, names)
        if said is ...:
            raise AnswerError(f"`{asked}` has no answer for {name!r} yet")
        found[name] = text(said, f"the entry for {name!r}")
    return found


PLAY = Play(tuple(Answer(name, dict) for name in _ANSWERS), play_export_and_run)
