"""Matrices cut into pieces, colored by the rank that has each, beside bars of what ranks send."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.plain_bars import PlainBar

COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.PINK)
"""By rank; with more ranks they repeat, and the numbers tell ranks apart."""
_GAP, _NAME = 2.4, 2.0
_LIGHT = 0.55


@dataclass(frozen=True)
class Cut:
    """A matrix and which rank has which part of it.

    Attributes:
        name: what is written above it.
        rows: of the matrix.
        columns: of the matrix.
        by_rows: whether the parts are rows; otherwise they are columns.
        owners: the ranks that have each row, or column; nobody if empty.
        is_merged: whether neighbors with the same owners are drawn as one part.
    """

    name: str
    rows: int
    columns: int
    by_rows: bool
    owners: tuple[tuple[int, ...], ...]
    is_merged: bool = True


def plot_cuts(
    cuts: Sequence[Cut],
    bars: Sequence[PlainBar],
    line: tuple[str, float],
    *,
    limit: float,
    caption: Caption,
    axes: Any = None,
) -> Any:
    """Draw matrices from left to right, and to their right a bar for each rank.

    Args:
        cuts: at least one; rows and columns to scale.
        bars: from top to bottom.
        line: name and place of an upright line to compare with.
        limit: end of the bars' axis; a longer bar runs past it.
        caption: title, name of the value axis, source, alternative text.
        axes: two Axes to draw on; a new figure by default.
    """
    axes = style.new_axes(3.5, 2, width_ratios=(1.25, 1)) if axes is None else axes
    left, right = axes
    _draw_cuts(style.bare(left), cuts)
    for place, bar in enumerate(reversed(bars)):
        value, hatch = min(bar.value, limit), "//" if bar.color == style.RED else ""
        look = {"color": bar.color, "hatch": hatch, "edgecolor": style.GROUND}
        right.barh(place - 0.12, value, height=0.44, linewidth=0, **look)
        said = {"color": bar.color, "fontweight": "bold"} if hatch else {"color": style.INK}
        right.text(limit / 100, place + 0.3, bar.text, va="center", fontsize=9, **said)
    name, at = line
    places = np.arange(len(bars))
    look = {"color": style.INK, "linewidth": 1.8, "linestyles": (0, (2, 1))}
    # Only beside bars, for texts are between them.
    right.vlines(np.full(len(bars), at), places - 0.42, places + 0.15, **look)
    right.text(at, len(bars) + 0.05, name, fontsize=8.5, color=style.INK, ha="center")
    right.set_xlim(0, limit)
    right.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    right.set_ylim(-0.5, len(bars) - 0.1)
    right.set_yticks(range(len(bars)), [bar.name for bar in reversed(bars)])
    right.tick_params(axis="y", length=0, labelcolor=style.INK)
    right.grid(visible=False)
    write_caption(left, Caption(caption.title, caption.alt, caption.source))
    right.set_xlabel(caption.x, fontsize=10.5, color=style.INK)
    return axes


def _draw_cuts(ax: Axes, cuts: Sequence[Cut]) -> None:
    x, tallest = 0.0, max(cut.rows for cut in cuts)
    for cut in cuts:
        at = 0
        for owners, size in _runs(cut):
            box = (x, at, cut.columns, size) if cut.by_rows else (x + at, 0, size, cut.rows)
            _draw_part(ax, owners, *box)
            at += size
        frame = {"fill": False, "edgecolor": style.INK, "linewidth": 1}
        ax.add_patch(Rectangle((x, 0), cut.columns, cut.rows, **frame))
        ax.text(x, -0.8, cut.name, fontsize=10, color=style.INK)
        x += cut.columns + _GAP
    ax.set_xlim(-0.3, x - _GAP + 0.3)
    ax.set_ylim(tallest + 0.3, -_NAME)
    ax.set_aspect("equal", adjustable="box", anchor="NW")


def _runs(cut: Cut) -> list[tuple[tuple[int, ...], int]]:
    """Owners of each part, and its rows or columns."""
    if not cut.is_merged:
        return [(owners, 1) for owners in cut.owners]
    return [(owners, len(list(run))) for owners, run in groupby(cut.owners)]


def _draw_part(
    ax: Axes, owners: Sequence[int], x: float, y: float, width: float, height: float
) -> None:
    """One run of rows or columns; each of its owners has a band of it."""
    if not owners:
        look = {"facecolor": style.FAINT, "edgecolor": style.RED, "hatch": "xx", "linewidth": 0}
        ax.add_patch(Rectangle((x, y), width, height, **look))
        return
    is_flat, bands = width >= height, len(owners)
    for place, rank in enumerate(owners):
        wide, high = (width, height / bands) if is_flat else (width / bands, height)
        left = x if is_flat else x + place * wide
        top = y + place * high if is_flat else y
        look = {"facecolor": COLORS[rank % 4], "alpha": _LIGHT, "edgecolor": "none"}
        ax.add_patch(Rectangle((left, top), wide, high, **look))
        ax.add_patch(
            Rectangle((left, top), wide, high, fill=False, edgecolor=style.GROUND, linewidth=1)
        )
        along = (place + 0.5) / bands  # on a diagonal, since bands may be thinner than a number
        at = x + along * width, y + along * height
        ax.text(*at, str(rank), ha="center", va="center", fontsize=9, color=style.INK)
