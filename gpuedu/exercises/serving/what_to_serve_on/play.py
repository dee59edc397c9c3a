"""what-to-serve-on: beside the learner's code."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.plain import items, text, whole_number

SPEEDS = ("tokens/s of all texts", "tokens/s of one text")
_NUMBERS = call_play(
    "texts_that_fit(model, length, device) -> int",
    "step_s(model, batch, length, device)",
    f"speeds(batch, step_s) -> {', '.join(SPEEDS)}",
    "per_million(tokens_per_s, price_per_hour, used)",
)
_CHEAPEST = ("model", "length", "devices", "least_per_s")
_RESULT = "the result of `cheapest`"


def play_what_to_serve_on(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The number or the two that a case asks for, or the ``name`` and ``batch`` of the choice.

    ``name`` and ``batch`` are None where nothing is chosen.
    """
    *numbers, cheapest = answers
    if inputs["call"] != "cheapest":
        return dict(_NUMBERS.run(numbers, inputs))
    given = {name: copy.deepcopy(inputs[name]) for name in _CHEAPEST}
    chosen = cheapest(*given.values())
    for name, one in given.items():
        if one != inputs[name]:
            raise AnswerError(
                f"`cheapest` changed `{name}`, which it was given",
                remedy="The caller may need it again: work on a copy.",
            )
    name, batch = choice_of(chosen) or (None, None)
    return {"name": name, "batch": batch}


def choice_of(given: Any) -> tuple[str, int] | None:
    """The device's name and the batch that the learner chose, or None.

    >>> choice_of(("A", 4.0)), choice_of(None)
    (('A', 4), None)
    >>> choice_of("A")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: the result of `cheapest` should be a name and a batch, got 'A' (str)
    """
    if given is None:
        return None
    pair = items(given, _RESULT, "a name and a batch")
    if len(pair) != 2:
        raise AnswerError(f"{_RESULT} should be a name and a batch, got {len(pair)} items")
    name = text(pair[0], "the name that `cheapest` returns")
    return name, whole_number(pair[1], "the batch that `cheapest` returns")


PLAY = Play(
    (*_NUMBERS.answers, Answer("cheapest", signature=_CHEAPEST)),
    play_what_to_serve_on,
)
