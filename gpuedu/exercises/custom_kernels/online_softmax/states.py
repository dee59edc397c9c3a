"""What is kept of a row of scores while it comes in pieces, as a learner's functions give it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import array, describe, number

State = tuple[float, float, np.ndarray]
"""The largest score so far, the sum of the powers relative to it, and their weighted values."""


def start(width: int) -> State:
    """Nothing of a row has come."""
    return -math.inf, 0.0, np.zeros(width)


def fold(
    update: Callable[..., Any],
    blocks: Iterable[tuple[np.ndarray, np.ndarray]],
    state: State | None = None,
) -> State:
    """The state after some blocks, one after another; ``state`` is that before them.

    Raises:
        AnswerError: ``update`` gives what is no state, or changes what it was given.
    """
    for scores, values in blocks:
        before = start(values.shape[1]) if state is None else state
        state = called("update", update, before, scores, values)
    if state is None:
        raise ValueError("no block")
    return state


def called(name: str, function: Callable[..., Any], *given: Any) -> State:
    """What ``update`` or ``merge`` gives of copies, which it must leave as they are."""
    copies = [_copied(one) for one in given]
    width = given[0][2].size
    found = _read(function(*copies), name, width)
    for number_, (one, copied) in enumerate(zip(given, copies, strict=True)):
        if not _are_same(one, copied):
            which = f"{'a state' if isinstance(one, tuple) else ('scores', 'values')[number_ - 1]}"
            raise AnswerError(
                f"`{name}` changed {which} that it was given",
                remedy="The caller may need it again. `a *= b` changes the array `a` itself, and "
                "`a = a * b` makes a new one.",
            )
    return found


def _copied(one: Any) -> Any:
    return (*one[:2], one[2].copy()) if isinstance(one, tuple) else one.copy()


def _are_same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return np.array_equal(one[2], other[2], equal_nan=True)
    return np.array_equal(one, other, equal_nan=True)


def _read(given: Any, name: str, width: int) -> State:
    what = f"the state that `{name}` gives"
    if type(given) not in (tuple, list) or len(given) != 3:
        raise AnswerError(
            f"{what} should be three things: largest, total, weighted; got {describe(given)}"
        )
    largest, total = (
        float(number(one, f"`{part}` of {what}"))
        for part, one in zip(("largest", "total"), given[:2], strict=True)
    )
    return largest, total, array(given[2], np.float64, (width,), f"`weighted` of {what}")
