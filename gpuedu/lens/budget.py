"""Single numbers of a report that a judge holds against gold, silver and bronze.

Each is a plain ``int`` or ``float`` and less is better, unless its name says otherwise. An array
goes by the name that the kernel gives it; one that the kernel never accessed raises
``UnknownNameError``, so that a budget cannot be met by not doing the work under another name.
"""

from __future__ import annotations

from gpuedu.lens.report import Lens, SiteReport
from gpuedu.syllabus import unknown
from gpuedu.trace.counts import SECTOR_BYTES, Counts
from gpuedu.trace.records import ArrayUse, Level, Operation, Space


def sectors_ratio(report: Lens, array: str | None = None) -> float:
    """Sectors of global memory requested, in units of what the same lanes need at best.

    1 is ideal; 8 for a stride of 8 float32. Lanes that share an address need fewer than the ideal,
    and that does not make up for excess elsewhere, so that the least is 1.
    """
    return _counts(report, array).sectors_ratio


def sectors(report: Lens, array: str | None = None) -> int:
    """Sectors of global memory requested: traffic with the L1 cache in units of 32 bytes."""
    return _counts(report, array).sectors


def sectors_per_request(report: Lens, array: str | None = None) -> float:
    """Sectors in a warp's access, on average; 4 for 32 neighbouring float32, 32 at worst."""
    counts = _counts(report, array)
    return counts.sectors / counts.global_requests if counts.global_requests else 0.0


def conflicts(report: Lens, array: str | None = None) -> int:
    """Passes through the banks of shared memory beyond those that the lanes need at best."""
    return _counts(report, array).conflicts


def wavefronts_ratio(report: Lens, array: str | None = None) -> float:
    """Passes through the banks in units of the best: 1 without conflict, 32 at worst."""
    return _counts(report, array).wavefronts_ratio


def reads_once(report: Lens, array: str) -> float:
    """How often a sector of a global array is loaded, on average over those that are loaded.

    1 where each is asked for once. It counts requests of warps: two warps that read the same sector
    count twice, though a cache may serve the second.
    """
    use = _use(report, array)
    loads = _of(report, array, Operation.LOAD)
    return _ratio(sum(found.counts.sectors for found in loads) * SECTOR_BYTES, use.read_bytes)


def writes_once(report: Lens, array: str) -> float:
    """How often a sector of a global array is stored, on average over those that are stored."""
    use = _use(report, array)
    stores = _of(report, array, Operation.STORE)
    return _ratio(sum(found.counts.sectors for found in stores) * SECTOR_BYTES, use.written_bytes)


def loads_per_element(report: Lens, array: str) -> float:
    """Loads by lanes for each element that the array has; 1 where every element is read once."""
    use = _use(report, array)
    loads = _of(report, array, Operation.LOAD)
    return _ratio(sum(found.counts.global_bytes for found in loads), use.size_bytes)


def divergence(report: Lens) -> float:
    """Share of conditions at which lanes of a warp go both ways, 0 to 1."""
    return report.divergence


def active_lanes(report: Lens) -> float:
    """Active lanes of 32 each time a warp runs a line, on average; more is better."""
    return report.totals.mean_lanes


def atomics(report: Lens, space: Space | str | None = None) -> int:
    """Lanes that do an atomic, in one memory or in all."""
    return sum(int(found.site.lanes.sum()) for found in _atomics(report, space))


def same_address_lanes(report: Lens, space: Space | str | None = None) -> float:
    """Lanes that meet on one address in a warp's atomic, on average; 1 without contention."""
    found = _atomics(report, space)
    requests = sum(one.requests for one in found)
    return sum(one.counts.same_address_lanes for one in found) / requests if requests else 1.0


def flop(report: Lens, dtype: str | None = None) -> int:
    """Floating-point operations, of one dtype or of all."""
    return report.flop.get(dtype, 0) if dtype else report.totals.flop


def touched_bytes(report: Lens) -> int:
    """The least traffic with device memory: each sector read once and written once."""
    return report.touched_bytes


def barriers(report: Lens) -> int:
    """Barriers that the busiest block passes."""
    arrivals = [barrier.arrivals for barrier in report.trace.barriers]
    return int(sum(arrivals).max()) if arrivals else 0


def hazards(report: Lens, kind: str | None = None) -> int:
    """Findings that make the kernel wrong or unsafe, of one kind or of all."""
    return sum(kind in (None, found.kind) for found in report.of(Level.HAZARD))


def _counts(report: Lens, array: str | None) -> Counts:
    return report.totals if array is None else report.array(array)


def _use(report: Lens, array: str) -> ArrayUse:
    uses = {use.array: use for use in report.trace.arrays if use.space is Space.GLOBAL}
    if array not in uses:
        raise unknown("array in global memory", array, uses)
    return uses[array]


def _of(report: Lens, array: str, operation: Operation) -> list[SiteReport]:
    own = report.sites_of(array, Space.GLOBAL)
    return [found for found in own if found.site.operation in (operation, Operation.ATOMIC)]


def _atomics(report: Lens, space: Space | str | None) -> list[SiteReport]:
    return [
        found
        for found in report.sites
        if found.site.operation is Operation.ATOMIC and space in (None, found.site.space)
    ]


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
