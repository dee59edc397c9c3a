"""Texts on a server, a row each: when they wait, when their prompt is read, when they write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

WAITS, READS, WRITES, IDLE = "waits", "prompt is read", "writes", "its place is idle"
_LOOKS = {
    WAITS: (style.FAINT, "....", "#aab0bc"),
    READS: (style.ORANGE, None, style.GROUND),
    WRITES: (style.BLUE, None, style.GROUND),
    IDLE: (style.GROUND, "/////", style.RED),
}
"""Of each thing that a text does: face, hatch, and the hatch's color."""
_ROW_IN, _HEIGHT = 0.17, 0.8


@dataclass(frozen=True)
class ServedRow:
    """What a text did: pairs of a kind and its end, one after another from ``start`` on."""

    start: float
    parts: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class ServedGroup:
    """Texts that were served together, from top to bottom, with a line above them."""

    says: str
    rows: tuple[ServedRow, ...]


def plot_served(groups: Sequence[ServedGroup], *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw groups below each other, on one time axis from 0.

    Args:
        groups: each with at least one row; the rows are numbered from 1.
        caption: title, name of the time axis, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    count = sum(len(group.rows) + 2 for group in groups)
    ax = style.new_axes(1.45 + _ROW_IN * count) if ax is None else ax
    place, ticks = 0.0, []
    for group in groups:
        look = {"fontsize": 9.5, "color": style.INK, "fontweight": "bold", "va": "center"}
        ax.annotate(group.says, (0, place), (3, 0), textcoords="offset points", **look)
        for number, row in enumerate(group.rows, 1):
            place += 1.25 if number == 1 else 1
            ticks.append((place, str(number)))
            _draw_row(ax, row, place)
        place += 1.6
    ends = [row.parts[-1][1] for group in groups for row in group.rows if row.parts]
    ax.set_xlim(0, 1.03 * max(ends, default=1.0))
    ax.set_ylim(place - 0.8, -2.6)
    ax.set_yticks(*zip(*ticks, strict=True))
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=8.5)
    ax.grid(visible=False)
    _write_keys(ax, groups)
    return write_caption(ax, caption)


def _draw_row(ax: Axes, row: ServedRow, place: float) -> None:
    start = row.start
    for kind, end in row.parts:
        face, hatch, edge = _LOOKS[kind]
        look = {"color": face, "hatch": hatch, "edgecolor": edge, "linewidth": 0}
        ax.barh(place, end - start, left=start, height=_HEIGHT, **look)
        start = end


def _write_keys(ax: Axes, groups: Sequence[ServedGroup]) -> None:
    used = {kind for group in groups for row in group.rows for kind, _ in row.parts}
    handles = [
        Patch(facecolor=face, hatch=hatch, label=kind, edgecolor=edge, linewidth=0)
        for kind, (face, hatch, edge) in _LOOKS.items()
        if kind in used
    ]
    look = {"frameon": False, "fontsize": 9.5, "handlelength": 1.6, "columnspacing": 1.4}
    ax.legend(handles=handles, loc="upper left", ncols=4, borderaxespad=0.1, **look)
