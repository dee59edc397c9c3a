"""Loops that wait for their data, on simulated timelines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpuedu.clock import Loading, Timeline, simulate_loading
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lanes
from gpuedu.units import MS

IDLE = Loading(read_s=6 * MS, decode_s=8 * MS, copy_s=1 * MS, step_s=5 * MS)
"""The loop that the lesson opens with; round numbers, not measured."""


def draw_idle() -> Any:
    """Four steps of a loop that does one thing after the other."""
    timeline = _numbered(simulate_loading(IDLE, 0, batches=4).timeline)
    busy = timeline.busy_s("compute") / timeline.end_s
    caption = Caption(
        title=f"The device computes for {100 * busy:.0f}% of the time",
        x="simulated time",
        source="Simulated: read 6 ms, decode 8 ms, copy 1 ms, step 5 ms, one after the other.",
        alt="Timeline of four steps. The main process reads, decodes and copies a batch for 15 ms; "
        f"then the device computes for 5 ms. It is idle for {100 - 100 * busy:.0f}% of the time.",
    )
    return plot_lanes(timeline, caption=caption, lanes=("main", "compute"))


def _numbered(timeline: Timeline) -> Timeline:
    """The work called what it is here, and every bar labeled with the number of its batch."""
    return Timeline.of(
        replace(
            one,
            kind="decode" if one.kind == "work" else one.kind,
            label=one.label.removeprefix("batch "),
        )
        for one in timeline.intervals
    )
