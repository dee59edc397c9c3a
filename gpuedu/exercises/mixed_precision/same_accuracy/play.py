"""same-accuracy: beside the learner's code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.training.quiet import quiet_torch


def play_same_accuracy(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The ends of the learner's runs, one for each seed, and the dtypes they computed in.

    Or, of two runs that take turns, the weights after each call.
    """
    from gpuedu.exercises.mixed_precision.same_accuracy.half_runs import run_half, run_in_turns
    from gpuedu.experiments.hard_digits import DigitsTask

    if "turns" in inputs:
        with quiet_torch():
            runs = inputs["starts"], inputs["turns"]
            return {"weights": run_in_turns(*answers, *runs, zeros=inputs["zeros"])}
    task = DigitsTask(**inputs["task"])
    with quiet_torch():
        runs = [run_half(*answers, task, seed) for seed in inputs["seeds"]]
    products: Counter[str] = Counter()
    for run in runs:
        products.update({" and ".join(sorted(p)): count for p, count in run.products.items()})
    return {
        "losses": [run.loss for run in runs],
        "accuracies": [run.accuracy for run in runs],
        "moved": [run.moved for run in runs],
        "first_moves": [run.first_move for run in runs],
        "dtypes": sorted({dtype for run in runs for dtype in run.dtypes}),
        "products": dict(products),
    }


PLAY = Play(
    answers=(
        Answer("begin", signature=("weights",), is_opaque=True),
        Answer("train_step", signature=("state", "images", "labels", "rate", "n")),
    ),
    run=play_same_accuracy,
    time_limit_s=60.0,  # PyTorch's first optimizer may import for seconds
    by_operations=True,
)
