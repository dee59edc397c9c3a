"""schedule: what is measured on the learner's machine."""

from __future__ import annotations

from statistics import median
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_number

RUNS = ((128, 0.0, 0.5), (128, 0.0, 1.0), (128, 0.0, 2.0), (16, 0.3, 0.5))
"""Batch, share of labels drawn at random, peak."""


_SEEDS, _HIGHEST = 3, 1e3


def measure_schedule(rate_at: Any) -> dict[str, dict[str, float]]:
    """By run, held-out losses after 8 passes: a constant rate's, and those of the schedule.

    Returns:
        by run, ``constant`` and ``yours``: medians of three seeds, to three digits.
    """
    from gpuedu.experiments.rate_finder import PASSES, Trial

    found = {}
    with quiet_torch():
        for batch, wrong, peak in RUNS:
            steps = PASSES * len(Trial(batch, 0).batches)
            rates = {"constant": [peak] * steps, "yours": _rates(rate_at, steps, peak)}
            name = f"batch {batch}{', noisy labels' if wrong else ''}, peak {peak:g}"
            found[name] = {
                kind: float(f"{_loss(batch, wrong, each):.3g}") for kind, each in rates.items()
            }
    return found


def _rates(rate_at: Any, steps: int, peak: float) -> list[float]:
    rates = [
        as_number(rate_at(step, steps, steps // 4, peak, 0.0, "cosine"), "the rate")
        for step in range(steps)
    ]
    for rate in rates:
        if not 0 <= rate <= _HIGHEST:
            raise AnswerError(f"`rate_at` gave {describe(rate)} for a peak of {peak:g}")
    return rates


def _loss(batch: int, wrong_labels: float, rates: list[float]) -> float:
    from gpuedu.experiments.rate_finder import Trial

    return median(Trial(batch, seed, wrong_labels).follow(rates) for seed in range(_SEEDS))


MEASURE = measure_schedule
