"""Which items were mirrored, a row of cells for each worker: equal rows show at a glance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_HEAD = 1.0


def plot_flips(
    groups: Sequence[tuple[str, np.ndarray]],
    *,
    caption: Caption,
    rows: Sequence[str] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw groups of rows below each other; a dark cell is a flip.

    Args:
        groups: a name, and booleans of shape (workers, items).
        rows: names of the rows of every group; by default "worker 0" and so on.
        caption: title, name of the axis along the items, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    count = sum(len(flips) for _, flips in groups)
    ax = style.new_axes(1.15 + 0.27 * (count + len(groups) * _HEAD)) if ax is None else ax
    top, ticks = 0.0, []
    for name, flips in groups:
        ax.text(
            0, top - 0.6 * _HEAD, name, fontsize=10, color=style.INK, fontweight="bold", va="center"
        )
        top -= _HEAD
        for worker, row in enumerate(flips):
            _draw_row(ax, row, top)
            ticks.append((top - 0.5, rows[worker] if rows else f"worker {worker}"))
            top -= 1
    items = max(len(row) for _, flips in groups for row in flips)
    ax.set_xlim(0, items)
    ax.set_ylim(top - 0.1, 0.1)
    ax.set_yticks([y for y, _ in ticks], [text for _, text in ticks])
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(visible=False)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    return write_caption(ax, caption)


def _draw_row(ax: Axes, row: np.ndarray, top: float) -> None:
    for item, is_flipped in enumerate(row):
        color = style.BLUE if is_flipped else style.GROUND
        box = Rectangle((item + 0.06, top - 0.92), 0.88, 0.84, facecolor=color)
        box.set_edgecolor(style.BLUE if is_flipped else style.FAINT)
        ax.add_patch(box)
