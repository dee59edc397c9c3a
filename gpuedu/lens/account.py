"""From a trace to the report: sums by site, by line and for the launch, and what they show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gpuedu.lens.findings import derive
from gpuedu.lens.fit import Fit, occupancy_by_device
from gpuedu.lens.listing import line_texts
from gpuedu.lens.report import Lens, LineReport, SiteReport
from gpuedu.trace.counts import Counts, count_line, count_site
from gpuedu.trace.records import Level, LineCount, Place, Space, Trace

if TYPE_CHECKING:
    from gpuedu.compilers.facts import CompiledFacts

_ORDER = list(Level)


def lens(
    trace: Trace,
    *,
    compiled: CompiledFacts | None = None,
    occupancy: Sequence[Fit] | None = None,
) -> Lens:
    """Read a trace: what the launch cost, where, and what to do about it.

    Args:
        trace: The account of a launch.
        compiled: Facts of the real compiler about the kernel, to be shown beside the counts.
        occupancy: What fits on a multiprocessor, as ``occupancy_by_device`` gives it. By default it
            is computed from the registers and shared memory in ``compiled``, if that is given.

    Returns:
        The report. ``str`` of it is a table by source line; a notebook shows it as HTML.
    """
    if occupancy is None and compiled:
        occupancy = occupancy_by_device(
            trace, compiled.registers, shared_bytes=compiled.shared_bytes
        )
    sites = tuple(
        SiteReport(site, count_site(site)) for site in sorted(trace.sites, key=_by_place(trace))
    )
    lines = tuple(_lines(trace, sites))
    on_device = [use for use in trace.arrays if use.space is Space.GLOBAL]
    report = Lens(
        trace=trace,
        totals=sum((line.counts for line in lines), Counts()),
        flop=dict(sum((Counter(line.flop) for line in lines), Counter())),
        lines=lines,
        sites=sites,
        branch_executions=sum(line.branch_executions for line in lines),
        divergent=sum(line.divergent for line in lines),
        read_bytes=sum(use.read_bytes for use in on_device),
        written_bytes=sum(use.written_bytes for use in on_device),
        findings=trace.findings,
        compiled=compiled,
        occupancy=tuple(occupancy or ()),
    )
    return _with_findings(report)


def _with_findings(report: Lens) -> Lens:
    found = [*report.findings, *derive(report)]
    return replace(report, findings=tuple(sorted(found, key=lambda f: _ORDER.index(f.level))))


def _lines(trace: Trace, sites: Sequence[SiteReport]) -> list[LineReport]:
    """The lines that ran; a place with accesses or branches but no count of its own is one too."""
    texts = line_texts(trace.launch)
    counted = {line.place: line for line in trace.lines}
    places = {*counted, *(s.site.place for s in sites), *(b.place for b in trace.branches)}
    return [
        _line(place, counted.get(place), texts.get(place, ""), trace, sites)
        for place in sorted(places, key=lambda place: _rank(trace, place))
    ]


def _line(
    place: Place,
    count: LineCount | None,
    text: str,
    trace: Trace,
    sites: Sequence[SiteReport],
) -> LineReport:
    own = tuple(found for found in sites if found.site.place == place)
    branches = [branch for branch in trace.branches if branch.place == place]
    counts = sum((found.counts for found in own), count_line(count) if count else Counts())
    return LineReport(
        place,
        text,
        counts,
        dict(count.flop) if count else {},
        own,
        sum(int(branch.executions.sum()) for branch in branches),
        sum(int(branch.divergent.sum()) for branch in branches),
    )


def _by_place(trace: Trace) -> Any:
    return lambda site: (*_rank(trace, site.place), site.column)


def _rank(trace: Trace, place: Place) -> tuple[int, int]:
    """The kernel's lines first, then its device functions', each from top to bottom."""
    functions = [source.function for source in trace.launch.sources]
    known = functions.index(place.function) if place.function in functions else len(functions)
    return known, place.line
