"""interleaved: several chunks of the model on each stage, and a bubble divided by them."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Inputs, Judge, Prediction
from gpuedu.exercises.pipelines.pipeline_properties import keeps, takes, trains

_COUNTS = ((4, 8, 2), (2, 4, 3), (3, 3, 2), (1, 2, 2), (2, 2, 1), (4, 12, 3), (8, 16, 2))
"""Stages, micro-batches, chunks."""
_COSTS = ((2, 4), (3, 3), (4, 2), (2, 6), (1, 2), (3, 6), (2, 5), (3, 4))


def cases(rng: np.random.Generator) -> list[Case]:
    """As many micro-batches as stages, and multiples of them; one chunk, one stage."""
    found = []
    stages, times, chunks = (int(rng.integers(*ends)) for ends in ((2, 7), (1, 5), (2, 5)))
    counts = *_COUNTS, (stages, times * stages, chunks)
    for (stages, micro_batches, chunks), costs in zip(counts, _COSTS, strict=True):
        sizes = {"stages": stages, "micro_batches": micro_batches, "chunks": chunks}
        inputs = {**sizes, "costs": costs, "seed": int(rng.integers(2**20))}
        found.append(Case(f"p = {stages}, m = {micro_batches}, v = {chunks}", inputs))
    return found


def _time(inputs: Inputs) -> float:
    bubble = (inputs["stages"] - 1) / inputs["chunks"]
    return (inputs["micro_batches"] + bubble) * sum(inputs["costs"])


def _most(inputs: Inputs, stage: int) -> int:
    stages, chunks = inputs["stages"], inputs["chunks"]
    return min(
        inputs["micro_batches"] * chunks, 2 * (stages - 1 - stage) + (chunks - 1) * stages + 1
    )


JUDGE = Judge(
    title="Several chunks on each stage",
    properties=(
        trains(
            2,
            asks="Follow one micro-batch through the parts of the model, from the first to the "
            "last and back. Does each stage take it once in each of its chunks?",
        ),
        keeps(
            2,
            "stage s keeps at most 2 (p - 1 - s) + (v - 1) p + 1 pieces",
            _most,
            asks="How many forward actions come before the first backward on this stage?",
        ),
        takes(
            2,
            "the whole step takes m (f + b) + (p - 1)(f + b) / v",
            _time,
            asks="Which action is ready on this stage while it waits for another one?",
        ),
    ),
    hints=(
        "Write down the forward actions of one stage alone, for 2 stages, 4 micro-batches and 2 "
        "chunks. After how many micro-batches does it change the chunk, and when does it change "
        "back? Backward it goes through the chunks from the last one to the first.",
        "The k-th forward action is in chunk `k // stages % chunks`, with micro-batch "
        "`k // (stages * chunks) * stages + k % stages`. Backward has the same micro-batches, and "
        "chunk `chunks - 1 - ...`. Then it is 1F1B again, with a longer warm-up.",
        "`order = [(k // (stages * chunks) * stages + k % stages, k // stages % chunks) for k in "
        "range(micro_batches * chunks)]`; `warm = min(len(order), 2 * (stages - 1 - stage) + "
        "(chunks - 1) * stages)`. Warm-up: the first `warm` forward; then one forward, one "
        "backward; then the rest backward.",
    ),
    results=("time",),
    apart=("gradients",),
    cases=cases,
    seeds=5,
    predictions={
        "interleaved": Prediction(
            "4 stages have 2 chunks each, instead of 1. How many messages does a micro-batch take "
            "on its way forward, instead of 3?",
            truth=7,
            unit="messages",
            because="8 parts in a row have 7 borders, and one of these leads from the last stage "
            "back to the first.",
            exact=True,
        ),
    },
)
