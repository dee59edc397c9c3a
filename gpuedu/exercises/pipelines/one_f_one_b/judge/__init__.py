"""one-f-one-b: backward as soon as possible, so that little is kept."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Inputs, Judge, Prediction
from gpuedu.exercises.pipelines.pipeline_properties import keeps, takes, trains

_COSTS = ((1, 2), (1, 1), (3, 1), (2, 3), (1, 3), (1, 2), (2, 5))


def cases(rng: np.random.Generator) -> list[Case]:
    """More micro-batches than stages, fewer, as many, and no multiple; 1 to 8 stages."""
    drawn = int(rng.integers(3, 7)), int(rng.integers(7, 13))
    counts = ((4, 6), (4, 2), (1, 3), (4, 4), (2, 1), (8, 16), drawn)
    found = []
    for (stages, micro_batches), costs in zip(counts, _COSTS, strict=True):
        sizes = {"stages": stages, "micro_batches": micro_batches}
        inputs = {**sizes, "costs": costs, "seed": int(rng.integers(2**20))}
        found.append(Case(f"p = {stages}, m = {micro_batches}", inputs))
    return found


def _time(inputs: Inputs) -> float:
    return (inputs["micro_batches"] + inputs["stages"] - 1) * sum(inputs["costs"])


def _most(inputs: Inputs, stage: int) -> int:
    return min(inputs["micro_batches"], inputs["stages"] - stage)


JUDGE = Judge(
    title="One forward, one backward",
    properties=(
        trains(
            2,
            asks="Follow one micro-batch: does every stage go forward with it once, and backward "
            "with it once?",
        ),
        keeps(
            2,
            "stage s keeps at most p - s micro-batches",
            _most,
            asks="How many micro-batches has this stage sent forward when the gradient of the "
            "first one can be back?",
        ),
        takes(
            2,
            "the whole step takes (m + p - 1)(f + b), as with GPipe",
            _time,
            asks="What does this stage wait for, and what could it do in the meantime?",
        ),
    ),
    hints=(
        "The last stage can go backward with micro-batch 0 right after its forward pass. How many "
        "micro-batches can the stage before it send forward until that gradient comes back? And "
        "the one before that?",
        "Three parts: forward alone (as many as there are stages after this one, but no more than "
        "there are micro-batches); then one forward and one backward in turn; then backward alone.",
        "`warm = min(micro_batches, stages - 1 - stage)`; forward with 0 to `warm - 1`; for `i` in "
        "`range(micro_batches - warm)` forward with `warm + i`, then backward with `i`; finally "
        "backward with what is left, from `micro_batches - warm` on.",
    ),
    results=("time",),
    apart=("gradients",),
    cases=cases,
    seeds=5,
    predictions={
        "one-f-one-b": Prediction(
            "GPipe with 4 stages and 8 micro-batches leaves each GPU idle for 27% of the time. "
            "And if every stage goes backward as soon as it can?",
            truth="the same",
            choices=("less", "the same", "more"),
            because="Filling and draining the pipeline takes as long as before; what "
            "has changed is how many micro-batches are kept in the meantime.",
        ),
    },
)
