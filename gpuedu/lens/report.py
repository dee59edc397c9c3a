"""The report on one launch, as records: totals, lines of source, access sites, findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpuedu.lens.fit import Fit
from gpuedu.syllabus import unknown
from gpuedu.trace.counts import SECTOR_BYTES, Counts
from gpuedu.trace.records import AccessSite, Finding, Level, Place, Space, Trace

if TYPE_CHECKING:
    from gpuedu.compilers.facts import CompiledFacts

PASS_BYTES = 128
"""What a pass through the 32 banks of an SM's memory can move: 4 bytes a bank."""

_SECTORS_A_PASS = PASS_BYTES // SECTOR_BYTES

SHOWN: dict[str, Callable[[Lens], str]] = {}
"""The functions that show a report, by form: ``gpuedu.lens.text`` and ``html`` enter theirs."""


@dataclass(frozen=True)
class SiteReport:
    """One load, store or atomic of the source, summed over warps."""

    site: AccessSite
    counts: Counts

    @property
    def requests(self) -> int:
        """Warp accesses, in whichever memory."""
        return int(self.site.requests.sum())

    @property
    def lanes_per_request(self) -> float:
        """Active lanes in an access, of 32."""
        return int(self.site.lanes.sum()) / max(self.requests, 1)

    @property
    def sectors_per_request(self) -> float:
        """Sectors of 32 bytes that an access asks for; 32 lanes of 4 bytes need 4."""
        return self.counts.sectors / max(self.requests, 1)

    @property
    def ideal_sectors_per_request(self) -> float:
        """Sectors that the same lanes need at best."""
        return self.counts.ideal_sectors / max(self.requests, 1)

    @property
    def wavefronts_per_request(self) -> float:
        """Passes through the banks of shared memory that an access takes."""
        return self.counts.wavefronts / max(self.requests, 1)

    @property
    def same_address_per_request(self) -> float:
        """Lanes that meet on one address in an atomic; 1 if each has its own."""
        return self.counts.same_address_lanes / max(self.requests, 1)


@dataclass(frozen=True)
class LineReport:
    """One line of source that ran, with its access sites.

    ``branch_executions`` counts conditions on the line, ``divergent`` those at which lanes of a
    warp went both ways.
    """

    place: Place
    text: str
    counts: Counts
    flop: Mapping[str, int] = field(default_factory=dict)
    sites: tuple[SiteReport, ...] = ()
    branch_executions: int = 0
    divergent: int = 0


@dataclass(frozen=True)
class Lens:
    """What a launch cost, counted. No time is in it: a count is the same on every machine.

    ``totals.sectors`` is traffic of the threads with the L1 cache; ``read_bytes`` and
    ``written_bytes`` count each sector of an array once, which is the least traffic with device
    memory that any cache could reach. A real launch is between the two, and a compiler may drop,
    merge or move loads that the source has.

    Args:
        trace: The account that this is read from.
        totals: Sums over the launch.
        flop: Floating-point operations by dtype.
        lines: Lines that ran, in order of the sources.
        sites: Loads, stores and atomics, in order of the sources.
        branch_executions: Conditions evaluated, by warp.
        divergent: Those at which lanes of a warp went both ways.
        read_bytes: Bytes of distinct sectors of global memory that were loaded.
        written_bytes: Bytes of distinct sectors that were stored.
        findings: What the machine and the lens found: hazards, then costs, then notes.
        occupancy: For each device asked for, what fits on one of its multiprocessors.
        compiled: What the real compiler says about the kernel, if it was asked.
    """

    trace: Trace = field(repr=False)
    totals: Counts
    flop: Mapping[str, int]
    lines: tuple[LineReport, ...] = field(repr=False)
    sites: tuple[SiteReport, ...] = field(repr=False)
    branch_executions: int
    divergent: int
    read_bytes: int
    written_bytes: int
    findings: tuple[Finding, ...] = ()
    occupancy: tuple[Fit, ...] = ()
    compiled: CompiledFacts | None = None

    @property
    def touched_bytes(self) -> int:
        """The least traffic with device memory: each sector read once and written once."""
        return self.read_bytes + self.written_bytes

    @property
    def efficiency(self) -> float:
        """Share of the requested sectors that well-placed lanes would need: 1 is best."""
        return 1 / self.totals.sectors_ratio

    @property
    def passes(self) -> int:
        """Passes through the data path that L1 cache and shared memory have in common.

        Shared memory takes one for each wavefront, a request to global memory one for every four
        sectors and at least one; ``gpuedu.lens.roofline.roofline_point`` has the source.
        """
        through_l1 = sum(
            max(found.requests, -(-found.counts.sectors // _SECTORS_A_PASS))
            for found in self.sites
            if found.site.space is Space.GLOBAL
        )
        return through_l1 + self.totals.wavefronts

    @property
    def intensity_l1(self) -> float | None:
        """FLOP for each byte of that data path, 128 a pass; None if there is no traffic."""
        return self.totals.flop / (PASS_BYTES * self.passes) if self.passes else None

    @property
    def intensity_memory(self) -> float | None:
        """FLOP for each byte of the least device-memory traffic; None if there is none."""
        return self.totals.flop / self.touched_bytes if self.touched_bytes else None

    @property
    def divergence(self) -> float:
        """Share of the conditions at which lanes of a warp went both ways, 0 to 1."""
        return self.divergent / self.branch_executions if self.branch_executions else 0.0

    def of(self, level: Level) -> tuple[Finding, ...]:
        """The findings of one level."""
        return tuple(found for found in self.findings if found.level is level)

    def line(self, number: int, function: str | None = None) -> LineReport:
        """The line with this number in its file or cell; UnknownNameError lists those that ran."""
        for line in self.lines:
            if line.place.line == number and function in (None, line.place.function):
                return line
        raise unknown("line that ran", str(number), (str(ran.place.line) for ran in self.lines))

    def array(self, name: str, space: Space | None = None) -> Counts:
        """Sums over the accesses to one array; UnknownNameError lists those that were accessed."""
        return sum((found.counts for found in self.sites_of(name, space)), Counts())

    def sites_of(self, name: str, space: Space | None = None) -> tuple[SiteReport, ...]:
        """The accesses to one array."""
        own = tuple(found for found in self.sites if found.site.array == name)
        if not own:
            raise unknown("array", name, _names(self.sites))
        return tuple(found for found in own if space in (None, found.site.space))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return SHOWN["text"](self)

    def _repr_html_(self) -> str:
        return SHOWN["html"](self)


def _names(sites: Iterable[SiteReport]) -> list[str]:
    return list(dict.fromkeys(found.site.array for found in sites))
