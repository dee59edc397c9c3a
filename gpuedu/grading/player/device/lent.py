"""What a play hands to a learner's function: it stays with the play, and is called from afar.

So what it looks at (a surface, a clock, how often it was called) is in no process in which a
learner's code runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Lent:
    """A function of a play's, under its own name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives."""
        return self._function(*args, **kwargs)


class LentIterator:
    """An iterator of a play's. What it gives is known again where it comes back."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self._iterator = iterator

    def __iter__(self) -> LentIterator:
        """Itself, where the play's gives an iterator."""
        self._iterator = iter(self._iterator)
        return self

    def __next__(self) -> Any:
        """The next item."""
        return next(self._iterator)
