"""Rounds of speculative decoding: all guesses and all random numbers of a small chain of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import items, whole_number

_MOST = 10**9


def read_tokens(given: Any) -> list[int]:
    """The tokens that ``verify`` gave, as ints.

    Raises:
        AnswerError: it gave no list of whole numbers.
    """
    name = "the result of `verify`"
    tokens = [
        whole_number(one, f"token {place} of {name}")
        for place, one in enumerate(items(given, name, "a list of tokens"))
    ]
    if any(abs(token) > _MOST for token in tokens):
        raise AnswerError(f"{name} has a token that is far from any")
    return tokens


def all_guesses(q: np.ndarray, start: int, k: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """The guesses that a draft can make after ``start``, and the probability of each.

    ``q[a, b]`` is how likely it guesses b after a.
    """
    for guesses in product(range(len(q)), repeat=k):
        chance = float(np.prod([q[a, b] for a, b in pairwise((start, *guesses))]))
        if chance > 0:
            yield guesses, chance


def play_all(
    verify: Callable[..., Any], q: np.ndarray, p: np.ndarray, start: int, k: int, levels: int
) -> Iterator[tuple[tuple[int, ...], float, list[int]]]:
    """The rounds of all guesses with all uniforms: the guesses, how likely, and what came out.

    A uniform takes the midpoints of ``levels`` equal parts of [0, 1). That integrates exactly where
    all that is decided by it changes at a multiple of 1 / ``levels``.
    """
    middles = (np.arange(levels) + 0.5) / levels
    for guesses, chance in all_guesses(q, start, k):
        rows = [start, *guesses]
        for uniforms in product(middles, repeat=k + 1):
            came = verify(list(guesses), q[rows[:-1]], p[rows], np.array(uniforms))
            yield guesses, chance / levels ** (k + 1), read_tokens(came)
