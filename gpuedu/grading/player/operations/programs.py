"""Steps of a program as one text and its arrays: a message has few values to be counted then."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError

_MOST_STEPS = 100_000
_ARRAY = "array"
_NO_FORM = "a program arrived in a form that none has"


def write_program(steps: Sequence[list]) -> dict[str, Any]:
    """The steps as a message has them.

    >>> write_program([["free", 3], ["state", 0, np.zeros(1)]])
    {'text': '[["free",3],["state",0,{"array":0}]]', 'arrays': [array([0.])]}
    """
    arrays: list[np.ndarray] = []

    def place(value: Any) -> dict[str, int]:
        if type(value) is not np.ndarray:
            raise AnswerError(f"a {type(value).__name__} in an operation cannot be carried over")
        arrays.append(value)
        return {_ARRAY: len(arrays) - 1}

    return {"text": json.dumps(steps, separators=(",", ":"), default=place), "arrays": arrays}


def read_program(told: Any) -> list:
    """The steps of a message from a process that is not trusted.

    Raises:
        AnswerError: it is no text of steps, or they are too many.

    >>> read_program(write_program([["free", 3], ["state", 0, np.zeros(1)]]))
    [['free', 3], ['state', 0, array([0.])]]
    """
    text, arrays = (told.get(one) if type(told) is dict else None for one in ("text", "arrays"))
    if type(text) is not str or type(arrays) is not list:
        raise AnswerError(_NO_FORM)

    def find(inside: dict) -> Any:
        number = inside.get(_ARRAY)
        return arrays[number] if type(number) is int and 0 <= number < len(arrays) else inside

    try:
        steps = json.loads(text, object_hook=find)
    except (ValueError, RecursionError) as fault:
        raise AnswerError(_NO_FORM) from fault
    if type(steps) is not list:
        raise AnswerError(_NO_FORM)
    if len(steps) > _MOST_STEPS:
        raise AnswerError(f"a call carried out more than {_MOST_STEPS:,} operations")
    return steps
