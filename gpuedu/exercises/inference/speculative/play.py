"""speculative: beside the learner's code."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Inputs, Play
from gpuedu.exercises.functions import call_play
from gpuedu.exercises.guard import explain
from gpuedu.exercises.inference.speculative.rounds import play_all, read_tokens
from gpuedu.exercises.plain import array

_NUMBERS = call_play(
    "residual(p, q)",
    "verify(tokens, q, p, uniforms)",
    "expected_tokens(acceptance, k)",
    "speedup(acceptance, k, draft_cost)",
    "best_k(acceptance, draft_cost, most) -> int",
)
_MADE_FROM = {"speedup": ("expected_tokens",), "best_k": ("expected_tokens", "speedup")}


def play_speculative(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What one call gives, or all rounds of a chain."""
    residual, verify, *_ = answers
    call = inputs["call"]
    if call == "residual":
        given = _called(residual, inputs, ("p", "q"))
        shape = inputs["p"].shape
        return {"residual": array(given, np.float64, shape, "the result of `residual`")}
    if call == "verify":
        given = _called(verify, inputs, ("tokens", "q", "p", "uniforms"))
        return {"tokens": read_tokens(given)}
    if call == "all":
        chain = (inputs[name] for name in ("q", "p", "start", "k", "levels"))
        return {"rounds": _as_array([came for *_, came in play_all(verify, *chain)])}
    beside = _beside(answers, inputs)
    try:
        return {**_NUMBERS.run(answers, inputs), "beside": beside}
    except ZeroDivisionError:
        if inputs.get("acceptance") != 1:
            raise
        if any(map(math.isnan, beside)):
            return {"result": math.nan, "beside": beside}
        raise AnswerError(
            f"`{call}` divided by 0 where `acceptance` is 1",
            remedy="What if every guess is accepted?",
        ) from None


def _beside(answers: Sequence[Any], inputs: Inputs) -> list[float]:
    """Where all guesses are accepted: what the functions give that this one may be made from.

    NaN stands for an error.
    """
    found: list[float] = []
    if inputs["acceptance"] != 1:
        return found
    for call in _MADE_FROM.get(inputs["call"], ()):
        asked = {"k": inputs.get("most"), **inputs, "call": call}
        try:
            found.append(_NUMBERS.run(answers, asked)["result"])
        except Exception as fault:
            if explain(fault, 0).ends_check:
                raise
            found.append(math.nan)
    return found


def _called(function: Callable[..., Any], inputs: Inputs, names: Sequence[str]) -> Any:
    """What a function gives, which must leave its arguments as they are."""
    given = [copy.deepcopy(inputs[name]) for name in names]
    result = function(*given)
    for name, one in zip(names, given, strict=True):
        if not np.array_equal(one, inputs[name]):
            raise AnswerError(
                f"`{getattr(function, '__name__', 'it')}` changed `{name}`, which it was given",
                remedy="A row of an array is a view of it. `a -= b` changes the array itself, and "
                "`a = a - b` makes a new one.",
            )
    return result


def _as_array(rounds: Sequence[Sequence[int]]) -> np.ndarray:
    """A row for each round: how many tokens came out, and these."""
    longest = max(map(len, rounds), default=0)
    found = np.zeros((len(rounds), 1 + longest), np.int64)
    for row, came in zip(found, rounds, strict=True):
        row[0] = len(came)
        row[1 : 1 + len(came)] = came
    return found


PLAY = Play(_NUMBERS.answers, play_speculative)
