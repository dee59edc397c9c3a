"""reduce-scatter: each rank ends with its own chunk of the sum, by a ring."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.collectives.judge.ring_cases import case
from gpuedu.exercises.collectives.judge.ring_properties import (
    all_at_once,
    ring_bytes,
    sums,
    to_neighbors,
)
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.ranks.properties import built_by_hand, right_on_ranks

_COSTS = ("bytes", "neighbors", "at-once")
_CHUNK = 1000


def cases(rng: np.random.Generator) -> list[Case]:
    """Equal chunks, ragged ones, and what it costs."""
    return [
        *(case(rng, ["sum"], n, 9 * n) for n in (1, 2, 3, 8)),
        case(rng, ["sum"], 5, 45, dtype="float32", late=int(rng.integers(5))),
        case(rng, ["sum"], 4, 32, on_two=True),
        *(case(rng, ["ragged"], n, 9 * n + int(rng.integers(1, n))) for n in (2, 3, 8)),
        # Chunks of ceil(size / n) would be fewer than n here.
        case(rng, ["ragged"], 4, 5),
        case(rng, ["ragged"], 5, 3),
        *(case(rng, _COSTS, n, _CHUNK * n) for n in (2, 3)),
        case(rng, _COSTS, 8, _CHUNK * 8, dtype="float32"),
        case(rng, ["ragged", "bytes", "neighbors"], 5, 5 * _CHUNK + int(rng.integers(1, 5))),
    ]


_OWN = sums(own_only=True)
_ASKS = "Follow that chunk: where does it start, and which rank adds its own share in which step?"

JUDGE = Judge(
    title="Reduce-scatter around a ring",
    properties=(
        built_by_hand(
            right_on_ranks(
                "sum", "chunk i of rank i is the sum of all ranks' chunks i", 2, _OWN, asks=_ASKS
            )
        ),
        built_by_hand(
            right_on_ranks(
                "ragged",
                "the same where the elements do not divide evenly among the ranks",
                1,
                _OWN,
                asks="What happens to each element here, also where chunks differ in size?",
            )
        ),
        ring_bytes("bytes", "each rank sends n - 1 chunks, every one but its own", 1, 1, _OWN),
        to_neighbors("neighbors", "each rank sends only to the next one in the ring", 1, _OWN),
        all_at_once("at-once", "all links are busy at once: n - 1 steps of one chunk", 2, 1, _OWN),
    ),
    hints=(
        "Follow chunk 0 backwards. It ends on rank 0, complete. Which rank passed it to rank 0, "
        "and which one to that? Where does it start, so that everybody has added to it?",
        "Chunk c starts on rank c + 1, and goes once round. So in step s = 1, ..., n - 1 rank r "
        "sends chunk r - s, and receives chunk r - s - 1, to which it adds (all modulo n). It "
        "receives into a new tensor, `torch.empty_like(...)`, so that its own share is not "
        "overwritten.",
        "`chunks = x.tensor_split(ranks)`; for `step in range(1, ranks)`: `into = chunks[(rank - "
        "step - 1) % ranks]`, `got = torch.empty_like(into)`, `sending = dist.isend(chunks[(rank - "
        "step) % ranks], (rank + 1) % ranks)`, `dist.recv(got, (rank - 1) % ranks)`, "
        "`sending.wait()`, `into += got`.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "reduce-scatter": Prediction(
            "8 ranks with 4 MiB each: how many MiB does each rank send in the ring?",
            truth=3.5,
            unit="MiB",
            because="7 steps, each with one chunk of 0.5 MiB. All ranks together send 28 MiB, as "
            "to rank 0 before: but over eight links at once instead of through one.",
        )
    },
)
