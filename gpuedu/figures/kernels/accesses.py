"""Which lane touches which element: a warp's requests laid out over rows of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import (
    FETCHED,
    draw_cell,
    label,
    lane_text,
    lay_out,
    sheet,
    shorten,
    warp_color,
    wrap,
    write,
)
from gpuedu.lens.requests import NothingWatchedError, Request, find_requests, find_sites
from gpuedu.lens.rows import ElementRow, memory_rows
from gpuedu.trace.records import AccessSite, Operation, Place, Space, Trace

COUNTED = "Counted from the kernel's accesses, not timed."
_LEFT, _COLUMNS, _GAP = 6.2, 32, 0.9
_MOST_ROWS = 8
_DOES = {
    Operation.LOAD: "read",
    Operation.STORE: "written",
    Operation.ATOMIC: "updated atomically",
}


@dataclass(frozen=True)
class _Strip:
    """The requests of one access, one for each warp that is shown, and the rows they touch."""

    requests: tuple[Request, ...]
    rows: tuple[ElementRow, ...]
    shape: tuple[int, ...]

    @property
    def is_global(self) -> bool:
        """True if whole sectors are fetched."""
        return self.requests[0].site.space is Space.GLOBAL

    @property
    def shown(self) -> tuple[ElementRow, ...]:
        """The rows that are drawn: all, or the first ones of each warp."""
        if len(self.rows) <= _MOST_ROWS + 1:
            return self.rows
        share = max(1, _MOST_ROWS // len(self.requests))
        own: dict[int, list[ElementRow]] = {}
        for row in self.rows:
            first = min(occupants[0].warp for occupants in row.lanes.values())
            own.setdefault(first, []).append(row)
        kept = {row.first for rows in own.values() for row in rows[:share]}
        return tuple(row for row in self.rows if row.first in kept)

    @property
    def height(self) -> float:
        """Rows of the sheet that the strip takes, its title and gaps included."""
        gaps = sum(0.6 for a, b in zip(self.shown, self.shown[1:], strict=False) if _is_apart(a, b))
        return 1.4 + len(self.shown) + gaps + (1.0 if len(self.shown) < len(self.rows) else 0.0)


def plot_accesses(
    trace: Trace,
    at: int | str | Place | AccessSite,
    *,
    warps: Sequence[int] = (0,),
    block: int | None = None,
    occurrence: int = 0,
    with_lines: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the elements that the lanes of one or more warps touch, one strip per access.

    A row is 128 bytes of memory in four sectors of 32 bytes. A colored cell carries the lane that
    touches it; a gray one is in the same sector, and a load fetches it too.

    Args:
        trace: The account of a launch, with watched accesses.
        at: A line, the text of an access, the name of an array, a place or a site.
        warps: Warps of the block; each has a color.
        block: A watched block; the first by default.
        occurrence: Which execution of the access, from 0 (loops have many).
        with_lines: Whether line numbers are shown; not if the reader has no source to see.
        ax: where to draw; a new figure by default.

    Raises:
        UnknownNameError: Nothing accesses memory there.
        NothingWatchedError: No such request was kept.
    """
    block = trace.watched[0] if block is None else block
    strips = _strips(trace, at, warps, block, occurrence)
    height = sum(strip.height + _GAP for strip in strips) - _GAP + (1.2 if len(warps) > 1 else 0)
    ax = sheet(height, _COLUMNS, _LEFT) if ax is None else lay_out(ax, height, _COLUMNS, _LEFT)
    top = 0.0
    if len(warps) > 1:
        _draw_keys(ax, warps)
        top = 1.2
    for strip in strips:
        _draw_strip(ax, strip, top, with_lines)
        top += strip.height + _GAP
    launch = trace.launch
    return write_caption(
        ax,
        Caption(
            title=f"{launch.kernel}: who touches what",
            alt=_alt(strips, with_lines),
            source=f"{wrap(_explain(strips))}\n{COUNTED} Block {block}.",
        ),
    )


def _strips(
    trace: Trace,
    at: int | str | Place | AccessSite,
    warps: Sequence[int],
    block: int,
    occurrence: int,
) -> list[_Strip]:
    shapes = {use.array: use.shape for use in trace.arrays}
    strips = []
    asked = find_requests(trace, at, block=block)
    for site in find_sites(trace, at):
        found = []
        for warp in warps:
            own = [r for r in asked if r.site is site and r.warp == warp]
            found += own[min(occurrence, len(own) - 1) :][:1]
        if found:
            requests = tuple(found)
            strips.append(_Strip(requests, memory_rows(requests), shapes.get(site.array, ())))
    if not strips:
        raise NothingWatchedError(
            f"warp {warps[0]} of block {block} makes no access at {at!r}",
            remedy=f"one of the warps {sorted({request.warp for request in asked})}",
        )
    return strips


