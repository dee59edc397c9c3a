"""What a play hands to a learner's function: it stays with the play, and is called remotely.

So what it looks at (a surface, a clock, how often it was called) is never in a process that runs a
learner's code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Lent:
    """A play's function, under its own name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""
        return self._function(*args, **kwargs)


class LentIterator:
    """A play's iterator. What it yields is recognized when it comes back."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self._iterator = iterator

    def __iter__(self) -> LentIterator:
        """Itself, if the play's gives an iterator."""
        self._iterator = iter(self._iterator)
        return self

    def __next__(self) -> Any:
        """The next item."""
        return next(self._iterator)
