"""The report as plain text: the totals, what was found, and a table by source line."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from gpuedu.lens.compiled import compiled_summary
from gpuedu.lens.listing import source_lines
from gpuedu.lens.report import SHOWN, Lens, LineReport
from gpuedu.trace.records import Finding, Level, Place
from gpuedu.units import format_size

HEADINGS = ("line", "source", "runs", "lanes", "requests", "sectors", "wavefronts", "FLOP")
_SOURCE_WIDTH, _WIDTH = 46, 100


def to_text(report: Lens) -> str:
    """Everything that a terminal shows from a report."""
    out = [title(report)]
    out += [f"  {name:<14} {text}" for name, text in summary(report)]
    for found in report.findings:
        out += _wrapped(f"  {found.level}: {_where(found)}{said(found)}.", f"Try: {found.remedy}.")
    return "\n".join([*out, "", *_table(rows(report))])


SHOWN["text"] = to_text


def title(report: Lens) -> str:
    """The launch in one line."""
    launch = report.trace.launch
    warps = _many(launch.warps_per_block, "warp")
    return (
        f"{launch.kernel}: {_many(launch.blocks, 'block')} of "
        f"{_many(launch.threads_per_block, 'thread')} ({warps} each); counted, not timed"
        f"{'' if report.trace.complete else '; stopped early, counts cover what ran until then'}"
    )


def summary(report: Lens) -> list[tuple[str, str]]:
    """The launch's totals as (name, sentence); what did not happen is left out."""
    totals, found = report.totals, []
    if totals.global_requests:
        found.append(
            (
                "global memory",
                f"{_many(totals.global_requests, 'request')}, {_many(totals.sectors, 'sector')} of "
                f"32 bytes{_times_ideal(totals.sectors_ratio)}",
            )
        )
        found.append(
            (
                "touched",
                f"{format_size(report.read_bytes)} read, {format_size(report.written_bytes)} "
                "written, each sector counted once",
            )
        )
    if totals.shared_requests:
        found.append(
            (
                "shared memory",
                f"{_many(totals.shared_requests, 'request')}, "
                f"{_many(totals.wavefronts, 'wavefront')}, {totals.conflicts:,} of them conflicts",
            )
        )
    if totals.atomic_requests:
        found.append(("atomics", _atomics(report)))
    if totals.flop:
        found.append(("arithmetic", _arithmetic(report)))
    split = f"; {report.divergent:,} of {_many(report.branch_executions, 'branch')} divergent"
    is_split = bool(report.branch_executions)
    found.append(
        ("lanes", f"{totals.mean_lanes:.1f} of 32 active on average{split if is_split else ''}")
    )
    found += [("occupancy", str(fits)) for fits in report.occupancy]
    if report.compiled is not None:
        found.append(("compiled", compiled_summary(report.compiled)))
    return found


def rows(report: Lens) -> list[tuple[Place, str, tuple[str, ...]]]:
    """Every line of the sources with its cells, empty where nothing was counted."""
    launch, counted = report.trace.launch, {line.place: line for line in report.lines}
    ran = {line.place.function for line in report.lines}
    return [
        (place, text, _cells(counted.get(place)))
        for source in launch.sources
        if source.function in ran or source is launch.sources[0]
        for place, text in source_lines(source)
    ]


def _cells(line: LineReport | None) -> tuple[str, ...]:
    if line is None:
        return ("",) * 6
    counts = line.counts
    return (
        _count(counts.executions),
        f"{counts.mean_lanes:.1f}" if counts.executions else "",
        _count(counts.requests),
        _pair(counts.sectors, counts.ideal_sectors),
        _pair(counts.wavefronts, counts.ideal_wavefronts),
        _count(counts.flop),
    )


def _count(value: int) -> str:
    return f"{value:,}" if value else ""


def _pair(value: int, ideal: int) -> str:
    return f"{value:,} ({ideal:,})" if value or ideal else ""


def _table(lines: Sequence[tuple[Place, str, tuple[str, ...]]]) -> list[str]:
    body = [(str(place.line), _cut(text), *cells) for place, text, cells in lines]
    second = ("", "", "by warps", "of 32", "", "(ideal)", "(ideal)", "")
    grid = [HEADINGS, second, *body]
    widths = [max(len(row[column]) for row in grid) for column in range(len(HEADINGS))]
    out = []
    for row in grid:
        cells = [
            cell.ljust(width) if column == 1 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        out.append("  ".join(cells).rstrip())
    return out


def _cut(text: str) -> str:
    return text if len(text) <= _SOURCE_WIDTH else text[: _SOURCE_WIDTH - 3] + "..."


def _arithmetic(report: Lens) -> str:
    kinds = ", ".join(f"{count:,} in {dtype}" for dtype, count in sorted(report.flop.items()))
    per = []
    if report.intensity_l1 is not None:
        per.append(f"{report.intensity_l1:.3g} through L1 and shared memory")
    if report.intensity_memory is not None:
        per.append(f"{report.intensity_memory:.3g} touched in device memory")
    each = f"; for each byte {', '.join(per)}" if per else ""
    return f"{report.totals.flop:,} FLOP ({kinds}){each}"


def _atomics(report: Lens) -> str:
    parts = []
    for space in ("global", "shared"):
        own = [f for f in report.sites if f.counts.atomic_requests and f.site.space == space]
        requests = sum(found.requests for found in own)
        if requests:
            meeting = sum(found.counts.same_address_lanes for found in own) / requests
            parts.append(
                f"{_many(requests, 'request')} to {space} memory, {meeting:.1f} lanes on one "
                "address at worst"
            )
    return "; ".join(parts)


def _times_ideal(ratio: float) -> str:
    return f", {ratio:.3g} times what its lanes need" if ratio > 1.005 else ", no more than needed"


def _where(found: Finding) -> str:
    return f"line {found.place.line}: " if found.place else ""


def _wrapped(text: str, remedy: str) -> list[str]:
    out = textwrap.wrap(text, _WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    more = {"initial_indent": "    ", "subsequent_indent": "    "}
    return out + textwrap.wrap(remedy, _WIDTH, break_on_hyphens=False, **more)


def _many(count: int, noun: str) -> str:
    """A count with its noun.

    >>> _many(1, "warp"), _many(2048, "branch")
    ('1 warp', '2,048 branches')
    """
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun}{'es' if noun.endswith('ch') else 's'}"


def said(found: Finding) -> str:
    """What was found and, for a hazard, how often if more than once.

    >>> said(Finding(Level.HAZARD, "data-race", "two threads meet", "wait", count=28))
    'two threads meet. This happened 28 times'
    """
    if found.level is not Level.HAZARD or found.count < 2:
        return found.message
    return f"{found.message}. This happened {found.count:,} times"


def level_words(level: Level) -> str:
    """A level as a reader sees it; never color alone."""
    return {Level.HAZARD: "⚠ hazard", Level.COST: "cost", Level.NOTE: "note"}[level]
