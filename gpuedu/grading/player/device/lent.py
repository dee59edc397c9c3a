"""Functions that a play hands to a learner's: they stay with the play, and are called from afar.

So what they look at (a surface, a clock, how often they were called) is in no process in which a
learner's code runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Lent:
    """A function of a play's, under its own name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives."""
        return self._function(*args, **kwargs)
