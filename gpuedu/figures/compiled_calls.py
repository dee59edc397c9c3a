"""Calls of a compiled function, one in a row, with a square for each graph that runs in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LETTERS, _SQUARES = 62, 4
_LEFT, _STEP, _NOTE = 2.4, 0.36, 4.5
_LABEL = {"va": "center", "fontsize": 9.5}
_SMALL = {"va": "center", "fontsize": 8.5, "color": style.QUIET}


@dataclass(frozen=True)
class CallRow:
    """A call, the graphs that ran in it (whether each was compiled for it), and a note."""

    name: str
    graphs: tuple[bool, ...]
    note: str = ""


def plot_compiled_calls(
    rows: Sequence[CallRow], *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw calls from the top; a square is full where its graph was compiled for that call."""
    ax = style.bare(style.new_axes(0.9 + 0.33 * len(rows)) if ax is None else ax)
    for at, (text, is_new) in enumerate((("compiled in this call", True), ("used again", False))):
        left = _LEFT + 2.4 * at
        _draw_graph(ax, left, 1.05, is_new=is_new)
        ax.text(left + 0.4, 1.05, text, color=style.INK, **_LABEL)
    for place, row in enumerate(rows):
        _draw_row(ax, row, -place)
    ax.set_xlim(0, 10.2)
    ax.set_ylim(-len(rows) + 0.4, 1.5)
    return write_caption(ax, caption)


def _draw_row(ax: Axes, row: CallRow, middle: float) -> None:
    ax.text(0, middle, row.name, color=style.INK, **_LABEL)
    for at, is_new in enumerate(row.graphs[:_SQUARES]):
        _draw_graph(ax, _LEFT + _STEP * at, middle, is_new=is_new)
    if len(row.graphs) > _SQUARES:
        more = f"+ {len(row.graphs) - _SQUARES}"
        ax.text(_LEFT + _STEP * _SQUARES, middle, more, color=style.INK, **_LABEL)
    is_short = len(row.note) <= _LETTERS
    note = row.note if is_short else row.note[:_LETTERS].rstrip() + " ..."
    ax.text(_NOTE, middle, note, **_SMALL)


def _draw_graph(ax: Axes, left: float, middle: float, *, is_new: bool) -> None:
    look = {"facecolor": style.BLUE if is_new else "none", "edgecolor": style.BLUE}
    ax.add_patch(Rectangle((left, middle - 0.32), 0.27, 0.64, linewidth=1.3, **look))
