"""The same counts warp by warp: which warp does the most, and how uneven the load is."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from gpuedu.syllabus import unknown
from gpuedu.trace.records import Place, Space, Trace


@dataclass(frozen=True)
class Warp:
    """One warp with a count: ``block`` is (x, y, z), ``warp`` its number within the block."""

    block: tuple[int, int, int]
    warp: int
    value: int


@dataclass(frozen=True)
class WarpCosts:
    """Counts of each warp, in order of block, then warp of the block; each is (W,) int64."""

    trace: Trace
    executions: np.ndarray
    lanes: np.ndarray
    requests: np.ndarray
    sectors: np.ndarray
    excess_sectors: np.ndarray
    wavefronts: np.ndarray
    conflicts: np.ndarray
    divergent: np.ndarray

    def worst(self, measure: str = "sectors") -> Warp:
        """The first warp with the most of a measure; UnknownNameError with the measures."""
        values = self._of(measure)
        index = int(np.argmax(values))
        block, warp = divmod(index, self.trace.launch.warps_per_block)
        return Warp(block_index(self.trace, block), warp, int(values[index]))

    def _of(self, measure: str) -> np.ndarray:
        known = [f.name for f in fields(self) if f.name != "trace"]
        if measure not in known:
            raise unknown("measure", measure, known)
        return getattr(self, measure)


def by_warp(trace: Trace, place: Place | None = None) -> WarpCosts:
    """Counts by warp, of the whole launch or of one line.

    Args:
        trace: The account of a launch with W warps.
        place: A line; all lines by default.
    """
    lines = [line for line in trace.lines if place in (None, line.place)]
    sites = [site for site in trace.sites if place in (None, site.place)]
    branches = [branch for branch in trace.branches if place in (None, branch.place)]
    in_memory = [site for site in sites if site.space in (Space.GLOBAL, Space.SHARED)]
    zero = np.zeros(trace.launch.warps, np.int64)
    return WarpCosts(
        trace,
        executions=sum((line.executions for line in lines), zero),
        lanes=sum((line.lanes for line in lines), zero),
        requests=sum((site.requests for site in in_memory), zero),
        sectors=sum((site.sectors for site in sites), zero),
        excess_sectors=sum((np.maximum(s.sectors - s.ideal_sectors, 0) for s in sites), zero),
        wavefronts=sum((site.wavefronts for site in sites), zero),
        conflicts=sum((site.wavefronts - site.ideal_wavefronts for site in sites), zero),
        divergent=sum((branch.divergent for branch in branches), zero),
    )


def block_index(trace: Trace, block: int) -> tuple[int, int, int]:
    """A linear block's index (x, y, z); x runs fastest."""
    x, y, _ = trace.launch.grid
    return block % x, block // x % y, block // (x * y)
