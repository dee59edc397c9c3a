"""In which order programs take the tiles of a product, and what the first of them read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_GRAYS = (style.FAINT, "#eceef2")
_MARGIN, _THICK = 0.5, 1.0
"""Between the tiles and the stripes beside them; how thick those are, in tiles."""


@dataclass(frozen=True)
class TileOrder:
    """The order of one kernel.

    Attributes:
        name: the kernel's name.
        program: (rows, columns) int, the number of the program that stores each tile of ``c``; -1
            if none does.
        at_once: programs that run first, together.
        rows: rows of tiles whose stripe of ``a`` these read.
        columns: columns of tiles whose stripe of ``b`` these read.
        told: what these bring from memory, in words.
    """

    name: str
    program: np.ndarray
    at_once: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    told: str


def plot_tile_orders(orders: Sequence[TileOrder], *, caption: Caption) -> np.ndarray:
    """Draw the tiles of ``c`` for each order, with the stripes that its first programs read.

    Args:
        orders: what to compare, side by side, with a path through the tiles of the first programs.
        caption: title, source, alternative text.

    Returns:
        The Axes, from left to right.
    """
    axes = np.atleast_1d(style.new_axes(3.3, len(orders)))
    for ax, order in zip(axes, orders, strict=True):
        style.bare(ax)
        _draw_tiles(ax, order)
        _draw_path(ax, order)
        _draw_stripes(ax, order)
        _name(ax, order)
    write_caption(axes[0], Caption("", caption.alt, caption.source))
    axes[0].figure.suptitle(
        caption.title, x=0.01, ha="left", fontsize=12, color=style.INK, fontweight="bold"
    )
    return axes


def _draw_tiles(ax: Axes, order: TileOrder) -> None:
    for (row, column), number in np.ndenumerate(order.program):
        look = {"facecolor": _shade(int(number), order.at_once), "edgecolor": style.GROUND}
        if number < 0:
            look |= {"hatch": "xx", "edgecolor": style.RED}
        ax.add_patch(Rectangle((column, row), 1, 1, linewidth=0.8, **look))


def _shade(number: int, at_once: int) -> str:
    """Blue for the first programs; those that follow are told apart by two grays."""
    if number < 0:
        return style.GROUND
    wave = number // at_once
    return style.BLUE if wave == 0 else _GRAYS[wave % 2]


def _draw_path(ax: Axes, order: TileOrder) -> None:
    """A line through the tiles of the first programs, with a number at each end."""
    tiles = sorted(
        (int(number), column + 0.5, row + 0.5)
        for (row, column), number in np.ndenumerate(order.program)
        if 0 <= number < order.at_once
    )
    if not tiles:
        return
    numbers, x, y = zip(*tiles, strict=True)
    ax.plot(x, y, color="white", linewidth=1.1)
    box = {"facecolor": style.BLUE, "edgecolor": "none", "pad": 0.2}
    for end in sorted({0, len(tiles) - 1}):
        said = {"fontsize": 8.5, "color": "white", "fontweight": "bold", "bbox": box}
        ax.text(x[end], y[end], str(numbers[end]), ha="center", va="center_baseline", **said)


def _draw_stripes(ax: Axes, order: TileOrder) -> None:
    rows, columns = order.program.shape
    read = {"facecolor": style.ORANGE, "edgecolor": style.GROUND, "linewidth": 0.8}
    rest = {**read, "facecolor": style.FAINT}
    for row in range(rows):
        look = read if row in order.rows else rest
        ax.add_patch(Rectangle((-_MARGIN - _THICK, row), _THICK, 1, **look))
    for column in range(columns):
        look = read if column in order.columns else rest
        ax.add_patch(Rectangle((column, -_MARGIN - _THICK), 1, _THICK, **look))
    at = -_MARGIN - _THICK
    name = {"fontsize": 9.5, "color": style.INK, "family": "monospace"}
    ax.text(at - 0.3, rows / 2, "a", ha="right", va="center", **name)
    ax.text(columns / 2, at - 0.2, "b", ha="center", va="bottom", **name)


def _name(ax: Axes, order: TileOrder) -> None:
    rows, columns = order.program.shape
    left, top = -_MARGIN - _THICK, -_MARGIN - _THICK
    ax.text(left, top - 1.5, order.name, fontsize=10, color=style.INK, fontweight="bold")
    ax.text(left, rows + 0.5, order.told, fontsize=9, color=style.INK, va="top")
    ax.set_xlim(left - 1.3, columns + 0.2)
    ax.set_ylim(rows + 2.4, top - 2.6)
    ax.set_aspect("equal", adjustable="box", anchor="NW")
