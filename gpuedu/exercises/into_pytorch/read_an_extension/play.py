"""read-an-extension: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.functions import entry
from gpuedu.exercises.plain import entries, text, whole_number

_ANSWERS = ("lines", "calls", "repairs")


def play_read_an_extension(answers: Sequence[Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """What one of the learner's dicts says, by the names that are asked for."""
    asked, names = inputs["ask"], inputs["names"]
    given = entries(answers[_ANSWERS.index(asked)], f"`{asked}`")
    found = {name: entry(given, name, names) for name in names}
    unfilled = next((name for name, one in found.items() if one is ...), None)
    if unfilled is not None:
        raise AnswerError(f"`{asked}` has no answer for {unfilled!r} yet")
    if asked == "lines":
        return {name: whole_number(one, f"the line for {name!r}") for name, one in found.items()}
    return {name: text(one, f"the entry for {name!r}") for name, one in found.items()}


PLAY = Play(tuple(Answer(name, dict) for name in _ANSWERS), play_read_an_extension)
