"""goodput: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.functions import entry
from gpuedu.exercises.plain import entries, items, number, text
from gpuedu.exercises.serving.kept import on_copies

KINDS = (
    *("trained", "redone", "slow", "input", "evaluation", "save", "startup"),
    *("down", "spare"),
)
"""Of GPU hours; each hour is of one kind."""
_ANSWERS = tuple(
    Answer(name, signature=("log",)) for name in ("account", "goodput", "largest_loss")
)
_LOSS = "the result of `largest_loss`"


def play_goodput(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """GPU hours by kind, the ``result`` of `goodput`, or the ``name`` and ``result`` of a loss.

    ``changed`` says which arguments were changed.
    """
    changed: list[str] = []
    pairs = zip(_ANSWERS, answers, strict=True)
    functions = {answer.name: on_copies(answer, one, changed) for answer, one in pairs}
    given = functions[inputs["call"]](inputs["log"])
    return {**_observed(inputs["call"], given), "changed": changed}


def _observed(call: str, given: Any) -> dict[str, Any]:
    if call == "account":
        return dict(hours_of(given))
    if call == "goodput":
        return {"result": float(number(given, "the result of `goodput`"))}
    name, value = loss_of(given)
    return {"name": name, "result": value}


def hours_of(given: Any) -> dict[str, float]:
    """The learner's GPU hours, by kind."""
    told = entries(given, "the result of `account`")
    hours = {name: entry(told, name, KINDS) for name in KINDS}
    return {name: float(number(one, f'`account(log)["{name}"]`')) for name, one in hours.items()}


def loss_of(given: Any) -> tuple[str, float]:
    """The learner's largest loss, by name, and the goodput if it were halved."""
    pair = items(given, _LOSS, "a name and a number")
    if len(pair) != 2:
        raise AnswerError(f"{_LOSS} should be a name and a number, got {len(pair)} items")
    name = text(pair[0], "the name that `largest_loss` returns")
    return name, float(number(pair[1], "the number that `largest_loss` returns"))


PLAY = Play(_ANSWERS, play_goodput)
