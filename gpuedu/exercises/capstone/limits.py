"""How much of a cost is allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gpuedu.exercises.capstone.units import show_count


@dataclass(frozen=True)
class Limit:
    """A cost: its property, its figure in the bill, its name and the most that it may be.

    ``most`` is given what the task takes.
    """

    name: str
    figure: str
    cost: str
    most: Callable[[Any], float]
    show: Callable[[float], str] = show_count
