"""How far off each column of a row is, side by side for several ways to cut it into groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption

_BELOW_MARK = 0.86
"""Where lines between groups end, as a share of the height: the mark has its text above."""


@dataclass(frozen=True)
class ColumnErrors:
    """The errors (columns,) of a row that is cut into groups of ``group`` columns."""

    name: str
    errors: np.ndarray
    group: int


def plot_column_errors(
    panels: Sequence[ColumnErrors],
    *,
    marked: int,
    mark: str,
    caption: Caption,
) -> np.ndarray:
    """Draw a bar for each column, with lines between groups, on one scale for all panels.

    Args:
        panels: at least two; an error that is not finite is left out, and counted in words.
        marked: the column that is special.
        mark: what is written beside it.
        caption: title, names of the axes, source, alternative text.

    Returns:
        The Axes of the panels.
    """
    axes = style.new_axes(3.3, columns=len(panels), sharey=True)
    heights = [np.where(np.isfinite(one.errors), np.abs(one.errors), 0.0) for one in panels]
    top = max(float(one.max()) for one in heights) or 1.0
    for ax, panel, height in zip(axes, panels, heights, strict=True):
        _draw(ax, panel, height, marked)
        ax.set_ylim(0, 1.28 * top)
        _write_mark(ax, mark, marked, panel.errors.size, 1.17 * top)
        _say_lost(ax, int((~np.isfinite(panel.errors)).sum()), panel.errors.size)
        style.name_axes(ax, title=panel.name, x=caption.x)
        ax.title.set_fontsize(10.5)
    axes[0].set_ylabel(caption.y, fontsize=10.5, color=style.INK)
    axes[0].figure.suptitle(
        caption.title, x=0.01, ha="left", fontsize=12, color=style.INK, fontweight="bold"
    )
    style.note_source(axes[0], caption.source)
    style.describe(axes[0], caption.alt)
    return axes


def _draw(ax: Axes, panel: ColumnErrors, height: np.ndarray, marked: int) -> None:
    columns = panel.errors.size
    of_mark = marked // panel.group
    for first in range(0, columns, panel.group):
        part = np.arange(first, min(columns, first + panel.group))
        color = style.ORANGE if first // panel.group == of_mark else style.BLUE
        ax.bar(part + 0.5, height[part], width=1.0, color=color, linewidth=0)
        if first:
            look = {"color": style.QUIET, "linewidth": 1, "linestyle": (0, (4, 3))}
            ax.axvline(first, ymax=_BELOW_MARK, **look)
    ax.set_xlim(0, columns)
    ax.set_xticks([*range(0, columns, 32), columns])


def _write_mark(ax: Axes, text: str, marked: int, columns: int, y: float) -> None:
    """Above the column, with an arrow's head on it, on the side that has more room."""
    is_late = marked > 0.65 * columns
    ax.plot([marked + 0.5], [y], marker="v", markersize=6, color=style.INK, linestyle="none")
    ax.annotate(
        text,
        (marked + 0.5, y),
        xytext=(-7 if is_late else 7, 0),
        textcoords="offset points",
        ha="right" if is_late else "left",
        va="center",
        fontsize=9.5,
        color=style.INK,
        bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 1.0},
    )


def _say_lost(ax: Axes, lost: int, columns: int) -> None:
    if lost:
        ax.text(
            0.5,
            0.5,
            f"{lost} of {columns} errors\nare not finite numbers",
            transform=ax.transAxes,
            ha="center",
            va="center",
            fontsize=9.5,
            color=style.INK,
            bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 3.0},
        )
