"""workers: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.feed_the_gpu.workers.stages import Stages
from gpuedu.exercises.plain import describe, number


def play_workers(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """A rate, a number of workers, or what generators draw, each made twice."""
    batches_per_s, knee, worker_rng = answers
    if inputs["ask"] == "rng":
        triples = [tuple(triple) for triple in inputs["triples"]]
        draws = [_draw(worker_rng(*triple)) for triple in triples]
        again = [_draw(worker_rng(*triple)) for triple in reversed(triples)]
        return {"draws": draws, "again": again[::-1]}
    stages = [inputs[field] for field in Stages._fields]
    if inputs["ask"] == "knee":
        return {"got": number(knee(*stages), "the number of workers")}
    return {"got": number(batches_per_s(inputs["workers"], *stages), "the rate")}


def _draw(rng: Any) -> list[int]:
    """Two large numbers, of which no two generators draw the same by chance."""
    if not isinstance(rng, np.random.Generator):
        raise AnswerError(
            f"worker_rng should return a NumPy generator, got {describe(rng)}",
            remedy="`np.random.default_rng(...)` makes one.",
        )
    return [int(n) for n in np.random.Generator.integers(rng, 2**62, size=2)]


PLAY = Play(
    (
        Answer("batches_per_s", signature=("workers", *Stages._fields)),
        Answer("knee", signature=Stages._fields),
        Answer("worker_rng", signature=("seed", "epoch", "worker")),
    ),
    play_workers,
)
