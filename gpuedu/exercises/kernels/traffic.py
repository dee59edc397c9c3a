"""What a launch asked of memory, as plain values that travel from a play to its judge.

A play names an argument of the kernel by its position, since names are the learner's, or asks for
shared memory as a whole; a judge reads sums, the worst access, and who read each element.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from gpuedu.exercises.kernels.launching import require_all_kept
from gpuedu.trace import WARP_SIZE, AccessSite, Operation, Space, Trace
from gpuedu.trace.counts import SECTOR_BYTES
from gpuedu.widths import count_each


@dataclass(frozen=True)
class Access:
    """One load, store or atomic of the source, summed over all warps of the launch.

    ``line`` is counted in the learner's cell, ``text`` is the expression as written and
    ``operation`` "load", "store" or "atomic". A request is a warp's execution with at least one
    active lane, ``lanes`` are its active lanes, ``excess_sectors`` those beyond the ideal, counted
    by warp. Sectors are of global memory, wavefronts of shared memory; the other is 0.
    ``same_address_lanes`` are, for an atomic, the lanes that meet on one address.
    """

    line: int
    text: str
    operation: str
    array: str
    itemsize: int = 4
    requests: int = 0
    lanes: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    excess_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    same_address_lanes: int = 0

    @property
    def conflicts(self) -> int:
        """Passes through the banks beyond those that the same lanes need at best."""
        return self.wavefronts - self.ideal_wavefronts

    @property
    def excess(self) -> int:
        """What it costs beyond the ideal, in the unit of its memory."""
        return self.excess_sectors + self.conflicts

    @property
    def sectors_per_request(self) -> float:
        """Sectors of a warp's access on average; 4 for 32 neighbors of 4 bytes, 32 at worst."""
        return self.sectors / max(self.requests, 1)

    @property
    def wavefronts_per_request(self) -> float:
        """Passes through the banks that a warp's access takes on average."""
        return self.wavefronts / max(self.requests, 1)

    @property
    def told(self) -> str:
        """Where it stands in the learner's cell.

        >>> Access(4, "b[i]", "store", "b").told
        'the store `b[i]` on line 4'
        """
        return f"the {self.operation} `{self.text}` on line {self.line}"


@dataclass(frozen=True)
class Traffic:
    """Some accesses of a launch with their sums: all to one array, or all to shared memory."""

    accesses: tuple[Access, ...] = ()

    def of(self, *operations: str) -> Traffic:
        """Only the loads, stores or atomics among them.

        >>> both = Traffic((Access(1, "a[i]", "load", "a"), Access(1, "a[i]", "store", "a")))
        >>> [access.operation for access in both.of("store", "atomic").accesses]
        ['store']
        """
        return Traffic(tuple(one for one in self.accesses if one.operation in operations))

    @property
    def requests(self) -> int:
        """Accesses of a warp with at least one active lane."""
        return sum(one.requests for one in self.accesses)

    @property
    def lanes(self) -> int:
        """Accesses of single threads."""
        return sum(one.lanes for one in self.accesses)

    @property
    def sectors(self) -> int:
        """Sectors of 32 bytes that were asked for: traffic with the L1 cache."""
        return sum(one.sectors for one in self.accesses)

    @property
    def ideal_sectors(self) -> int:
        """Sectors that the same warps' active lanes would need at best."""
        return sum(one.ideal_sectors for one in self.accesses)

    @property
    def sectors_ratio(self) -> float:
        """Sectors in units of the ideal, at least 1; shared addresses make up for nothing.

        A request of a single lane is ideal with its one sector: ``used_share`` sees that, too.
        """
        ideal = self.ideal_sectors
        excess = sum(one.excess_sectors for one in self.accesses)
        return (ideal + excess) / ideal if ideal else 1.0

    @property
    def used_share(self) -> float:
        """Bytes that threads asked for, of the bytes in the sectors that came for them.

        1 where every sector is used in full; above 1 where threads of a warp share addresses.
        """
        return self.asked_bytes / (self.sectors * SECTOR_BYTES) if self.sectors else 1.0

    @property
    def asked_bytes(self) -> int:
        """Bytes that threads asked for, each as often as it was asked for."""
        return sum(one.lanes * one.itemsize for one in self.accesses if one.sectors)

    @property
    def wasted_bytes(self) -> int:
        """Bytes in the sectors that came beyond those; below 0 where threads share addresses."""
        return self.sectors * SECTOR_BYTES - self.asked_bytes

    @property
    def wavefronts(self) -> int:
        """Passes through the 32 banks of shared memory."""
        return sum(one.wavefronts for one in self.accesses)

    @property
    def conflicts(self) -> int:
        """Passes beyond those that the same lanes need at best."""
        return sum(one.conflicts for one in self.accesses)

    @property
    def same_address_lanes(self) -> float:
        """Lanes that meet on one address in a warp's atomic, on average; 1 without contention."""
        atomics = self.of("atomic")
        met = sum(one.same_address_lanes for one in atomics.accesses)
        return met / atomics.requests if atomics.requests else 1.0

    @property
    def worst(self) -> Access | None:
        """The access with the most sectors or passes beyond its ideal; None where there is none."""
        costly = [one for one in self.accesses if one.excess > 0]
        return max(costly, key=lambda one: one.excess, default=None)

    @property
    def least_used(self) -> Access | None:
        """The access whose sectors bring the most bytes that nobody asked for."""
        wasted = [(one.sectors * SECTOR_BYTES - one.lanes * one.itemsize) for one in self.accesses]
        if max(wasted, default=0) <= 0:
            return None
        return self.accesses[wasted.index(max(wasted))]


