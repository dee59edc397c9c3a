"""The bill of the whole second program, for its figure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from gpuedu.exercises.capstone.make_it_fast_too.counting import (
    count_together,
    count_training,
    count_writing,
)
from gpuedu.exercises.capstone.make_it_fast_too.slow_run import slow_weights
from gpuedu.exercises.capstone.programs import given_program, packed, unpacked

SHOWN_SEED, RANKS = 1, 2
"""The task that the figure is about, and on how many ranks."""


def costs_of(program: Mapping[str, str]) -> dict[str, float]:
    """The figures of a program's bill: training, writing, and training on two ranks."""
    return dict(_costs_of(packed(program)))


@lru_cache(maxsize=4)
def _costs_of(program_text: str) -> tuple[tuple[str, float], ...]:
    program = unpacked(program_text)
    found = (
        count_training(program, SHOWN_SEED),
        count_writing(program, SHOWN_SEED, slow_weights(SHOWN_SEED)),
        count_together(program, SHOWN_SEED, RANKS),
    )
    return tuple(pair for one in found for pair in one["bill"].items())


def slow_costs() -> dict[str, float]:
    """Those of the slow program."""
    return costs_of(given_program("make_it_fast_too", "writer"))
