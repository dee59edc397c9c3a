"""A call in which a function does what it did in the one before, with other values.

That is what a device does: the host hands over operations before it has seen a number. In a
notebook it is a call like any other. When a class is graded, and what a function does is recorded
as operations, those of its last call are carried out once more, with what the function gets now. So
the result is right only if they contain nothing that the host has seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_entered = 0


@contextmanager
def likewise() -> Iterator[None]:
    """Make calls inside do what the last call of the same function did.

    >>> with likewise():
    ...     is_likewise()
    True
    >>> is_likewise()
    False
    """
    global _entered
    _entered += 1
    try:
        yield
    finally:
        _entered -= 1


def is_likewise() -> bool:
    """Whether a call that is made now is one of those."""
    return _entered > 0
