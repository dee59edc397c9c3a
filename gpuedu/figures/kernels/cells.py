"""Cells in rows with a number in each: the common ground of the pictures of memory."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.lens.rows import Occupant, write_index

WARP_COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.PINK, style.SKY, style.YELLOW)
_LIGHT_TEXT = {style.BLUE, style.GREEN, style.RED, style.INK}
FETCHED = "#dfe4ec"
LETTER_PT = 8.5
UNIT_IN = 0.205
_LABEL_LETTERS = 14


def warp_color(warp: int) -> str:
    """A warp's color; its number is written wherever two warps meet in a picture."""
    return WARP_COLORS[warp % len(WARP_COLORS)]


def ink_on(color: str) -> str:
    """The color of letters on a ground of this color."""
    return "white" if color in _LIGHT_TEXT else style.INK


def draw_cell(
    ax: Axes,
    x: float,
    y: float,
    *,
    color: str = style.GROUND,
    text: str = "",
    width: float = 1.0,
    edge: str = style.FAINT,
    hatch: str = "",
    edge_width: float = 0.8,
) -> None:
    """One cell with its upper left corner at (x, y); y grows downwards."""
    ax.add_patch(
        Rectangle(
            (x + 0.04, y + 0.06),
            width - 0.08,
            0.88,
            facecolor=color,
            edgecolor=edge,
            linewidth=edge_width,
            hatch=hatch,
        )
    )
    if text:
        write(ax, x + width / 2, y + 0.5, text, color=ink_on(color), ha="center")


def write(
    ax: Axes,
    x: float,
    y: float,
    text: str,
    *,
    color: str = style.INK,
    size_pt: float = LETTER_PT,
    ha: str = "left",
    weight: str = "normal",
    family: str | None = None,
) -> None:
    """A text with its middle at height y."""
    ax.text(
        x,
        y,
        text,
        ha=ha,
        va="center_baseline",
        fontsize=size_pt,
        color=color,
        fontweight=weight,
        family=family,
    )


def lane_text(occupants: Sequence[Occupant]) -> str:
    """Who is in a cell: a lane's number, with a plus if there are more, "all" for a warp.

    >>> lane_text([Occupant(0, 7)]), lane_text([Occupant(0, 7), Occupant(0, 8)])
    ('7', '7+')
    """
    if len(occupants) >= 32:
        return "all"
    return f"{occupants[0].lane}{'+' if len(occupants) > 1 else ''}"


def label(array: str, element: int, shape: tuple[int, ...]) -> str:
    """An element's name for the margin; a long array name is left out.

    >>> label("a", 35, (4, 32)), label("a_very_long_name", 35, (4, 32))
    ('a[1, 3]', '[1, 3]')
    """
    whole = write_index(array, element, shape)
    return whole if len(whole) <= _LABEL_LETTERS else write_index("", element, shape)


def shorten(text: str, letters: int = 38) -> str:
    """A text that fits beside another.

    >>> shorten("a[i]"), shorten("abcdefgh", 6)
    ('a[i]', 'abc...')
    """
    return text if len(text) <= letters else f"{text[: letters - 3]}..."


def wrap(text: str, letters: int = 112) -> str:
    """A text wrapped for the foot of a figure.

    >>> wrap("a warp is 32 lanes", 12).splitlines()
    ['a warp is 32', 'lanes']
    """
    return textwrap.fill(text, letters, break_on_hyphens=False)


def sheet(rows: float, columns: float, left: float) -> Axes:
    """Axes for ``rows`` by ``columns`` cells, with ``left`` columns of room for labels."""
    unit_in = style.WIDTH_IN / (left + columns + 0.3)
    ax = style.bare(style.new_axes(rows * min(unit_in, UNIT_IN) + 0.75))
    return lay_out(ax, rows, columns, left)


def lay_out(ax: Axes, rows: float, columns: float, left: float) -> Axes:
    """Limits of a sheet: y grows downwards."""
    ax.set_xlim(-left, columns + 0.3)
    ax.set_ylim(rows, -0.2)
    return ax
