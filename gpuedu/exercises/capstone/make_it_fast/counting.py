"""A program of texts, run and counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuedu.exercises.capstone.started import started

LABEL = "fast"
"""The folder that errors name."""


def count_alone(program: Mapping[str, str], seed: int) -> dict[str, Any]:
    """See ``runs.run_alone``."""
    from gpuedu.exercises.capstone.runs import run_alone

    with started(program, LABEL) as run:
        return run_alone(run, seed)


def count_to_infinity(
    program: Mapping[str, str], seed: int, learning_rate: float
) -> dict[str, Any]:
    """See ``runs.run_to_infinity``."""
    from gpuedu.exercises.capstone.runs import run_to_infinity

    with started(program, LABEL) as run:
        return run_to_infinity(run, seed, learning_rate)


def count_together(program: Mapping[str, str], seed: int, ranks: int) -> dict[str, Any]:
    """See ``runs.run_together``."""
    from gpuedu.exercises.capstone.runs import run_together

    with started(program, LABEL) as run:
        return run_together(run, seed, ranks)
