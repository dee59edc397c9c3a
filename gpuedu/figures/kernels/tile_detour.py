"""A transpose by way of shared memory, as a drawing: one tile of the matrix on its way."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import draw_cell, sheet, warp_color, write

_SIDE = 4
_ROWS, _COLUMNS = 8, 12
_LEFT, _TOP = 0.4, 1.5
_TILE_X, _OUT_X = 15.5, 23.0
_ABOVE, _BEFORE = 0, 2
"""The tile's place in the matrix, counted in tiles."""


def plot_tile_detour(*, ax: Axes | None = None) -> Axes:
    """Draw a matrix, a tile of it in shared memory, and where the tile goes in the transpose.

    A number is an element of the tile, a color is the row of the matrix that it comes from. Tiles
    of the drawing are 4 x 4.

    Args:
        ax: where to draw; a new figure by default.
    """
    ax = sheet(_TOP + _COLUMNS + 0.4, 32, _LEFT) if ax is None else ax
    _draw_matrix(ax, "m", 0, _ROWS, _COLUMNS)
    _draw_matrix(ax, "out", _OUT_X, _COLUMNS, _ROWS)
    write(ax, _TILE_X, _TOP - 0.7, "tile", size_pt=11, family="monospace", weight="bold")
    for row in range(_SIDE):
        for column in range(_SIDE):
            text, color = str(_SIDE * row + column), warp_color(row)
            x, y = _SIDE * _BEFORE + column, _TOP + _SIDE * _ABOVE + row
            draw_cell(ax, x, y, color=color, text=text)
            draw_cell(ax, _TILE_X + column, _TOP + row, color=color, text=text)
            x, y = _OUT_X + _SIDE * _ABOVE + row, _TOP + _SIDE * _BEFORE + column
            draw_cell(ax, x, y, color=color, text=text)
    _draw_ways(ax)
    return write_caption(
        ax,
        Caption(
            title="One tile on its way from m to out",
            alt="A matrix m of 8 rows and 12 columns, its upper right tile of 4 by 4 elements in "
            "four colors, one for each row. The same tile in shared memory. In out, 12 rows and 8 "
            "columns, it is the lower left tile, and its colors are columns.",
            source="A sketch with tiles of 4 x 4. A number is an element, a color the row of m "
            "that it comes from.",
        ),
    )


def _draw_matrix(ax: Axes, name: str, left: float, rows: int, columns: int) -> None:
    write(ax, left, _TOP - 0.7, name, size_pt=11, family="monospace", weight="bold")
    for row in range(rows):
        for column in range(columns):
            draw_cell(ax, left + column, _TOP + row)
    for row in range(0, rows, _SIDE):
        for column in range(0, columns, _SIDE):
            corner = (left + column, _TOP + row)
            ax.add_patch(
                Rectangle(corner, _SIDE, _SIDE, facecolor="none", edgecolor=style.QUIET, lw=1.2)
            )


def _draw_ways(ax: Axes) -> None:
    """Arrows from matrix to tile to matrix, and what a warp does at each end."""
    way = {"arrowstyle": "->", "color": style.INK, "lw": 1.8}
    middle = _TOP + _SIDE / 2
    ax.annotate("", (_TILE_X - 0.3, middle), (_COLUMNS + 0.3, middle), arrowprops=way)
    goal = (_OUT_X - 0.3, _TOP + _SIDE * _BEFORE + _SIDE / 2)
    ax.annotate("", goal, (_TILE_X + _SIDE + 0.2, middle + 0.6), arrowprops=way)
    below = _TOP + _ROWS + 0.8
    _write_lines(ax, 0, below, "1. A warp reads a row of m and puts\nit into a row of the tile.")
    _write_lines(ax, _TILE_X, _TOP + _SIDE + 1.2, "2. Barrier.")
    third = "3. A warp takes\na column of the\ntile and writes\na row of out."
    _write_lines(ax, _TILE_X, below, third)


def _write_lines(ax: Axes, x: float, y: float, text: str) -> None:
    for row, line in enumerate(text.splitlines()):
        write(ax, x, y + row, line, size_pt=9.5)
