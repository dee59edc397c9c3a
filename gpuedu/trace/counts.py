"""Counts of a trace, added up over warps, for an access site, a line, or the whole launch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np

from gpuedu.trace.records import AccessSite, LineCount, Operation, Space

SECTOR_BYTES = 32


@dataclass(frozen=True)
class Counts:
    """Sums over warps. Adding two adds every field.

    Args:
        executions: Times a warp ran a line of source with at least one active lane.
        lanes: Active lanes over those times.
        flop: Floating-point operations.
        global_requests: Warp accesses to global memory (loads, stores and atomics).
        shared_requests: Warp accesses to shared memory.
        atomic_requests: Those of either kind that are atomic.
        sectors: 32-byte sectors of global memory requested: traffic with the L1 cache.
        ideal_sectors: Sectors that the same active lanes need at best.
        excess_sectors: Sectors beyond the ideal. A warp and site whose lanes share addresses needs
            fewer than the ideal; it does not make up for another that needs more.
        wavefronts: Passes through the banks of shared memory.
        ideal_wavefronts: Passes that the same active lanes need at best.
        same_address_lanes: For atomics, lanes that meet on one address, over requests.
        global_bytes: Bytes that lanes requested from global memory.
        shared_bytes: Bytes that lanes requested from shared memory.
    """

    executions: int = 0
    lanes: int = 0
    flop: int = 0
    global_requests: int = 0
    shared_requests: int = 0
    atomic_requests: int = 0
    sectors: int = 0
    ideal_sectors: int = 0
    excess_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    same_address_lanes: int = 0
    global_bytes: int = 0
    shared_bytes: int = 0

    def __add__(self, other: Counts) -> Counts:
        sums = (getattr(self, f.name) + getattr(other, f.name) for f in fields(self))
        return Counts(*sums)

    @property
    def requests(self) -> int:
        """Requests to global and shared memory; constants and registers are not counted."""
        return self.global_requests + self.shared_requests

    @property
    def conflicts(self) -> int:
        """Wavefronts beyond the ideal."""
        return self.wavefronts - self.ideal_wavefronts

    @property
    def sector_bytes(self) -> int:
        """Bytes between the L1 cache and the threads' side: whole sectors."""
        return self.sectors * SECTOR_BYTES

    @property
    def sectors_ratio(self) -> float:
        """Sectors requested in units of the ideal, at least 1 (1 if there is no traffic).

        >>> Counts(sectors=32, ideal_sectors=4, excess_sectors=28).sectors_ratio
        8.0
        """
        if not self.ideal_sectors:
            return 1.0
        return (self.ideal_sectors + self.excess_sectors) / self.ideal_sectors

    @property
    def wavefronts_ratio(self) -> float:
        """Wavefronts in units of the ideal (1 if there is no traffic)."""
        return self.wavefronts / self.ideal_wavefronts if self.ideal_wavefronts else 1.0

    @property
    def mean_lanes(self) -> float:
        """Active lanes each time a warp runs a line, of 32; 0 if nothing ran."""
        return self.lanes / self.executions if self.executions else 0.0


def count_site(site: AccessSite) -> Counts:
    """The sums of one load, store or atomic."""
    requests = int(site.requests.sum())
    size_bytes = int(site.lanes.sum()) * site.itemsize
    is_global, is_shared = site.space is Space.GLOBAL, site.space is Space.SHARED
    return Counts(
        global_requests=requests if is_global else 0,
        shared_requests=requests if is_shared else 0,
        atomic_requests=requests if site.operation is Operation.ATOMIC else 0,
        sectors=int(site.sectors.sum()),
        ideal_sectors=int(site.ideal_sectors.sum()),
        excess_sectors=int(np.maximum(site.sectors - site.ideal_sectors, 0).sum()),
        wavefronts=int(site.wavefronts.sum()),
        ideal_wavefronts=int(site.ideal_wavefronts.sum()),
        same_address_lanes=int(site.same_address_lanes.sum()),
        global_bytes=size_bytes if is_global else 0,
        shared_bytes=size_bytes if is_shared else 0,
    )


def count_line(line: LineCount, sites: Iterable[AccessSite] = ()) -> Counts:
    """The sums of one line with its access sites."""
    own = Counts(
        executions=int(line.executions.sum()),
        lanes=int(line.lanes.sum()),
        flop=sum(line.flop.values()),
    )
    return sum((count_site(site) for site in sites), own)
