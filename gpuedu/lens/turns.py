"""Atomics that meet: which lanes of a warp want the same address, and how many turns it takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.lens.requests import Request, find_requests
from gpuedu.lens.rows import occupants_by_element
from gpuedu.syllabus import unknown
from gpuedu.trace.records import Operation, Space, Trace


@dataclass(frozen=True)
class Turns:
    """One warp's atomic: ``lanes`` maps an element to the lanes that update it.

    Lanes that meet on one address are served one after another, each in its own turn, and addresses
    do not wait for each other; so the most crowded one says how long it takes. The order in which
    lanes are served is not defined (CUDA C++ Programming Guide, "SIMT Architecture"); here they are
    in order. Hardware may add up lanes of one address first; that is not modeled.
    """

    request: Request
    lanes: dict[int, tuple[int, ...]]

    @property
    def turns(self) -> int:
        """Lanes on the most crowded address."""
        return max(map(len, self.lanes.values()), default=0)

    @property
    def crowded(self) -> tuple[int, ...]:
        """Elements, those with the most lanes first, then by element."""
        return tuple(sorted(self.lanes, key=lambda element: (-len(self.lanes[element]), element)))


def atomic_turns(
    trace: Trace, array: str, *, block: int | None = None, warp: int = 0
) -> tuple[Turns, ...]:
    """The watched atomics of one warp on an array, in order of execution.

    Args:
        trace: The account of a launch.
        array: The array's name as the kernel calls it.
        block: A watched block; the first by default.
        warp: A warp of the block.

    Raises:
        UnknownNameError: No atomic goes to the array; the remedy names the arrays that have one.
        NothingWatchedError: Nothing of that warp was kept.
    """
    names = {site.array: site for site in trace.sites if site.operation is Operation.ATOMIC}
    if array not in names:
        raise unknown("array with an atomic", array, names)
    block = trace.watched[0] if block is None else block
    found = find_requests(trace, array, block=block, warp=warp)
    return tuple(_turns(request) for request in found if request.site.operation is Operation.ATOMIC)


def most_updates(trace: Trace, space: Space) -> int:
    """Atomic updates of the address that gets the most of them in one memory.

    All watched blocks meet on an address of global memory; in shared memory each has its own. It
    is the least number of turns in which the atomics can be done, if nothing adds up lanes first.

    Args:
        trace: The account of a launch, with all blocks watched that are to count.
        space: Global or shared memory.
    """
    arrays = {
        site.array
        for site in trace.sites
        if site.operation is Operation.ATOMIC and site.space is space
    }
    return max((_most_on(trace, array, space) for array in arrays), default=0)


def _most_on(trace: Trace, array: str, space: Space) -> int:
    """Updates of the busiest element of one array."""
    numbers = [
        number
        for number, site in enumerate(trace.sites)
        if (site.operation, site.array, site.space) == (Operation.ATOMIC, array, space)
    ]
    events = trace.events
    rows = np.isin(events.site, numbers)
    element = events.element[rows]
    owner = events.block[rows, None] if space is Space.SHARED else 0
    met = np.stack([np.broadcast_to(owner, element.shape), element])[:, element >= 0]
    return int(np.unique(met, axis=1, return_counts=True)[1].max(initial=0))


def _turns(request: Request) -> Turns:
    occupants = occupants_by_element([request])
    return Turns(
        request, {element: tuple(who.lane for who in own) for element, own in occupants.items()}
    )
