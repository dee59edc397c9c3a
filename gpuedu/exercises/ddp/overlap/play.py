"""overlap: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ddp.overlap.overlap_runs import cluster_of, plan_of, train_overlapped


def play_overlap(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Gradients on each rank after each step; rank 0's calls, as they ended; the time of all.

    ``gradients`` has shape (ranks, steps, elements), with all parameters in a row; ``missing`` has
    (rank, step, place) of each gradient that is None, which is NaN there.
    """
    (attach,) = answers
    cluster = cluster_of(inputs["ranks"], inputs["latency_s"], inputs["bytes_per_s"])
    plan = plan_of(inputs)
    run = train_overlapped(attach, plan, inputs["buckets"], cluster, inputs["seed"])
    rows = [[_in_a_row(one, plan.shapes) for one in steps] for steps in run.results]
    missing = [
        [rank, step, place]
        for rank, steps in enumerate(run.results)
        for step, gradients in enumerate(steps)
        for place, one in enumerate(gradients)
        if one is None
    ]
    mine = [one for one in run.exchanges if one.rank == 0]
    return {
        "gradients": np.array(rows),
        "missing": missing,
        "kinds": [one.kind for one in mine],
        "sizes_bytes": [one.size_bytes for one in mine],
        "posted_s": np.array([one.posted_s for one in mine]),
        "ends_s": np.array([one.end_s for one in mine]),
        "time_s": run.time_s,
    }


def _in_a_row(gradients: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> np.ndarray:
    pairs = zip(gradients, shapes, strict=True)
    return np.concatenate(
        [np.full(shape, np.nan if g is None else g).ravel() for g, shape in pairs]
    )


PLAY = Play(
    (Answer("attach", signature=("buckets",)),),
    play_overlap,
    time_limit_s=20.0,
    calls_later=True,
)
