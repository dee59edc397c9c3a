"""Threads by elements between two barriers: who reads what, and who writes it meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.accesses import COUNTED
from gpuedu.figures.kernels.cells import draw_cell, lay_out, sheet, write
from gpuedu.lens.epochs import Epoch
from gpuedu.trace.records import WARP_SIZE

_LEFT, _GAP = 5.5, 3
_COLORS = {"": style.GROUND, "r": style.SKY, "w": style.ORANGE, "r w": style.YELLOW}


def plot_touches(
    epochs: Sequence[Epoch], threads: range, *, title: str, ax: Axes | None = None
) -> Axes:
    """Draw some neighboring threads of a block and the elements of the same numbers.

    A panel is what happens between two barriers, from left to right. A row is a thread, a column an
    element: r if the thread reads it, w if it writes it. A thick frame is on an element that one
    thread writes and another one touches in the same panel.

    Args:
        epochs: Accesses of one block to one array, in order.
        threads: The threads, and the elements, that are shown.
        title: What is written above.
        ax: where to draw; a new figure by default.
    """
    width = len(threads)
    columns = len(epochs) * (width + _GAP) - _GAP
    height = width + 2.4
    ax = sheet(height, columns, _LEFT) if ax is None else lay_out(ax, height, columns, _LEFT)
    for row, thread in enumerate(threads):
        write(ax, -0.4, row + 2.5, f"thread {thread}", color=style.QUIET, ha="right")
    for place, epoch in enumerate(epochs):
        _draw_panel(ax, epoch, threads, place * (width + _GAP))
    return write_caption(
        ax,
        Caption(
            title=title,
            alt=" ".join(_alt(epoch) for epoch in epochs),
            source="r: the thread reads it; w: it writes it. A thick frame: written by one thread, "
            "touched by another,\nwith no barrier between. Other threads and elements are not "
            f"shown. Block {epochs[0].block}.\n{COUNTED}",
        ),
    )


def _draw_panel(ax: Axes, epoch: Epoch, threads: range, left: float) -> None:
    write(ax, left, 0.4, _when(epoch), size_pt=10, weight="bold")
    for across, element in enumerate(threads):
        is_met = element in epoch.shared
        name = f"{epoch.array}[{element}]" if across in (0, len(threads) - 1) else ""
        write(ax, left + across + 0.5, 1.5, name, color=style.QUIET, ha="center")
        for row, thread in enumerate(threads):
            does = touch(epoch, thread, element)
            draw_cell(
                ax,
                left + across,
                row + 2,
                color=_COLORS[does],
                text=does,
                edge=style.RED if is_met and does else style.FAINT,
                edge_width=2.4 if is_met and does else 0.8,
            )


def touch(epoch: Epoch, thread: int, element: int) -> str:
    """What a thread of the block does to an element: "r", "w", "r w", or nothing."""
    does = [
        sign
        for sign, lanes in (("r", epoch.read), ("w", epoch.written))
        if any(who.warp * WARP_SIZE + who.lane == thread for who in lanes.get(element, ()))
    ]
    return " ".join(does)


def _when(epoch: Epoch) -> str:
    return f"after barrier {epoch.number}" if epoch.number else "before the first barrier"


def _alt(epoch: Epoch) -> str:
    return (
        f"{_when(epoch).capitalize()}: {len(epoch.read)} elements of {epoch.array} are read, "
        f"{len(epoch.written)} written, {len(epoch.shared)} of them touched by another thread, too."
    )
