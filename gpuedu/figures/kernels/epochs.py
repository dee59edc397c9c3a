"""One array between two barriers: which lane wrote and which lane read each element."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.accesses import COUNTED
from gpuedu.figures.kernels.cells import (
    draw_cell,
    label,
    lane_text,
    lay_out,
    sheet,
    warp_colour,
    write,
)
from gpuedu.lens.epochs import Epoch
from gpuedu.lens.rows import Occupant

_LEFT, _MOST_COLUMNS, _MOST_ROWS, _WRAP = 6.2, 36, 10, 32


def plot_epoch(epoch: Epoch, *, ax: Axes | None = None) -> Axes:
    """Draw what was written and what was read of an array between two barriers.

    A cell is an element, in the array's own rows (a vector goes on in rows of 32); it has the
    colour of the warp and the number of the lane. A red frame is an element that one thread wrote
    and another touched in the same epoch.

    Args:
        epoch: The accesses of one block.
        ax: where to draw; a new figure by default.
    """
    width, rows = _shape(epoch)
    shown = _shown_rows(epoch, width, rows)
    columns = _shown_columns(epoch, width)
    panels = [("written", epoch.written), ("read", epoch.read)]
    panels = [(name, lanes) for name, lanes in panels if lanes]
    height = 1.2 + len(panels) * (len(shown) + 2.0 + (len(shown) < rows))
    across = max(len(columns), 32)
    ax = sheet(height, across, _LEFT) if ax is None else lay_out(ax, height, across, _LEFT)
    _draw_keys(ax, epoch)
    top = 1.4
    for name, lanes in panels:
        text = f"{name} in epoch {epoch.number}"
        write(ax, -_LEFT + 0.1, top + 0.4, text, size_pt=10, weight="bold")
        _draw_panel(ax, epoch, lanes, [row * width for row in shown], columns, top + 1.1)
        top += len(shown) + 2.0
        if len(shown) < rows:
            write(ax, 0, top - 0.35, f"{rows - len(shown)} more rows", colour=style.QUIET)
            top += 1
    return write_caption(
        ax,
        Caption(
            title=f"{epoch.array} between two barriers",
            alt=_alt(epoch),
            source=f"The number is the lane; a red frame: written by one thread, touched by "
            f"another.{_cut(columns, width)}\n{COUNTED} Block {epoch.block}, {_when(epoch)}.",
        ),
    )


def _shape(epoch: Epoch) -> tuple[int, int]:
    """Columns and rows of the sheet; a vector is wrapped."""
    size = math.prod(epoch.shape) if epoch.shape else 1 + max([*epoch.written, *epoch.read])
    if len(epoch.shape) < 2:
        return min(size, _WRAP), -(-size // _WRAP)
    return epoch.shape[-1], size // max(epoch.shape[-1], 1)


def _shown_rows(epoch: Epoch, columns: int, rows: int) -> Sequence[int]:
    """Rows that fit, beginning where the trouble is, if there is any."""
    if rows <= _MOST_ROWS:
        return range(rows)
    met = min(epoch.shared, default=min([*epoch.written, *epoch.read])) // columns
    start = max(0, min(met - 1, rows - _MOST_ROWS))
    return range(start, start + _MOST_ROWS)


def _shown_columns(epoch: Epoch, width: int) -> Sequence[int]:
    """Columns that fit, beginning at the first that is touched."""
    if width <= _MOST_COLUMNS:
        return range(width)
    first = min(element % width for element in epoch.shared or [*epoch.written, *epoch.read])
    start = max(0, min(first, width - _MOST_COLUMNS))
    return range(start, start + _MOST_COLUMNS)


def _draw_panel(
    ax: Axes,
    epoch: Epoch,
    lanes: Mapping[int, tuple[Occupant, ...]],
    begins: Sequence[int],
    columns: Sequence[int],
    top: float,
) -> None:
    for place, begin in enumerate(begins):
        name = label(epoch.array, begin + columns[0], epoch.shape)
        write(ax, -0.4, top + place + 0.5, name, colour=style.QUIET, ha="right")
        for across, column in enumerate(columns):
            element = begin + column
            occupants = lanes.get(element, ())
            is_met = element in epoch.shared and bool(occupants)
            draw_cell(
                ax,
                across,
                top + place,
                colour=warp_colour(occupants[0].warp) if occupants else style.GROUND,
                text=lane_text(occupants) if occupants else "",
                edge=style.RED if is_met else style.FAINT,
                edge_width=2.4 if is_met else 0.8,
            )


def _draw_keys(ax: Axes, epoch: Epoch) -> None:
    both = [*epoch.written.values(), *epoch.read.values()]
    warps = sorted({who.warp for occupants in both for who in occupants})
    for place, warp in enumerate(warps[:6]):
        draw_cell(ax, place * 5, 0, colour=warp_colour(warp))
        more = " and on, colours repeat" if place == 5 and len(warps) > 6 else ""
        write(ax, place * 5 + 1.2, 0.5, f"warp {warp}{more}", size_pt=9.5)


def _cut(columns: Sequence[int], width: int) -> str:
    if len(columns) == width:
        return ""
    return f" Columns {columns[0]} to {columns[-1]} of {width} are shown."


def _when(epoch: Epoch) -> str:
    if not epoch.number:
        return "before its first barrier"
    return f"after barrier {epoch.number}"


def _alt(epoch: Epoch) -> str:
    return (
        f"Elements of {epoch.array} in epoch {epoch.number} of block {epoch.block}: "
        f"{len(epoch.written)} written, {len(epoch.read)} read, {len(epoch.shared)} of them "
        "written by one thread and touched by another."
    )
