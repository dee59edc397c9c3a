"""Whether a schedule of whole tensors sums them up: whose numbers each rank holds, round by round.

The rule of the exercise: who receives a part of the sum adds it to its own, even to the finished
sum, which spoils it; who receives the finished sum takes it in place of its own. All messages of a
round carry what their sender had before the round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, items

MOST_MESSAGES = 200_000
_FORM = (
    "A schedule is a list of rounds, and a round a list of triples: "
    "`[[(1, 0, 8)], [(0, 1, 8)]]` has two rounds of a message each."
)
Message = tuple[int, int, int]


@dataclass(frozen=True)
class Walked:
    """What came of a schedule.

    ``fault`` says what is wrong with its messages, "" where nothing is; ``missing`` are the ranks
    without the whole sum, each with one whose numbers it lacks.
    """

    fault: str
    missing: tuple[tuple[int, int], ...] = ()


def rounds_of(value: Any) -> list[list[Message]]:
    """The learner's schedule as lists of triples; AnswerError for anything else."""
    found, count = [], 0
    for number, given in enumerate(_rows(value, "a schedule", "a list of rounds")):
        messages = _rows(given, f"round {number}", "a list of messages", _FORM)
        count += len(messages)
        if count > MOST_MESSAGES:
            raise AnswerError(f"the schedule has more than {MOST_MESSAGES:,} messages")
        found.append([_message(one, number) for one in messages])
    return found


def _message(one: Any, number: int) -> Message:
    name, what = f"a message of round {number}", "a triple (from, to, bytes)"
    found = items(one, name, what)
    if len(found) != 3:
        raise AnswerError(f"{name} should be {what}, got {describe(one)}")
    if not all(isinstance(n, (int, np.integer)) and not isinstance(n, bool) for n in found):
        told = ", ".join(describe(n) for n in found)
        raise AnswerError(
            f"a message of round {number} is ({told}): all three should be whole numbers",
            remedy="From which rank, to which, and how many bytes: the whole tensor's.",
        )
    src, dst, size = (int(n) for n in found)
    return src, dst, size


def _rows(value: Any, name: str, what: str, remedy: str = "") -> list[Any]:
    """What is in a list, or the rows of an array; ``remedy`` where it is neither."""
    if type(value) is np.ndarray and value.ndim > 1:
        return list(value)
    try:
        return items(value, name, what)
    except AnswerError as fault:
        raise AnswerError(fault.message, remedy=remedy) from None


def walk(rounds: Sequence[Sequence[Message]], ranks: int, size_bytes: int) -> Walked:
    """Follow every message; a number that arrives twice ends the walk.

    >>> walk([[(1, 0, 8)], [(0, 1, 8)]], 2, 8)
    Walked(fault='', missing=())
    >>> walk([[(1, 0, 8)]], 2, 8).missing
    ((1, 0),)
    """
    whole = (1 << ranks) - 1
    held = [1 << rank for rank in range(ranks)]
    for number, messages in enumerate(rounds):
        before = list(held)
        for src, dst, size in messages:
            at = f"round {number}: ({src}, {dst}, {size})"
            if not (0 <= src < ranks and 0 <= dst < ranks) or src == dst:
                return Walked(f"{at} is no message between {ranks} ranks")
            if size != size_bytes:
                return Walked(f"{at} does not carry the tensor's {size_bytes} bytes")
            if before[src] == whole:
                held[dst] = whole
            elif held[dst] & before[src]:
                twice = _first(held[dst] & before[src])
                told = f"{at} brings rank {dst} the numbers of rank {twice} a second time"
                return Walked(told + (", after the whole sum" if held[dst] == whole else ""))
            else:
                held[dst] |= before[src]
    missing = tuple((rank, _first(whole & ~one)) for rank, one in enumerate(held) if one != whole)
    return Walked("", missing)


def _first(ranks: int) -> int:
    """The lowest rank of a set, as bits."""
    return (ranks & -ranks).bit_length() - 1
