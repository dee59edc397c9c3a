"""all-gather: each rank's chunk goes once round the ring, until all have all."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.collectives.judge.ring_cases import case, chunk_places
from gpuedu.exercises.collectives.judge.ring_properties import all_at_once, in_chunks, ring_bytes
from gpuedu.exercises.contract import Case, Inputs, Judge, Plain, Prediction
from gpuedu.exercises.ranks.properties import Held, built_by_hand, right_on_ranks

_CHUNK = 1000


def cases(rng: np.random.Generator) -> list[Case]:
    """Equal chunks, ragged ones, and what it costs."""
    costs, own = ("ring", "at-once"), {"has_own_chunk_only": True}
    return [
        *(case(rng, ["everything"], n, 9 * n, **own) for n in (1, 2, 3, 8)),
        case(rng, ["everything"], 5, 45, dtype="float32", late=int(rng.integers(5)), **own),
        case(rng, ["everything"], 4, 32, on_two=True, **own),
        *(case(rng, ["ragged"], n, 9 * n + int(rng.integers(1, n)), **own) for n in (2, 3, 8)),
        case(rng, ["ragged"], 4, 5, **own),
        case(rng, ["ragged"], 5, 3, **own),
        *(case(rng, costs, n, _CHUNK * n, **own) for n in (2, 3)),
        case(rng, costs, 8, _CHUNK * 8, dtype="float32", **own),
        case(rng, ["ring"], 5, 5 * _CHUNK + int(rng.integers(1, 5)), **own),
    ]


def own_chunks(inputs: Inputs, observed: Plain) -> Iterable[Held]:
    """Every chunk is what its rank had there, bit for bit."""
    given = inputs["values"].astype(inputs["dtype"]).astype(np.float64)
    places = chunk_places(given.shape[1], inputs["ranks"])
    wanted = np.concatenate([given[rank, where] for rank, where in enumerate(places)])
    return in_chunks(inputs, observed, wanted)


JUDGE = Judge(
    title="All-gather around a ring",
    properties=(
        built_by_hand(
            right_on_ranks(
                "everything",
                "every rank ends with every chunk, bit for bit",
                2,
                own_chunks,
                asks="Which rank has that chunk at first, and in which step does each of the "
                "others get it? "
                "(NaN is what a rank holds outside of its own chunk at first, and what a receive "
                "leaves until it is done.)",
            ),
        ),
        built_by_hand(
            right_on_ranks(
                "ragged",
                "the same where the elements do not divide evenly among the ranks",
                1,
                own_chunks,
                asks="What happens to each element here, also where chunks differ in size?",
            ),
        ),
        ring_bytes(
            "ring",
            "each rank sends n - 1 chunks, all to the next one in the ring",
            1,
            1,
            own_chunks,
            to_next=True,
        ),
        all_at_once(
            "at-once", "all links are busy at once: n - 1 steps of one chunk", 1, 1, own_chunks
        ),
    ),
    hints=(
        "In the first step each rank has one chunk to send: its own. Which one can it send in the "
        "second step, that the next rank does not have yet?",
        "Each rank hands on what it received last. So in step s = 0, ..., n - 2 rank r sends chunk "
        "r - s, and receives chunk r - s - 1 (modulo n), right into its place in `x`.",
        "For `step in range(ranks - 1)`: `sending = dist.isend(chunks[(rank - step) % ranks], "
        "(rank + 1) % ranks)`, `dist.recv(chunks[(rank - step - 1) % ranks], (rank - 1) % ranks)`, "
        "`sending.wait()`.",
    ),
    cases=cases,
    seeds=5,
    predictions={
        "all-gather": Prediction(
            "8 ranks; even ones send, then receive, odd ones receive, then send. How many times "
            "as long does a step take as when all send and receive at once?",
            truth=2,
            unit="times",
            because="Half of the links carry a chunk while the other half is idle; then they "
            "swap. Each link could have worked all the time.",
        )
    },
)
