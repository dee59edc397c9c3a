"""Which thread of which block wrote each element of an array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import draw_cell, sheet, warp_color, write

_LEFT, _COLUMNS = 5.2, 32
_MOST_ROWS = 12
_CLASH = "#f7d5c8"


@dataclass(frozen=True)
class Owner:
    """What happened to one element: it was written ``times`` times, first by this thread.

    An element that nobody wrote has ``times`` 0. ``outside`` is True for one that is past the end
    of the array and that some thread used.
    """

    element: int
    times: int = 0
    block: int = -1
    thread: int = -1
    outside: bool = False


def plot_owners(
    owners: Sequence[Owner], *, caption: Caption, idle: str = "", ax: Axes | None = None
) -> Axes:
    """Draw an array as rows of 32 elements, each with the number of the thread that wrote it.

    A block has a color. An element that nobody wrote is empty; one that was written more than once
    is marked with how often; one past the end stands apart.

    Args:
        owners: in order of elements.
        caption: title, source, alternative text.
        idle: what is said about threads that wrote nothing, after the last element if there is
            room.
        ax: where to draw; a new figure by default.
    """
    inside = [owner for owner in owners if not owner.outside]
    rows = min(-(-len(inside) // _COLUMNS), _MOST_ROWS)
    blocks = sorted({owner.block for owner in inside if owner.times})
    shown = [owner for owner in inside if owner.element < rows * _COLUMNS]
    hidden = len(inside) - len(shown)
    ax = sheet(rows + 1.6 + bool(hidden), _COLUMNS, _LEFT) if ax is None else ax
    _draw_keys(ax, blocks, inside)
    for owner in shown:
        row, column = divmod(owner.element, _COLUMNS)
        _draw_owner(ax, owner, column, row + 1.5)
    for row in range(rows):
        write(ax, -0.4, row + 2.0, f"{row * _COLUMNS}", color=style.QUIET, ha="right")
    if hidden:
        write(ax, 0, rows + 2.0, f"... and {hidden:,} more elements", color=style.QUIET)
    else:
        _draw_outside(ax, owners, len(inside), rows)
        _write_idle(ax, idle, len(inside), rows)
    return write_caption(ax, caption)


def _draw_owner(ax: Axes, owner: Owner, x: float, y: float) -> None:
    if not owner.times:
        draw_cell(ax, x, y)
        return
    if owner.times == 1:
        draw_cell(ax, x, y, color=warp_color(owner.block), text=str(owner.thread))
        return
    text = f"{owner.times}x" if owner.times < 100 else "!!"
    draw_cell(ax, x, y, color=_CLASH, text=text, edge=style.RED, edge_width=1.4)


def _draw_outside(ax: Axes, owners: Sequence[Owner], size: int, rows: int) -> None:
    """The first element past the end that somebody used, behind a thick line."""
    outside = [owner for owner in owners if owner.outside]
    if not outside:
        return
    row, column = divmod(size, _COLUMNS)
    x, y = (column, row + 1.5) if row < rows else (_COLUMNS, rows + 0.5)
    ax.plot([x, x], [y - 0.1, y + 1.1], color=style.INK, linewidth=3, solid_capstyle="butt")
    if x + 6 <= _COLUMNS:
        draw_cell(ax, x + 0.4, y, color=_CLASH, text="!!", edge=style.RED, edge_width=1.8)
        write(ax, x + 1.7, y + 0.5, f"past the end: [{outside[0].element}]", color=style.RED)


def _write_idle(ax: Axes, idle: str, size: int, rows: int) -> None:
    row, column = divmod(size, _COLUMNS)
    if idle and row < rows and column + 0.45 * len(idle) < _COLUMNS:
        y = row + 1.5
        ax.plot([column, column], [y - 0.1, y + 1.1], color=style.INK, lw=3, solid_capstyle="butt")
        write(ax, column + 0.6, y + 0.5, idle, color=style.INK, size_pt=9.5)


def _draw_keys(ax: Axes, blocks: Sequence[int], owners: Sequence[Owner]) -> None:
    write(ax, -0.4, 0.5, "element", color=style.QUIET, ha="right")
    x = 0.0
    for block in blocks[:6]:
        draw_cell(ax, x, 0, color=warp_color(block))
        write(ax, x + 1.2, 0.5, f"block {block}", size_pt=9.5)
        x += 4.4
    if any(owner.times > 1 for owner in owners):
        draw_cell(ax, x, 0, color=_CLASH, edge=style.RED, edge_width=1.4)
        write(ax, x + 1.2, 0.5, "more than once", size_pt=9.5)
