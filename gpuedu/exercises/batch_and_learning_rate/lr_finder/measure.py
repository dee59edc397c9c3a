"""lr-finder: what is measured on the learner's machine."""

from __future__ import annotations

from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.lr_finder.rate_trials import (
    BATCHES,
    HIGHEST,
    LOWEST,
    RUNGS,
)
from gpuedu.exercises.plain import describe
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number

SHARES = {"loss": 1.0, "loss at twice your rate": 2.0, "loss at a fifth of it": 0.2}
"""Of the learner's rate. Twice is where the smoothed loss of the sweep is lowest."""


def measure_rates(find_rate: Any) -> dict[str, dict[str, float]]:
    """For each batch, find a rate on digits, and train for some passes with shares of it.

    Returns:
        by batch, how many steps the sweep took and a run has, the ``rate`` and held-out losses, to
        three digits.
    """
    from gpuedu.experiments.rate_finder import PASSES, Trial

    found = {}
    with quiet_torch():
        for batch in BATCHES:
            trial = Trial(batch, 0)
            steps, rate = _find(find_rate, trial)
            losses = {name: Trial(batch, 0).finish(part * rate) for name, part in SHARES.items()}
            row = {name: float(f"{x:.3g}") for name, x in {"rate": rate, **losses}.items()}
            whole = PASSES * len(trial.batches)
            found[f"batch {batch:,}"] = {"steps of the sweep": steps, "of a run": whole, **row}
    return found


def _find(find_rate: Any, trial: Any) -> tuple[int, float]:
    steps = 0

    def step() -> float:
        nonlocal steps
        steps += 1
        return trial.step()

    got = find_rate(trial.model, trial.optimizer, step, LOWEST, HIGHEST, RUNGS)
    rate = as_number(got, "the rate that `find_rate` returned")
    if not 0 < rate <= 2 * HIGHEST:
        raise AnswerError(
            f"`find_rate` returned {describe(rate)} for a sweep from {LOWEST:g} to {HIGHEST:g}"
        )
    return steps, rate


MEASURE = measure_rates
