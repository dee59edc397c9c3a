"""A warp's request to shared memory, pass by pass through the 32 banks."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.accesses import COUNTED
from gpuedu.figures.kernels.cells import (
    draw_cell,
    lane_text,
    lay_out,
    sheet,
    shorten,
    warp_color,
    write,
)
from gpuedu.hardware.memory_rules import BANKS
from gpuedu.lens.banks import BankVisit, bank_visits
from gpuedu.lens.requests import Request, find_requests
from gpuedu.lens.rows import Occupant
from gpuedu.syllabus import unknown
from gpuedu.trace.records import AccessSite, Place, Space, Trace

_LEFT, _MOST_ROWS = 6.2, 16
_FITS = 2
"""Characters that a cell holds beside others of as many."""


def plot_banks(
    trace: Trace,
    at: int | str | Place | AccessSite,
    *,
    warp: int = 0,
    block: int | None = None,
    occurrence: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw one request: a column for each bank, a row for each pass, the lanes served in cells.

    Args:
        trace: The account of a launch, with watched accesses.
        at: A line, the text of an access, the name of an array, a place or a site; of several
            accesses to shared memory there, the one with the most passes is drawn.
        warp: A warp of the block.
        block: A watched block; the first by default.
        occurrence: Which execution of the access, from 0.
        ax: where to draw; a new figure by default.

    Raises:
        UnknownNameError: Nothing accesses shared memory there.
        NothingWatchedError: No such request was kept.
    """
    request = _request(trace, at, warp, block, occurrence)
    visits = bank_visits(request)
    passes = 1 + max(visit.wavefront for visit in visits)
    shown = min(passes, _MOST_ROWS)
    height = 3.2 + shown + (passes > shown)
    ax = sheet(height, BANKS, _LEFT) if ax is None else lay_out(ax, height, BANKS, _LEFT)
    _draw_head(ax, request)
    _draw_passes(ax, visits, shown, request.warp)
    if passes > shown:
        text = f"... and {_passes(passes - shown, 'more ')}"
        write(ax, 0, 3.0 + shown + 0.5, text, color=style.QUIET)
    return write_caption(
        ax,
        Caption(
            title=f"{trace.launch.kernel}: a request on its way through the banks",
            alt=_alt(request, visits),
            source="A bank serves one word of 4 bytes in a pass; the number is the lane "
            "that it serves, + stands for several.\n"
            f"{COUNTED} Warp {request.warp} of block {request.block}.",
        ),
    )


def _request(
    trace: Trace, at: int | str | Place | AccessSite, warp: int, block: int | None, occurrence: int
) -> Request:
    block = trace.watched[0] if block is None else block
    found = find_requests(trace, at, block=block, warp=warp)
    own = [request for request in found if request.site.space is Space.SHARED]
    if not own:
        known = [site.text for site in trace.sites if site.space is Space.SHARED]
        raise unknown("access to shared memory", str(at), dict.fromkeys(known))
    costs: dict[int, list[Request]] = {}
    for request in own:
        costs.setdefault(id(request.site), []).append(request)
    worst = max(costs.values(), key=lambda group: max(one.wavefronts for one in group))
    return worst[min(occurrence, len(worst) - 1)]


def _draw_head(ax: Axes, request: Request) -> None:
    text = f"line {request.site.place.line}:  {shorten(request.site.text)}"
    write(ax, -_LEFT + 0.1, 0.4, text, size_pt=10, family="monospace")
    cost = f"{_passes(request.wavefronts)}, {request.ideal_wavefronts} at best"
    write(ax, BANKS, 0.4, cost, size_pt=9.5, ha="right")
    write(ax, -0.4, 2.2, "bank", color=style.QUIET, ha="right")
    for bank in range(BANKS):
        write(ax, bank + 0.5, 2.2, str(bank), color=style.QUIET, ha="center")


def _draw_passes(ax: Axes, visits: Sequence[BankVisit], shown: int, warp: int) -> None:
    by_cell = {(visit.wavefront, visit.bank): visit for visit in visits}
    phases = {visit.wavefront: visit.phase for visit in visits}
    texts = {cell: _lanes(visit, warp) for cell, visit in by_cell.items()}
    is_wide = any(text.endswith("+") and len(text) > _FITS for text in texts.values())
    for row in range(shown):
        y = 3.0 + row
        write(ax, -0.4, y + 0.5, f"pass {row + 1}", color=style.QUIET, ha="right")
        if row and phases[row] != phases[row - 1]:
            ax.plot([-_LEFT, BANKS], [y, y], color=style.INK, linewidth=1.1)
        for bank in range(BANKS):
            text = texts.get((row, bank))
            if text is None:
                draw_cell(ax, bank, y)
                continue
            text = "+" if is_wide and text.endswith("+") else text
            draw_cell(ax, bank, y, color=warp_color(0), text=text)


def _lanes(visit: BankVisit, warp: int) -> str:
    return lane_text([Occupant(warp, lane) for lane in visit.lanes])


def _passes(number: int, kind: str = "") -> str:
    return f"{number} {kind}{'pass' if number == 1 else 'passes'}"


def _alt(request: Request, visits: Sequence[BankVisit]) -> str:
    banks = len({visit.bank for visit in visits})
    return (
        f"{request.site.text} on line {request.site.place.line}, warp {request.warp}: "
        f"{request.lanes} lanes use {banks} of 32 banks and take {_passes(request.wavefronts)}, "
        f"where {request.ideal_wavefronts} would do."
    )