def array_traffic(trace: Trace, position: int) -> list[str]:
    """All accesses to one array in global memory, as plain values; ``read_traffic`` reads them.

    Args:
        trace: The account of a launch.
        position: Which argument of the kernel the array is, from 0.
    """
    name = trace.launch.arguments[position].name
    return _plain(site for site in trace.sites if site.array == name and site.space is Space.GLOBAL)


def shared_traffic(trace: Trace) -> list[str]:
    """All accesses to shared memory, to whichever array, as plain values."""
    return _plain(site for site in trace.sites if site.space is Space.SHARED)


def read_traffic(plain: Sequence[str]) -> Traffic:
    """The accesses that ``array_traffic`` or ``shared_traffic`` made plain.

    >>> read_traffic(['{"line": 2, "text": "a[i]", "operation": "load", "array": "a"}']).requests
    0
    """
    return Traffic(tuple(Access(**json.loads(one)) for one in plain))


def loads_by_block(trace: Trace, position: int, size: int) -> np.ndarray:
    """How often each block loaded each element of an array; an atomic loads it, too.

    Args:
        trace: The account of a launch, with all its blocks watched.
        position: Which argument of the kernel the array is, from 0.
        size: Its elements, which are counted in memory order.

    Returns:
        (blocks, size) int64.

    Raises:
        TruncatedError: A launch that came to its end made more accesses than are kept one by one:
            a judge would count too few. (Of one that was stopped, it counts what was kept.)
    """
    require_all_kept(trace)
    name = trace.launch.arguments[position].name
    loads = [
        number
        for number, site in enumerate(trace.sites)
        if site.array == name
        and site.space is Space.GLOBAL
        and site.operation is not Operation.STORE
    ]
    events = trace.events
    rows = np.flatnonzero(np.isin(events.site, loads))
    element = events.element[rows]
    block = np.broadcast_to(events.block[rows].astype(np.int64)[:, None], element.shape)
    active = element >= 0
    flat = block[active] * size + element[active]
    counted = count_each(flat, minlength=trace.launch.blocks * size)
    return counted.reshape(trace.launch.blocks, size)


def handed_on(trace: Trace) -> int:
    """How often a thread took from shared memory what another one put there, or added to.

    Counted in the first watched block, as far as its accesses are kept. Without it threads do not
    work together: no barrier is needed then, and a place in shared memory is as good as a variable.
    """
    events = trace.events
    arrays = list(dict.fromkeys(one.array for one in trace.sites if one.space is Space.SHARED))
    number = [arrays.index(one.array) if one.array in arrays else 0 for one in trace.sites]
    kinds = [one.operation if one.space is Space.SHARED else None for one in trace.sites]
    rows = np.flatnonzero(events.block == events.block.min(initial=0))
    element, site = events.element[rows], events.site[rows]
    size = 1 + element.max(initial=0)
    place = (np.array(number, np.int64)[site] * size)[:, None] + element
    thread = WARP_SIZE * events.warp[rows].astype(np.int64)[:, None] + np.arange(WARP_SIZE)
    is_load, is_store, is_atomic = (
        (np.array([one is kind for one in kinds], bool)[site][:, None] & (element >= 0))
        for kind in (Operation.LOAD, Operation.STORE, Operation.ATOMIC)
    )
    used = is_load | is_store | is_atomic
    # By place, and there in the order of execution: in front of a load is what it takes.
    order = np.argsort(place[used], kind="stable")
    places, threads, loads = (one[used][order] for one in (place, thread, is_load))
    put = np.maximum.accumulate(np.where(loads, -1, np.arange(len(loads))))
    taken = loads & (put >= 0) & (places[put] == places) & (threads[put] != threads)
    adders = np.unique(np.stack([place[is_atomic], thread[is_atomic]]), axis=1)[0]
    added_to = np.unique(adders[1:][adders[1:] == adders[:-1]])
    return int((taken | (loads & np.isin(places, added_to))).sum())


def _plain(sites: Iterable[AccessSite]) -> list[str]:
    return [json.dumps(asdict(_access(site))) for site in sites]


def _access(site: AccessSite) -> Access:
    return Access(
        line=site.place.line,
        text=site.text,
        operation=str(site.operation),
        array=site.array,
        itemsize=site.itemsize,
        requests=int(site.requests.sum()),
        lanes=int(site.lanes.sum()),
        sectors=int(site.sectors.sum()),
        ideal_sectors=int(site.ideal_sectors.sum()),
        excess_sectors=int(np.maximum(site.sectors - site.ideal_sectors, 0).sum()),
        wavefronts=int(site.wavefronts.sum()),
        ideal_wavefronts=int(site.ideal_wavefronts.sum()),
        same_address_lanes=int(site.same_address_lanes.sum()),
    )
