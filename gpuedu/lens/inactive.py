"""Idle lanes: warps that run with few of them, blocks that do not fill their last warp."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuedu.lens.listing import two_sided_branches
from gpuedu.lens.packing import packings
from gpuedu.lens.report import Lens
from gpuedu.trace.records import WARP_SIZE, Finding, Launch, Level, LineCount

BUSY_SHARE = 0.5
PACKED_RATIO = 1.3
_WEIGHTY_SHARE = 0.05
_FILLED_SHARE = 0.75


def find_inactive_lanes(report: Lens) -> Iterator[Finding]:
    """Idle lanes, reported once: if few work in the whole launch, or if full warps would do less.

    A launch whose branches diverge with code on both sides is left to that finding.
    """
    lines = [line for line in report.trace.lines if line.executions.any()]
    existing = {line.place: _existing(report.trace.launch, line) for line in lines}
    if lines and report.totals.lanes < BUSY_SHARE * sum(existing.values()):
        worst = max(lines, key=lambda line: existing[line.place] - int(line.lanes.sum()))
        yield _few_lanes(report, worst, existing[worst.place])
        return
    if any(branch.divergent.any() for branch in two_sided_branches(report.trace)):
        return
    yield from _unpacked(report, lines)


def find_partial_warps(report: Lens) -> Iterator[Finding]:
    """A block whose size is not a multiple of 32: its last warp has lanes that do not exist."""
    launch = report.trace.launch
    rest = launch.threads_per_block % WARP_SIZE
    if not rest:
        return
    filled = launch.threads_per_block / (launch.warps_per_block * WARP_SIZE)
    whole = launch.warps_per_block * WARP_SIZE
    yield Finding(
        Level.NOTE if filled >= _FILLED_SHARE else Level.COST,
        "partial-warp",
        f"a block of {launch.threads_per_block} threads is {launch.warps_per_block} "
        f"{'warp' if launch.warps_per_block == 1 else 'warps'}, the last with {rest} of 32 lanes: "
        f"{1 - filled:.0%} of the lanes can never work",
        f"choose a multiple of 32 threads a block, such as {whole}, and guard the end of the array",
        count=launch.blocks,
    )


def _few_lanes(report: Lens, worst: LineCount, existing: int) -> Finding:
    runs, lanes = int(worst.executions.sum()), int(worst.lanes.sum())
    return Finding(
        Level.COST,
        "inactive-lanes",
        f"on average {report.totals.mean_lanes:.1f} of 32 lanes work; most idle here: "
        f"{lanes / runs:.1f} of 32 in {runs:,} runs",
        "give the idle threads a share of the work; or let the threads that work be neighbors, so "
        "that whole warps have nothing to do and are skipped",
        worst.place,
        count=existing - lanes,
    )


def _unpacked(report: Lens, lines: list[LineCount]) -> Iterator[Finding]:
    """The line at which full warps would spare the most runs, if that is worth telling."""
    found = packings(report.trace)
    counts = {line.place: line for line in lines}
    worthy = [
        place
        for place, packing in found.items()
        if packing.ratio >= PACKED_RATIO
        and counts[place].executions.sum() >= _WEIGHTY_SHARE * report.totals.executions
    ]
    if not worthy:
        return
    worst = max(worthy, key=lambda place: found[place].runs - found[place].packed_runs)
    line, packing = counts[worst], found[worst]
    runs, lanes = int(line.executions.sum()), int(line.lanes.sum())
    yield Finding(
        Level.COST,
        "inactive-lanes",
        f"{lanes / runs:.1f} of 32 lanes work here on average, scattered over the warps; with the "
        f"working lanes side by side, {packing.packed_runs:,} runs would do instead of "
        f"{packing.runs:,} (in the watched blocks)",
        "let the threads that work be neighbors (`t < s` rather than `t % (2 * s) == 0`), or give "
        "neighbors work of equal length",
        worst,
        count=WARP_SIZE * runs - lanes,
    )


def _existing(launch: Launch, line: LineCount) -> int:
    """Lanes that exist in the warps that ran the line, over its executions."""
    rest = launch.threads_per_block % WARP_SIZE or WARP_SIZE
    lanes = np.full(launch.warps_per_block, WARP_SIZE)
    lanes[-1] = rest
    return int((line.executions * np.tile(lanes, launch.blocks)).sum())
