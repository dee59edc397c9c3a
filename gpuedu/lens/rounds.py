"""What a block hands around in shared memory: which places went into each place, round by round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gpuedu.lens.requests import NothingWatchedError
from gpuedu.trace.records import WARP_SIZE, Operation, Space, Trace

_CROWD = 8


@dataclass(frozen=True)
class Store:
    """A place that a thread wrote, and the places that it had read since its last store."""

    thread: int
    target: int
    sources: tuple[int, ...]


@dataclass(frozen=True)
class Round:
    """The stores of a block between two barriers; ``epoch`` counts the barriers before.

    If a thread stores twice without a barrier between, its second store is in a separate round,
    with the same epoch.
    """

    epoch: int
    stores: tuple[Store, ...]

    @property
    def read_by_all(self) -> int | None:
        """The one place of another that every thread of the round had read; None if they differ.

        A round of fewer than eight stores counts as one that hands numbers around.
        """
        others = {
            place for store in self.stores for place in store.sources if place != store.target
        }
        if len(self.stores) < _CROWD or len(others) != 1:
            return None
        (place,) = others
        return place if all(place in store.sources for store in self.stores) else None


@dataclass(frozen=True)
class Exchange:
    """The rounds of one shared array with ``places`` elements in a row, in order."""

    array: str
    places: int
    block: int
    rounds: tuple[Round, ...]


def exchange_of(trace: Trace, block: int | None = None) -> Exchange:
    """The rounds in which a watched block writes the shared array that it uses most.

    It is not known what a thread computes: every place that it read since its last store counts as
    having gone into the next. An array of several rows (two that alternate, say) is folded onto one
    row.

    Args:
        trace: The account of a launch, with watched accesses.
        block: A watched block; the first by default.

    Raises:
        NothingWatchedError: The block stores nothing in shared memory.
    """
    block = trace.watched[0] if block is None else block
    array = _busiest(trace)
    rows = _rows(trace, array, block)
    if not array or not rows.size:
        raise NothingWatchedError(
            f"block {block} stores nothing in shared memory",
            remedy="a kernel that does, or one of the watched blocks",
        )
    shapes = {use.array: use.shape for use in trace.arrays}
    places = shapes[array][-1]
    return Exchange(array, places, block, _rounds(trace, rows, places))


def _busiest(trace: Trace) -> str:
    """The shared array with the most stores; empty where there is none."""
    lanes: dict[str, int] = {}
    for site in trace.sites:
        if site.space is Space.SHARED and site.operation is not Operation.LOAD:
            lanes[site.array] = lanes.get(site.array, 0) + int(site.lanes.sum())
    return max(lanes, key=lanes.__getitem__, default="")


def _rows(trace: Trace, array: str, block: int) -> np.ndarray:
    sites = [n for n, site in enumerate(trace.sites) if site.array == array]
    events = trace.events
    return np.flatnonzero(np.isin(events.site, sites) & (events.block == block))


def _rounds(trace: Trace, rows: np.ndarray, places: int) -> tuple[Round, ...]:
    events = trace.events
    read: dict[int, list[int]] = {}
    stored: dict[tuple[int, int], int] = {}
    found: dict[tuple[int, int], list[Store]] = {}
    for row in rows:
        operation = trace.sites[events.site[row]].operation
        epoch = int(events.epoch[row])
        for lane in np.flatnonzero(events.element[row] >= 0):
            thread = int(events.warp[row]) * WARP_SIZE + int(lane)
            place = int(events.element[row, lane]) % places
            if operation is Operation.LOAD:
                read.setdefault(thread, []).append(place)
                continue
            turn = stored.get((thread, epoch), 0)
            stored[thread, epoch] = turn + 1
            sources = tuple(dict.fromkeys(read.pop(thread, ())))
            found.setdefault((epoch, turn), []).append(Store(thread, place, sources))
    return tuple(Round(epoch, tuple(found[epoch, turn])) for epoch, turn in sorted(found))


def links(exchange: Exchange) -> Mapping[int, int]:
    """For each round, how many places of others went into the places that it wrote."""
    return {
        number: sum(source != store.target for store in one.stores for source in store.sources)
        for number, one in enumerate(exchange.rounds)
    }
