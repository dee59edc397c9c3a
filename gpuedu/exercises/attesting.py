"""What a play must look at beside the learner's code, when the rest of it can be replayed.

In a notebook it is looked at, and that is all. When a class is graded, a learner's process reports
what was seen, and the replay is told: such a play says in ``observes`` what that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Look = Callable[[], Any]
Witness = Callable[[Look], Any]
"""Gets the function that looks, and returns what is seen."""

_witnesses: list[Witness] = []


def attested(look: Look) -> Any:
    """What ``look`` returns, or returned when the play ran beside the learner's code.

    >>> attested(lambda: 3)
    3
    >>> with attested_by(lambda look: 2 * look()):
    ...     attested(lambda: 3)
    6
    """
    return _witnesses[-1](look) if _witnesses else look()


@contextmanager
def attested_by(witness: Witness) -> Iterator[None]:
    """Let ``witness`` say what is seen, inside the block."""
    _witnesses.append(witness)
    try:
        yield
    finally:
        _witnesses.pop()
