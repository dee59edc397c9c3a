"""Properties that the collectives around a ring share: messages, neighbors, and time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.collectives.clusters import LINK
from gpuedu.exercises.collectives.judge.ring_cases import (
    chunk_bytes,
    chunk_places,
    element_bytes,
)
from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Property, Test, Undecided
from gpuedu.exercises.ranks.properties import (
    Held,
    Values,
    first_off,
    links_of,
    of_messages,
    sent_by_rank,
    soon_done,
    undecided_if_wrong,
)

EPS = {"float64": 2**-52, "float32": 2**-23, "float16": 2**-10, "bfloat16": 2**-7, "int64": 0.0}
"""The distance from 1 to the next number of each dtype."""
WITHIN = 1.1
"""How much longer than with all links busy at once a run may take."""


def in_chunks(
    inputs: Inputs,
    observed: Plain,
    wanted: np.ndarray,
    tolerance: np.ndarray | float = 0.0,
    *,
    own_only: bool = False,
) -> Iterator[Held]:
    """What each rank holds of a row that all should hold, chunk by chunk; or of its own chunk."""
    ranks, places = inputs["ranks"], chunk_places(wanted.size, inputs["ranks"])
    for rank in range(ranks):
        for chunk in [rank] if own_only else range(ranks):
            got = wanted.copy()
            got[places[chunk]] = observed["got"][rank, places[chunk]]
            where = f"with {ranks} rank{'s' * (ranks > 1)}, in chunk {chunk} of rank {rank}"
            yield Held(where, "x", got, wanted, tolerance)


def sums(*, own_only: bool = False) -> Values:
    """The sum over all ranks, on every rank; or on each rank its own chunk of it.

    Adding n numbers up in any order is off by at most n - 1 roundings, each at most half a distance
    of the largest partial sum, which is at most the sum of the magnitudes.
    """

    def values(inputs: Inputs, observed: Plain) -> Iterable[Held]:
        given = inputs["values"]
        room = inputs["ranks"] * EPS[inputs["dtype"]] * np.abs(given).sum(axis=0)
        return in_chunks(inputs, observed, given.sum(axis=0), room, own_only=own_only)

    return values


def unearned_if_wrong(name: str, values: Values, test: Test) -> Test:
    """The same test of messages: where it finds nothing, undecided if what came of them is wrong.

    Messages of the right sizes may carry anything.
    """

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        faults = list(test(case, observed))
        yield from faults
        for wrong in [] if faults else first_off(name, values(case.inputs, observed)):
            yield Undecided(name, f"the result is not right yet: {wrong.message}")

    return tested


def unless_told(name: str, values: Values, test: Test) -> Test:
    """The same test of what it takes, which finds nothing where ``name`` tells what is wrong.

    That is in cases that decide both.
    """

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        if name not in case.decides or not any(first_off(name, values(case.inputs, observed))):
            yield from test(case, observed)

    return tested


def ring_bytes(
    name: str,
    says: str,
    points: float,
    passes: int,
    values: Values,
    *,
    to_next: bool = False,
    any_cut: bool = False,
) -> Property:
    """The ranks send exactly what ``passes`` times around the ring takes.

    In all that is ``passes`` * (ranks - 1) tensors; of each rank, all chunks but one a pass. With
    ``to_next`` every rank sends to one neighbor only; with ``any_cut`` the chunks may be those of
    ``tensor_split``, all rounded up but the last ones, or all rounded down with the rest in one.
    Undecided where what ``values`` tells is wrong.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        ranks, chunks = case.inputs["ranks"], chunk_bytes(case.inputs)
        whole, sent = sum(chunks), sent_by_rank(observed, ranks)
        shortest, longest = _cut_anyhow(case.inputs) if any_cut else (min(chunks), max(chunks))
        least, most = passes * (whole - longest), passes * (whole - shortest)
        for rank in range(ranks):
            if not least <= sent[rank] <= most:
                wants = f"{least}" if least == most else f"{least} to {most}"
                less = f"{whole} less one chunk" if passes == 1 else f"{whole} less a chunk, twice"
                told = f"rank {rank} sent {sent[rank]} bytes, expected {wants}: the tensor's {less}"
                yield Fault(name, f"with {ranks} ranks, {told}")
        if sum(sent) != passes * (ranks - 1) * whole:
            wants = f"{passes * (ranks - 1)} x {whole} = {passes * (ranks - 1) * whole}"
            told = f"all ranks together sent {sum(sent)} bytes, expected {wants}"
            yield Fault(name, f"with {ranks} ranks, {told}")
        if to_next:
            yield from _neighbor_faults(name, ranks, observed)

    asks = (
        "In each step, which chunk does a rank send, to which rank, and how many bytes has each of "
        "its elements? How many steps are there?"
    )
    tested = of_messages(name, unearned_if_wrong(name, values, test), tells_calls=True)
    return Property(name, says, points, asks, tested)


def _cut_anyhow(inputs: Inputs) -> tuple[int, int]:
    """The bytes of the shortest and of the longest chunk, of all the ways to cut evenly."""
    ranks, elements = inputs["ranks"], inputs["values"].shape[1]
    whole, rest = divmod(elements, ranks)
    shortest = max(0, elements - (ranks - 1) * -(-elements // ranks))
    each = element_bytes(inputs["dtype"])
    return shortest * each, (whole + rest) * each


def to_neighbors(name: str, says: str, points: float, values: Values) -> Property:
    """Every rank sends to one neighbor only, the same way around on all ranks.

    Undecided where what ``values`` tells is wrong, unless "ragged" tells it.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        yield from _neighbor_faults(name, case.inputs["ranks"], observed)

    asks = "Which are a rank's two neighbors in the ring, and what does it do with each of them?"
    tested = of_messages(name, unearned_if_wrong(name, values, test))
    return Property(name, says, points, asks, unless_told("ragged", values, tested))


def _neighbor_faults(name: str, ranks: int, observed: Plain) -> Iterator[Fault]:
    links = links_of(observed)
    if any(all((src + way) % ranks == dst for src, dst in links) for way in (1, -1)):
        return
    src, dst = next(one for one in links if (one[0] + 1) % ranks != one[1])
    yield Fault(
        name,
        f"with {ranks} ranks, rank {src} sends to rank {dst}; in a ring it sends only "
        f"to rank {(src + 1) % ranks}",
    )


def all_at_once(name: str, says: str, points: float, passes: int, values: Values) -> Property:
    """The run takes as long as its steps of one chunk, with all links busy at once.

    Undecided where what it gives is wrong, and where nothing was built of sends and receives.
    """

    def best(inputs: Inputs) -> tuple[float, str]:
        steps = passes * (inputs["ranks"] - 1)
        each_s = LINK.time_s(max(chunk_bytes(inputs)))
        return steps * each_s, f"{steps} step{'s' * (steps > 1)} of one chunk on all links at once"

    return soon_done(
        name,
        says,
        points,
        best,
        within=WITHIN,
        asks="In each step, how many bytes does each rank send, and which ranks wait meanwhile?",
        wrap=lambda test: undecided_if_wrong(name, values, of_messages(name, test)),
    )
