"""memory-by-stage: bytes of a rank when states, gradients and weights are sharded."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result
from gpuedu.exercises.sharding.memory_by_stage.judge.stages import STAGES, kept, needed, peak


def cases(rng: np.random.Generator) -> list[Case]:
    """Layers that do not divide, one smaller than the ranks, and memory that just suffices."""
    tiny = {"layers": [5, 3, 101], "ranks": 8}  # a piece is of padding alone
    drawn = [call_case("kept", "kept_bytes", **tiny, stage=stage) for stage in (1, 3)]
    for stage in STAGES:
        ranks, layers = _drawn(rng)
        drawn.append(call_case("kept", "kept_bytes", layers=layers, ranks=ranks, stage=stage))
    huge = {"layers": [3 * 10**9 + 1, 10**9], "ranks": 7}  # more than 32 bits count
    drawn.append(call_case("kept", "kept_bytes", **huge, stage=2))
    for stage in (1, 2, 3):
        ranks, layers = _drawn(rng)
        drawn.append(call_case("peak", "peak_bytes", layers=layers, ranks=ranks, stage=stage))
    for layers in ([9_001, 100, 9_000, 8_000], [400, 9_001], [7_001]):
        drawn.append(call_case("peak", "peak_bytes", layers=layers, ranks=4, stage=3))
    return [*drawn, *_memories(rng)]


def _drawn(rng: np.random.Generator) -> tuple[int, list[int]]:
    """Some ranks, and layers of which none has a whole multiple of them."""
    ranks = int(rng.integers(3, 9))
    sizes = rng.integers(1_000, 90_000, int(rng.integers(4, 7)))
    return ranks, [int(size) * ranks + int(rng.integers(1, ranks)) for size in sizes]


def _memories(rng: np.random.Generator) -> list[Case]:
    """As much as each stage needs, and a byte less; of one layer, stage 1 needs the least."""
    ranks, layers = _drawn(rng)
    needs = [peak(layers, ranks, stage) for stage in STAGES]
    sizes = [needs[0], needs[1], needs[2], needs[2] - 1, needs[3], min(needs) - 1]
    asked = [(layers, ranks, size) for size in sizes]
    asked.append(([9_001], 4, peak([9_001], 4, 1)))
    return [
        call_case("stage", "stage_needed", layers=layers, ranks=ranks, memory_bytes=size)
        for layers, ranks, size in asked
    ]


JUDGE = Judge(
    title="What each rank keeps",
    properties=(
        right_result(
            "kept",
            "`kept_bytes`: weights, gradients and states of one rank, padding included",
            2,
            {"kept_bytes": kept},
            asks="Which of the three does this stage shard, and how many elements of each layer "
            "does a rank have then?",
        ),
        right_result(
            "peak",
            "`peak_bytes`: the same, plus what comes and goes during the backward pass",
            2,
            {"peak_bytes": peak},
            asks="Go backward layer by layer. While each one computes, what is whole, besides "
            "what the rank keeps?",
            unit="bytes",
        ),
        right_result(
            "stage",
            "`stage_needed`: the lowest stage that fits",
            1,
            {"stage_needed": needed},
            asks="What does each stage need at its peak, and is that at most the memory?",
        ),
    ),
    hints=(
        "Stage 1 shards the states, stage 2 also the gradients, stage 3 also the weights. Of what "
        "is sharded, every rank has `math.ceil(n / ranks)` elements of a layer of n.",
        "A layer that is whole for a while has been put together from equal pieces: `ranks * "
        "math.ceil(n / ranks)` elements. In stage 2 that is the gradient of one layer at a time. "
        "In stage 3 there are also the weights of this layer and of the one before it.",
        "`full = [2 * ranks * math.ceil(n / ranks) for n in layers]`; stage 2 adds `max(full)`, "
        "stage 3 the largest `2 * full[i] + full[i - 1]`, where layer 0 has none before it. "
        "`stage_needed` is the first stage of 0 to 3 whose `peak_bytes` is at most `memory_bytes`.",
    ),
    cases=cases,
    predictions={
        "memory-by-stage": Prediction(
            "a model of 7.5 billion parameters trains on 64 ranks in stage 1, with 12 bytes of "
            "states, 2 of gradient and 2 of weight for each. How many GB does each rank keep?",
            truth=31.406,
            unit="GB",
            because="Weights and gradients are whole: 7.5e9 · 4 bytes are 30 GB. The states, 90 "
            "GB, are sharded: 1.4 GB on each of 64 ranks.",
        ),
    },
)
