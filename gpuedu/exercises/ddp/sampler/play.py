"""sampler: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.exercises.attesting import attested
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ddp.sampler.sampling import draw_epoch, draw_evaluation

OTHER_SEED = 1
"""Added to the seed, it must give another order of the same epoch: seeds are often 0, 1, 2."""


def play_sampler(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Parts by epoch and rank, drawn twice; or the parts of an evaluation."""
    train_part, eval_part = answers
    samples, ranks = inputs["samples"], inputs["ranks"]
    if inputs["ask"] == "evaluation":
        return {"parts": list(draw_evaluation(eval_part, samples, ranks))}
    seed, epochs = inputs["seed"], inputs["epochs"]
    first = [
        draw_epoch(train_part, samples, epoch, ranks, seed, states=epoch) for epoch in range(epochs)
    ]
    again = [
        draw_epoch(train_part, samples, epoch, ranks, seed, states=epochs + epoch, elsewhere=True)
        for epoch in reversed(range(epochs))
    ][::-1]
    later, other, later_other = (
        list(draw_epoch(train_part, samples, epoch, ranks, seed + more, states=0).parts)
        for epoch, more in ((inputs["later"], 0), (0, OTHER_SEED), (inputs["later"], OTHER_SEED))
    )
    return {
        "epochs": [list(one.parts) for one in first],
        "again": [list(one.parts) for one in again],
        "later": later,
        "other": other,
        "later_other": later_other,
        "moved": any(one.moved for one in first),
        "hashed": attested(lambda: any(one.hashed for one in again)),
    }


PLAY = Play(
    (
        Answer("train_part", signature=("samples", "epoch", "rank", "ranks", "seed")),
        Answer("eval_part", signature=("samples", "rank", "ranks")),
    ),
    play_sampler,
    draws=True,
    attests=True,
)
