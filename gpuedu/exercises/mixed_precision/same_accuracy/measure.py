"""same-accuracy: what is measured on the learner's machine."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

_SEEDS = range(5)


def measure_accuracy(begin: Callable[..., Any], train_step: Callable[..., Any]) -> dict[str, float]:
    """Shares of the held-out digits that are right: medians of five seeds, by way to train."""
    from gpuedu.exercises.mixed_precision.same_accuracy.half_runs import run_half
    from gpuedu.exercises.training.quiet import quiet_torch
    from gpuedu.experiments.hard_digits import HARD, judge_weights
    from gpuedu.experiments.same_accuracy import PURE, reference, train

    with quiet_torch():
        yours = [run_half(begin, train_step, HARD, seed).accuracy for seed in _SEEDS]
        wide = [reference(HARD, seed)[1] for seed in _SEEDS]
        alone = [judge_weights(HARD, train(HARD, seed, PURE))[1] for seed in _SEEDS]
    return {"float32": median(wide), "yours": median(yours), "fp16 alone": median(alone)}


MEASURE = measure_accuracy
