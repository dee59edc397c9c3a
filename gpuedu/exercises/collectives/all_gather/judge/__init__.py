"""all-gather: each rank's chunk goes once round the ring, until all have all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.collectives.judge.collective_cases import case, chunk_places
from gpuedu.exercises.collectives.judge.ring_traffic import (
    bytes_fault,
    neighbour_fault,
    speed_fault,
)
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

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
        *(case(rng, costs, n, _CHUNK * n, **own) for n in (2, 3, 8)),
        case(rng, ["ring"], 5, 5 * _CHUNK + int(rng.integers(1, 5)), **own),
    ]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether all have everything, and what that took."""
    inputs = case.inputs
    wrong = list(_gather_fault(case.decides[0], inputs, observed))
    if "ring" not in case.decides:
        yield from wrong
        return
    yield from neighbour_fault("ring", inputs, observed)
    yield from bytes_fault("ring", inputs, observed, passes=1)
    if "at-once" in case.decides:
        for fault in wrong:
            yield Fault("at-once", fault.message, fault.cause)
        yield from speed_fault("at-once", inputs, observed, passes=1)


def _gather_fault(prop: str, inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    values, got, ranks = inputs["values"], observed["got"], inputs["ranks"]
    values = values.astype(inputs["dtype"]).astype(np.float64)
    places = chunk_places(values.shape[1], ranks)
    # A copy is exact: each rank's chunk, bit for bit.
    given = [values[rank, places[rank]] for rank in range(ranks)]
    for rank in range(ranks):
        for chunk in range(ranks):
            here = got[rank, places[chunk]]
            if not np.array_equal(here, given[chunk]):
                yield Fault(
                    prop,
                    f"with {ranks} ranks, chunk {chunk} of rank {rank} is not what rank {chunk} "
                    f"had there: {_told(here, given)}",
                    _why_own(rank, got[rank, places[rank]], given[rank], observed)
                    or _why(here, given, observed),
                )
                return


def _told(here: np.ndarray, given: Sequence[np.ndarray]) -> str:
    if np.isnan(here).all():
        return "it holds NaN"
    for other, theirs in enumerate(given):
        if np.array_equal(here, theirs):
            return f"it holds chunk {other}"
    first = f"{here[0]:.6g}" if len(here) else "nothing"
    return f"it begins with {first}"


def _why_own(rank: int, own: np.ndarray, given: np.ndarray, observed: Plain) -> str:
    """A question where a rank lost the chunk that it was given."""
    if np.array_equal(own, given) or not observed["exchanges"]:
        return ""
    return (
        f"Chunk {rank} is what rank {rank} was given, and it is no longer there: something was "
        f"received into it, or added. Which chunk can rank {rank} send in the first step? The "
        "indices are not those of the reduce-scatter."
    )


def _why(here: np.ndarray, given: Sequence[np.ndarray], observed: Plain) -> str:
    if np.isnan(here).any():
        if observed["returned"]:
            return "Your function returns a tensor: the chunks have to be in `x` itself."
        return (
            "NaN is what a rank holds outside of its own chunk at first, and what a receive "
            "leaves until it is done. Did it arrive at all? Was it sent on before it had arrived, "
            "or added to what was there?"
        )
    if any(np.array_equal(here, theirs) for theirs in given):
        return (
            "Chunks are in each other's places. In each step, which chunk does the rank before "
            "send, and into which one do you receive?"
        )
    return "Nothing is added here: what arrives is final."


JUDGE = Judge(
    title="All-gather around a ring",
    properties=(
        Property("everything", "every rank ends with every chunk, bit for bit", 2),
        Property("ragged", "so it does where the ranks do not divide the elements", 1),
        Property("ring", "each rank sends n - 1 chunks, all to the next one in the ring", 1),
        Property("at-once", "all links are busy at once: n - 1 steps of one chunk", 1),
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
    verdict=verdict,
    seeds=5,
    predictions={
        "all-gather": Prediction(
            "8 ranks; even ones send, then receive, odd ones receive, then send. How many times "
            "as long does a step take as when all send and receive at once?",
            truth=2,
            unit="times",
            because="Half of the links carry a chunk while the other half is idle; then they "
            "change. Each link could have worked all the time.",
        )
    },
)
