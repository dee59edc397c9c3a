"""The costs of a whole program, under the names that figure and report write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gpuedu.exercises.capstone.make_it_fast.counting import count_alone, count_together
from gpuedu.exercises.capstone.make_it_fast.limits import LIMITS
from gpuedu.exercises.capstone.programs import packed, unpacked
from gpuedu.exercises.capstone.units import show_count

SHOWN_SEED, SHOWN_RANKS = 1, 2
"""The task that figures and reports are about."""
IMAGES, COLLECTIVES = "images at once in evaluation", "collectives, a step"


@dataclass(frozen=True)
class Cost:
    """A cost: its name, its figure in the bill, how it is shown, whether more of it is better."""

    name: str
    figure: str
    show: Callable[[float], str]
    is_better_high: bool = False


COSTS = (
    *(Cost(one.cost, one.figure, one.show) for one in LIMITS),
    Cost(IMAGES, "evaluation_batch", show_count, is_better_high=True),
    Cost(COLLECTIVES, "messages", show_count),
)


def costs_of(program: Mapping[str, Any]) -> dict[str, float]:
    """The figures of a program's bill, ``messages`` on two ranks among them."""
    return dict(_costs_of(packed(program)))


@lru_cache(maxsize=4)
def _costs_of(program_text: str) -> tuple[tuple[str, float], ...]:
    program = unpacked(program_text)
    alone = count_alone(program, SHOWN_SEED)
    together = count_together(program, SHOWN_SEED, SHOWN_RANKS)
    return tuple({**alone["bill"], "messages": together["messages"]}.items())
