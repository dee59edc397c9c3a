"""Steps of a program as one array of bytes, so that a message has few values to count."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError

_MOST_MARKS = 2_000_000
"""Commas and opening brackets: what it takes to read a text grows with them."""
_MOST_STEPS = 100_000
_BYTES = "bytes"
_NO_FORM = "a program arrived in an unknown form"
_TOO_MANY = f"a call carried out more than {_MOST_STEPS:,} operations"


def write_program(steps: Sequence[list]) -> np.ndarray:
    """The steps in a message's form.

    >>> write_program([["free", 3], ["state", 0, np.zeros(2, np.uint8)]]).tobytes()
    b'[["free",3],["state",0,{"bytes":"AAA="}]]'
    """
    text = json.dumps(steps, separators=(",", ":"), default=_write_bytes)
    return np.frombuffer(text.encode(), np.uint8)


def _is_bytes(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype == np.uint8 and value.ndim == 1


def _write_bytes(value: Any) -> dict[str, str]:
    if not _is_bytes(value):
        raise AnswerError(f"a {type(value).__name__} in an operation cannot be carried over")
    return {_BYTES: b64encode(value.tobytes()).decode()}


def read_program(told: Any) -> list:
    """The steps of a message from a process that is not trusted.

    Raises:
        AnswerError: it is not a text of steps, or there are too many.

    >>> read_program(write_program([["free", 3], ["state", 0, np.zeros(2, np.uint8)]]))
    [['free', 3], ['state', 0, array([0, 0], dtype=uint8)]]
    """
    if not _is_bytes(told):
        raise AnswerError(_NO_FORM)
    text = told.tobytes()
    if sum(map(text.count, (b",", b"[", b"{"))) > _MOST_MARKS:
        raise AnswerError(_TOO_MANY)
    try:
        steps = json.loads(text, object_hook=_read_bytes)
    except (ValueError, RecursionError) as fault:
        raise AnswerError(_NO_FORM) from fault
    if type(steps) is not list:
        raise AnswerError(_NO_FORM)
    if len(steps) > _MOST_STEPS:
        raise AnswerError(_TOO_MANY)
    return steps


def _read_bytes(inside: dict) -> Any:
    raw = inside.get(_BYTES)
    if type(raw) is not str:
        return inside
    return np.array(bytearray(b64decode(raw, validate=True)), np.uint8)
