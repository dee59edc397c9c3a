"""Where a generator's decisions come from: hypothesis in the tests, a seed outside them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices(Protocol):
    """Anything that can pick a whole number between two others, both included."""

    def number(self, low: int, high: int) -> int: ...


class Drawn:
    """Decisions that hypothesis draws, and shrinks where a test fails."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self.draw = draw

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))


class Seeded:
    """Decisions from a seed, for long runs."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)


def pick(choices: Choices, options: Sequence[T]) -> T:
    """One of the options; the first is the simplest."""
    return options[choices.number(0, len(options) - 1)]


def chance(choices: Choices, one_in: int) -> bool:
    """True about once in so many times."""
    return choices.number(1, one_in) == one_in
