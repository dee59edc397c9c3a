"""A program of texts, run and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.exercises.capstone.programs import loaded
from gpuedu.exercises.training.quiet import quiet_torch

LABEL = "fast"
"""The folder that errors name."""


def count_alone(program: Mapping[str, str], seed: int) -> dict[str, Any]:
    """See ``runs.run_alone``."""
    from gpuedu.exercises.capstone.runs import run_alone

    return _run(program, lambda run: run_alone(run, seed))


def count_together(program: Mapping[str, str], seed: int, ranks: int) -> dict[str, Any]:
    """See ``runs.run_together``."""
    from gpuedu.exercises.capstone.runs import run_together

    return _run(program, lambda run: run_together(run, seed, ranks))


def _run(
    program: Mapping[str, str], count: Callable[[Callable[..., Any]], dict[str, Any]]
) -> dict[str, Any]:
    from gpuedu.exercises.capstone.untouched import torch_untouched

    with quiet_torch(), torch_untouched(), loaded(program, LABEL, "train") as train:
        run = getattr(train, "run", None)
        if not callable(run):
            from gpuedu.errors import AnswerError

            raise AnswerError(f"{LABEL}/train.py has no function `run`")
        return count(run)
