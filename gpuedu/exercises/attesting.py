"""What a play has to look at beside the learner's code, where the rest of it can be played again.

In a notebook it is looked at, and that is all. Where a class is graded, a learner's process tells
what was seen, and whoever plays again is told: such a play says in ``observes`` what
that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Look = Callable[[], Any]
Witness = Callable[[Look], Any]
"""Is handed what looks, and gives what is seen."""

_witnesses: list[Witness] = []


def attested(look: Look) -> Any:
    """What ``look`` gives, or gave where the play was played beside the learner's code.

    >>> attested(lambda: 3)
    3
    >>> with attested_by(lambda look: 2 * look()):
    ...     attested(lambda: 3)
    6
    """
    return _witnesses[-1](look) if _witnesses else look()


@contextmanager
def attested_by(witness: Witness) -> Iterator[None]:
    """Have ``witness`` say what is seen, inside."""
    _witnesses.append(witness)
    try:
        yield
    finally:
        _witnesses.pop()