def _draw_strip(ax: Axes, strip: _Strip, top: float, with_lines: bool) -> None:
    site = strip.requests[0].site
    place = f"line {site.place.line}:  " if with_lines else ""
    text = f"{place}{shorten(site.text)}"
    write(ax, -_LEFT + 0.1, top + 0.4, text, size_pt=10, family="monospace")
    write(ax, _COLUMNS, top + 0.4, _says(strip.requests), size_pt=9.5, ha="right")
    y, before = top + 1.3, None
    for row in strip.shown:
        if before is not None and _is_apart(before, row):
            write(ax, -0.4, y + 0.22, "...", color=style.QUIET, ha="right")
            y += 0.6
        _draw_row(ax, row, y, strip)
        y, before = y + 1, row
    rest = len(strip.rows) - len(strip.shown)
    if rest:
        write(ax, 0, y + 0.5, f"... and {rest} more rows like these", color=style.QUIET)


def _draw_row(ax: Axes, row: ElementRow, y: float, strip: _Strip) -> None:
    name = label(strip.requests[0].site.array, row.first, strip.shape)
    write(ax, -0.4, y + 0.5, name, color=style.QUIET, ha="right")
    width = _COLUMNS / row.cells
    sectors = row.sectors if strip.is_global else ()
    touched = {begin + i for begin in sectors for i in range(row.sector_cells)}
    for place in range(row.cells):
        element = row.first + place
        occupants = row.lanes.get(element, ())
        color = warp_color(occupants[0].warp) if occupants else style.GROUND
        if element in touched and not occupants:
            color = FETCHED
        text = lane_text(occupants) if occupants else ""
        draw_cell(ax, place * width, y, color=color, text=text, width=width)
    for begin in sectors:
        x = (begin - row.first) * width
        span = row.sector_cells * width
        ax.plot(
            [x + 0.04, x + span - 0.04, x + span - 0.04, x + 0.04, x + 0.04],
            [y + 0.03, y + 0.03, y + 0.97, y + 0.97, y + 0.03],
            color=style.INK,
            linewidth=1.1,
        )


def _draw_keys(ax: Axes, warps: Sequence[int]) -> None:
    for place, warp in enumerate(warps):
        draw_cell(ax, place * 5, 0, color=warp_color(warp))
        write(ax, place * 5 + 1.2, 0.5, f"warp {warp}", size_pt=9.5)


def _says(requests: Sequence[Request]) -> str:
    site = requests[0].site
    who = f"warp {requests[0].warp}" if len(requests) == 1 else f"{len(requests)} warps"
    if len(requests) == 1:
        cost = requests[0].cost
    elif site.space is Space.GLOBAL:
        ideal = sum(request.ideal_sectors for request in requests)
        cost = f"{sum(request.sectors for request in requests)} sectors, {ideal} at best"
    else:
        ideal = sum(request.ideal_wavefronts for request in requests)
        cost = f"{sum(request.wavefronts for request in requests)} wavefronts, {ideal} at best"
    return f"{_DOES[site.operation]} by {who}{': ' if cost else ''}{cost}"


def _is_apart(above: ElementRow, below: ElementRow) -> bool:
    return below.first > above.first + above.cells


def _explain(strips: Sequence[_Strip]) -> str:
    """How to read the cells."""
    first = strips[0]
    row_bytes = first.rows[0].cells * first.requests[0].site.itemsize
    parts = [f"A row is {row_bytes} bytes", "the number is the lane"]
    if any(len(own) > 1 for s in strips for row in s.rows for own in row.lanes.values()):
        parts.append("0+ is lane 0 with others, all is the whole warp")
    does = {strip.requests[0].site.operation for strip in strips if strip.is_global}
    if does:
        gray = "fetched, not used"
        if does != {Operation.LOAD}:
            gray = f"in it, but not {_DOES[does.pop()] if len(does) == 1 else 'used'}"
        parts.append(f"a frame is a sector of 32 bytes; gray is {gray}")
    return f"{'; '.join(parts)}."


def _alt(strips: Sequence[_Strip], with_lines: bool) -> str:
    sentences = []
    for strip in strips:
        site = strip.requests[0].site
        line = f" on line {site.place.line}" if with_lines else ""
        says = f"{_says(strip.requests)}; rows of memory: {len(strip.rows)}"
        sentences.append(f"{site.text}{line} is {says}")
    return f"Lanes on the elements they touch. {'. '.join(sentences)}."
