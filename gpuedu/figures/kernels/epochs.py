"""One array between two barriers: which lane wrote and which lane read each element."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

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
    warp_color,
    wrap,
    write,
)
from gpuedu.lens.epochs import Epoch
from gpuedu.lens.rows import Occupant

_LEFT, _MOST_COLUMNS, _MOST_ROWS, _WRAP = 6.2, 36, 10, 32
_FITS = 2
"""Characters that a cell holds beside others of as many."""


def plot_epoch(epoch: Epoch, *, missing: Collection[int] = (), ax: Axes | None = None) -> Axes:
    """Draw what was written and what was read of an array between two barriers.

    A cell is an element, in the array's own rows (a vector goes on in rows of 32); it has the color
    of the warp and the number of the lane. A thick frame is an element that one thread wrote and
    another touched in the same epoch; a hatched one is read but never written.

    Args:
        epoch: The accesses of one block.
        missing: Elements that somebody reads, now or later, and nobody has written by then.
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
        holes = set(missing) if name == "written" else set()
        begins = [row * width for row in shown]
        _draw_panel(ax, epoch, lanes, holes, begins, columns, top + 1.1)
        top += len(shown) + 2.0
        if len(shown) < rows:
            write(ax, 0, top - 0.35, f"{rows - len(shown)} more rows", color=style.QUIET)
            top += 1
    return write_caption(
        ax,
        Caption(
            title=f"{epoch.array} {_when(epoch)}",
            alt=_alt(epoch, missing),
            source=f"{wrap(f'{_explain(epoch, missing)}{_cut(columns, width)}')}\n"
            f"{COUNTED} Block {epoch.block}.",
        ),
    )


def _size(epoch: Epoch) -> int:
    """Elements of the array, or those up to the last that was touched."""
    return math.prod(epoch.shape) if epoch.shape else 1 + max([*epoch.written, *epoch.read])


def _shape(epoch: Epoch) -> tuple[int, int]:
    """Columns and rows of the sheet; a vector is wrapped."""
    size = _size(epoch)
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
    holes: Collection[int],
    begins: Sequence[int],
    columns: Sequence[int],
    top: float,
) -> None:
    """One row below the other; a vector's last one ends where the array does."""
    size = _size(epoch)
    for place, begin in enumerate(begins):
        name = label(epoch.array, begin + columns[0], epoch.shape)
        write(ax, -0.4, top + place + 0.5, name, color=style.QUIET, ha="right")
        for across, column in enumerate(columns):
            element = begin + column
            if element >= size:
                break
            occupants = lanes.get(element, ())
            is_hole = element in holes and not occupants
            is_marked = is_hole or (element in epoch.shared and bool(occupants))
            draw_cell(
                ax,
                across,
                top + place,
                color=warp_color(occupants[0].warp) if occupants else style.GROUND,
                text=_who(occupants),
                edge=style.RED if is_marked else style.FAINT,
                edge_width=(1.2 if is_hole else 2.4) if is_marked else 0.8,
                hatch="////" if is_hole else "",
            )


def _who(occupants: Sequence[Occupant]) -> str:
    """A lane's number; of several in a cell whose numbers would not fit, only that they are."""
    text = lane_text(occupants) if occupants else ""
    return "+" if text.endswith("+") and len(text) > _FITS else text


def _explain(epoch: Epoch, missing: Collection[int]) -> str:
    """How to read the cells that are there."""
    lanes_shown = [who for lanes in (epoch.written, epoch.read) for who in lanes.values()]
    parts = ["The number is the lane that did it"]
    if any(len(occupants) > 1 for occupants in lanes_shown):
        parts.append("a + stands for several lanes")
    named = (epoch.written.keys() | set(missing), epoch.read)
    if any(cells and len(cells) < _size(epoch) for cells in named):
        parts.append("white: nobody did")
    if missing:
        parts.append("hatched: somebody reads it, nobody has written it")
    if epoch.shared:
        parts.append("thick frame: one thread wrote it, another touched it")
    return f"{'; '.join(parts)}."


def _draw_keys(ax: Axes, epoch: Epoch) -> None:
    both = [*epoch.written.values(), *epoch.read.values()]
    warps = sorted({who.warp for occupants in both for who in occupants})
    for place, warp in enumerate(warps[:6]):
        draw_cell(ax, place * 5, 0, color=warp_color(warp))
        more = " and on, colors repeat" if place == 5 and len(warps) > 6 else ""
        write(ax, place * 5 + 1.2, 0.5, f"warp {warp}{more}", size_pt=9.5)


def _cut(columns: Sequence[int], width: int) -> str:
    if len(columns) == width:
        return ""
    return f" Columns {columns[0]} to {columns[-1]} of {width} are shown."


def _when(epoch: Epoch) -> str:
    if not epoch.number:
        return "before the first barrier"
    return f"after barrier {epoch.number}"


def _alt(epoch: Epoch, missing: Collection[int]) -> str:
    holes = f" {len(missing)} are read, but never written." if missing else ""
    return (
        f"Elements of {epoch.array} in epoch {epoch.number} of block {epoch.block}: "
        f"{len(epoch.written)} written, {len(epoch.read)} read, {len(epoch.shared)} of them "
        f"written by one thread and touched by another.{holes}"
    )
