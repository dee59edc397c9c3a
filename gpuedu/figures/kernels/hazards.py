"""A hazard: the threads that meet on an element, or the element that does not exist."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import draw_cell, lay_out, sheet, shorten, wrap, write
from gpuedu.lens.hazards import Actor, HazardView, hazard_view
from gpuedu.trace.records import Finding, Trace

_LEFT, _COLUMNS, _CELL = 3.2, 32, 2.6
_BOX, _ROWS = 16.0, 2.6
_PALE = "#f7d5c8"


def plot_hazard(trace: Trace, finding: Finding | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw a finding: its threads with their lines of source, and the element they meet on.

    An element beyond the array is drawn apart from the array's cells, past a thick line at the end.

    Args:
        trace: The account of a launch.
        finding: One of its findings; its first hazard by default.
        ax: where to draw; a new figure by default.

    Raises:
        ValueError: No finding was given and the trace has no hazard.
    """
    if finding is None and not trace.hazards:
        raise ValueError(f"the trace of {trace.launch.kernel} has no hazard to draw")
    view = hazard_view(trace, finding or trace.hazards[0])
    text = wrap(_plain(f"{view.finding.message}."), 84).splitlines()
    remedy = wrap(_plain(f"Try: {view.finding.remedy}."), 84).splitlines()
    cells_top = _ROWS + 2.6 if view.actors else 0.4
    text_top = cells_top + 3.8 if view.cells else cells_top - 1.6 * bool(view.actors)
    height = text_top + 1.25 * (len(text) + len(remedy)) + 0.4
    ax = sheet(height, _COLUMNS, _LEFT) if ax is None else lay_out(ax, height, _COLUMNS, _LEFT)
    for place, actor in enumerate(view.actors):
        _draw_actor(ax, actor, _box_left(view, place))
    if view.cells:
        _draw_cells(ax, view, cells_top)
    for row, line in enumerate([*text, *remedy]):
        bold = "bold" if row < len(text) else "normal"
        write(ax, -_LEFT + 0.1, text_top + 1.25 * row + 0.6, line, size_pt=10, weight=bold)
    return write_caption(
        ax,
        Caption(
            title=f"{trace.launch.kernel}: {view.finding.kind.replace('-', ' ')}",
            alt=_plain(f"{view.finding.message}. {_alt(view)}"),
            source=_source(view),
        ),
    )


def _plain(text: str) -> str:
    """A picture's text has no code font, so no marks for it."""
    return text.replace("`", "")


def _box_left(view: HazardView, place: int) -> float:
    """Two threads stand side by side, one alone in the middle."""
    if len(view.actors) == 1:
        return (_COLUMNS - _LEFT - _BOX) / 2
    return -_LEFT + 0.2 + place * (_BOX + 2.6)


def _draw_actor(ax: Axes, actor: Actor, left: float) -> None:
    ax.add_patch(
        Rectangle((left, 0), _BOX, _ROWS, facecolor=style.GROUND, edgecolor=style.INK, lw=1.2)
    )
    write(ax, left + 0.5, 0.75, f"{actor.name} {actor.verb}".strip(), size_pt=9.5, weight="bold")
    where = f"line {actor.place.line}: " if actor.place else ""
    text = shorten(where + actor.text, 39)
    write(ax, left + 0.5, 1.85, text, size_pt=8.5, family="monospace")


def _draw_cells(ax: Axes, view: HazardView, top: float) -> None:
    """The cells around the element, and an arrow from each thread to it."""
    left = (_COLUMNS - _LEFT - _CELL * len(view.cells)) / 2
    for place, cell in enumerate(view.cells):
        x = left + place * _CELL
        is_own, is_there = cell == view.index, view.has(cell)
        if not is_own and not is_there:
            write(ax, x + _CELL / 2, top + 0.5, "...", ha="center", color=style.QUIET)
            continue
        draw_cell(
            ax,
            x,
            top,
            width=_CELL,
            color=_PALE if is_own else style.GROUND,
            text=str(cell) if len(view.cells) > 1 else "",
            edge=style.RED if is_own else style.FAINT if is_there else style.QUIET,
            edge_width=2.2 if is_own else 0.8,
        )
        if is_own:
            _point(ax, view, x + _CELL / 2, top)
    _mark_end(ax, view, left, top)


def _point(ax: Axes, view: HazardView, x: float, top: float) -> None:
    name = view.name(view.index)
    is_last, is_first = view.index == view.cells[-1], view.index == view.cells[0]
    ha = "center" if is_last == is_first else "right" if is_last else "left"
    edge = x + _CELL / 2 * (is_last - is_first)
    write(ax, edge, top + 1.6, name, ha=ha, size_pt=9.5, weight="bold")
    for place in range(len(view.actors)):
        left = _box_left(view, place)
        start = min(max(x, left + 1), left + _BOX - 1)
        shift = 0.35 * (2 * place - len(view.actors) + 1)
        ax.annotate(
            "",
            (x + shift, top),
            (start + shift, _ROWS + 0.05),
            arrowprops={"arrowstyle": "->", "color": style.RED, "lw": 1.8},
        )


def _mark_end(ax: Axes, view: HazardView, left: float, top: float) -> None:
    """A thick line where the array begins or ends, if the element is on its far side."""
    if view.is_inside:
        return
    inside = [place for place, cell in enumerate(view.cells) if view.has(cell)]
    is_after = view.index >= 0
    edge = (inside[-1] + 1 if is_after else inside[0]) if inside else 0
    x = left + edge * _CELL
    ax.plot([x, x], [top - 0.45, top + 1.2], color=style.INK, linewidth=3, solid_capstyle="butt")
    name = view.finding.array
    of = "elements" if len(view.shape) == 1 else f"along dimension {view.axis}"
    says = f"{name} ends here ({view.length} {of})" if is_after else f"{name} begins here"
    write(
        ax,
        x - 0.3 if is_after else x + 0.3,
        top + 2.7,
        says,
        color=style.QUIET,
        ha="right" if is_after else "left",
    )


def _source(view: HazardView) -> str:
    more = view.finding.count - 1
    found = "Found by running the kernel on the machine that counts; nothing is timed."
    if more <= 0:
        return found
    one = "1 more access" if more == 1 else f"{more:,} more accesses"
    return f"{found} The same holds for {one}."


def _alt(view: HazardView) -> str:
    sentences = ((f"{a.name} {a.verb}".strip(), a.text) for a in view.actors)
    return " ".join(f"{who}: {text}." if text else f"{who}." for who, text in sentences)
