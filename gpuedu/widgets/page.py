"""One frame of a walk as HTML: the source, the lanes of the warps, the accesses, the hazard.

One frame is the widget's content; if widgets do not run, a story of several frames unfolds without
scripts. Everything is escaped, and colors are tints over the notebook's own, each with a word or a
number beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.lens.banks import bank_visits
from gpuedu.lens.hazards import hazard_view
from gpuedu.lens.html import code
from gpuedu.lens.lanes import Lane
from gpuedu.lens.listing import source_lines
from gpuedu.lens.requests import Request
from gpuedu.lens.rows import memory_rows, write_index
from gpuedu.lens.warps import block_index
from gpuedu.trace.records import Operation, Space
from gpuedu.widgets.walk import Frame, Walk, WarpState

_MOST_ROWS, _MOST_WARPS, _STORY_WARPS, _AROUND = 8, 12, 4, 14
_DOES = {Operation.LOAD: "reads", Operation.STORE: "writes", Operation.ATOMIC: "updates"}
_CLASSES = {Lane.ACTIVE: "on", Lane.IDLE: "off", Lane.AWAY: "away", Lane.ABSENT: "none"}


@dataclass(frozen=True)
class Cell:
    """One cell of a grid: its style, its text, and its tooltip."""

    style: str = ""
    text: str = ""
    tip: str = ""


@dataclass(frozen=True)
class GridRow:
    """A row of cells with its name."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Access:
    """One access: the expression, what it does, what it costs, and its grid."""

    text: str
    says: str
    kind: str
    rows: tuple[GridRow, ...]
    more: str = ""


def render(walk: Walk) -> str:
    """The page of the walk's frame."""
    return _template().render(moments=[_scene(walk)])


def render_story(walk: Walk, *, folded: bool = False) -> str:
    """The walk for a page without scripts: moments of its warp to unfold, the current one open.

    ``folded`` hides all of it behind a line that unfolds.
    """
    moments = walk.moments()
    warp = walk.frame.warp
    steps = int((walk.trace.steps.warp[walk.rows] == warp).sum())
    shown = "every step" if len(moments) == steps else f"{len(moments)} of {steps} steps"
    return _template().render(
        moments=[_scene(moment, _STORY_WARPS) for moment in moments],
        now=walk.position,
        folded=folded,
        story=f"{_title(walk)}: {shown} of warp {warp}.",
    )


def _title(walk: Walk) -> str:
    x, y, z = block_index(walk.trace, walk.block)
    return f"{walk.trace.launch.kernel}, block {(x, y, z) if y or z else x}"


def _scene(walk: Walk, most_warps: int = _MOST_WARPS) -> dict[str, Any]:
    """What the template shows of the walk's frame."""
    frame = walk.frame
    warps = _shown_warps(frame, most_warps)
    return {
        "position": walk.position,
        "title": _title(walk),
        "where": f"step {frame.position + 1} of {len(walk)}, warp {frame.warp}, "
        f"{_passed(frame.epoch)}",
        "line": (frame.place.line, frame.text),
        "hazards": frame.hazards,
        "actors": [(f, hazard_view(walk.trace, f).actors) for f in frame.hazards],
        "lines": _lines(walk, frame),
        "warps": [(state, _lane_cells(state)) for state in warps],
        "hidden_warps": len(frame.warps) - len(warps),
        "accesses": [access(walk, request) for request in frame.requests],
        "truncated": walk.trace.truncated,
    }


def access(walk: Walk, request: Request) -> Access:
    """One request as it is shown: banks for shared memory, rows of memory for the rest."""
    shapes = {use.array: use.shape for use in walk.trace.arrays}
    shape = shapes.get(request.site.array, ())
    rows = _bank_rows(request) if request.site.space is Space.SHARED else _rows(request, shape)
    cost = f": {request.cost}" if request.cost else ""
    more = len(rows) - _MOST_ROWS
    return Access(
        request.site.text,
        f"{_DOES[request.site.operation]} {request.site.space} memory, {request.lanes} lanes{cost}",
        "banks" if request.site.space is Space.SHARED else "memory",
        rows[:_MOST_ROWS],
        f"... and {more} more rows" if more > 0 else "",
    )


def _passed(epoch: int) -> str:
    if not epoch:
        return "before the first barrier"
    return "after 1 barrier" if epoch == 1 else f"after {epoch} barriers"


def _lines(walk: Walk, frame: Frame) -> list[tuple[int, str, str]]:
    """Lines of the function that runs, near the current one: number, text, style."""
    source = next(s for s in walk.trace.launch.sources if s.function == frame.place.function)
    hazard_places = {finding.place for finding in walk.trace.hazards}
    lines = source_lines(source)
    here = next((n for n, (place, _) in enumerate(lines) if place == frame.place), 0)
    start = max(0, min(here - _AROUND // 2, len(lines) - _AROUND))
    return [
        (
            place.line,
            text,
            " ".join(
                [
                    *(["here"] if place == frame.place else []),
                    *(["told"] if place in hazard_places else []),
                ]
            ),
        )
        for place, text in lines[start : start + _AROUND]
    ]


def _shown_warps(frame: Frame, most: int) -> tuple[WarpState, ...]:
    """The warps that fit, the current one among them."""
    start = max(0, min(frame.warp - most // 2, len(frame.warps) - most))
    return frame.warps[start : start + most]


def _lane_cells(state: WarpState) -> tuple[Cell, ...]:
    return tuple(
        Cell(_CLASSES[Lane(value)], str(lane), f"lane {lane}: {Lane(value).name.lower()}")
        for lane, value in enumerate(state.lanes)
    )


def _rows(request: Request, shape: tuple[int, ...]) -> tuple[GridRow, ...]:
    """Rows of memory; a cell that only comes along with its sector is marked as fetched."""
    out = []
    is_global = request.site.space is Space.GLOBAL
    for row in memory_rows([request]) if request.lanes else ():
        touched = {begin + i for begin in row.sectors for i in range(row.sector_cells)}
        cells = []
        for element in range(row.first, row.first + row.cells):
            who = row.lanes.get(element, ())
            style = "on" if who else "fetched" if is_global and element in touched else ""
            name = write_index(request.site.array, element, shape)
            edge = " edge" if is_global and element % row.sector_cells == 0 else ""
            cells.append(Cell(style + edge, _who([o.lane for o in who]), name))
        name = write_index(request.site.array, row.first, shape)
        out.append(GridRow(name, tuple(cells)))
    return tuple(out)


def _bank_rows(request: Request) -> tuple[GridRow, ...]:
    """A row for each pass, a cell for each bank."""
    visits = bank_visits(request)
    by_cell = {(visit.wavefront, visit.bank): visit for visit in visits}
    rows = []
    for wavefront in range(1 + max((visit.wavefront for visit in visits), default=-1)):
        cells = []
        for bank in range(32):
            visit = by_cell.get((wavefront, bank))
            text = _who(list(visit.lanes)) if visit else ""
            tip = f"bank {bank}" + (f", word {visit.word}" if visit else "")
            cells.append(Cell("on" if visit else "", text, tip))
        rows.append(GridRow(f"pass {wavefront + 1}", tuple(cells)))
    return tuple(rows)


def _who(lanes: list[int]) -> str:
    if not lanes:
        return ""
    return "all" if len(lanes) == 32 else f"{lanes[0]}{'+' if len(lanes) > 1 else ''}"


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["code"] = code
    source = resources.files("gpuedu.widgets").joinpath("step.html.j2").read_text("utf-8")
    return environment.from_string(source)
