"""Texts and the keys of their blocks, by the functions of a learner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.exercises.plain import items, whole_number
from gpuedu.exercises.serving.kept import all_kept


def keys_of(keys: Callable[..., Any], tokens: Sequence[int], size: int) -> list[int]:
    """The keys that ``keys`` gives for the blocks of a text."""
    given = list(tokens)
    with all_kept("keys", tokens=given):
        found = items(keys(given, size), "the result of `keys`", "a list of whole numbers")
    return [
        whole_number(one, f"entry {at} of the result of `keys`") for at, one in enumerate(found)
    ]


def matched(match: Callable[..., Any], known: set[int], tokens: Sequence[int], size: int) -> int:
    """How many tokens of a text ``match`` finds among keys that are known."""
    given = list(tokens)
    with all_kept("match", tokens=given):
        found = match(frozenset(known), given, size)
    return whole_number(found, "the result of `match`")
