"""Atomics of a warp by address: lanes that meet in one row wait for each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import draw_cell, label, lay_out, sheet, write
from gpuedu.lens.turns import Turns

_LEFT, _COLUMNS, _MOST_ROWS = 6.2, 32, 4


@dataclass(frozen=True)
class TurnsPanel:
    """One warp's atomic with the sentence above it."""

    name: str
    turns: Turns


def plot_turns(panels: Sequence[TurnsPanel], *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw, for each panel, the most crowded addresses with their lanes, one lane per turn.

    Args:
        panels: What to draw, from top to bottom.
        caption: Title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    height = sum(_rows(panel.turns) + 2.1 for panel in panels) + 0.9
    ax = sheet(height, _COLUMNS, _LEFT) if ax is None else lay_out(ax, height, _COLUMNS, _LEFT)
    _draw_scale(ax)
    top = 1.2
    for panel in panels:
        top = _draw_panel(ax, panel, top)
    return write_caption(ax, caption)


def _shown(turns: Turns) -> tuple[int, ...]:
    """The addresses that are drawn; one that would stand alone behind them is drawn, too."""
    crowded = turns.crowded
    return crowded if len(crowded) <= _MOST_ROWS + 1 else crowded[:_MOST_ROWS]


def _rows(turns: Turns) -> int:
    shown = len(_shown(turns))
    return shown + (shown < len(turns.lanes))


def _draw_scale(ax: Axes) -> None:
    write(ax, -0.4, 0.4, "turn", color=style.QUIET, ha="right")
    for turn in (1, 8, 16, 24, 32):
        write(ax, turn - 0.5, 0.4, str(turn), color=style.QUIET, ha="center")


def _draw_panel(ax: Axes, panel: TurnsPanel, top: float) -> float:
    """One warp; gives the top of the next panel."""
    turns = panel.turns
    site, shown = turns.request.site, _shown(turns)
    write(ax, -_LEFT + 0.1, top + 0.4, panel.name, size_pt=10, weight="bold")
    for row, element in enumerate(shown, 1):
        write(ax, -0.4, top + row + 0.5, label(site.array, element, ()), ha="right")
        for turn, lane in enumerate(turns.lanes[element]):
            color = style.BLUE if turn == 0 else style.ORANGE
            draw_cell(ax, turn, top + row, color=color, text=str(lane))
    bottom = top + len(shown) + 1
    rest = len(turns.lanes) - len(shown)
    if rest:
        most = len(turns.lanes[turns.crowded[len(shown)]])
        lanes = "one lane each" if most == 1 else f"at most {most} lanes each"
        write(ax, 0.1, bottom + 0.4, f"and {rest} more addresses, {lanes}", color=style.QUIET)
        bottom += 1
    return bottom + 0.9
