"""Where numbers go, step by step, on linear axes: each path is named at its end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.end_labels import EndLabel, write_end_labels

_MARKERS = ("o", "s", "D", "^", "v", "P")


@dataclass(frozen=True)
class Path:
    """Points (x, y); those that are not finite are left out.

    ``aim`` is for what is aimed at: a broad pale band, below the paths that should follow it.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    color: str
    aim: bool = False

    @property
    def drawn(self) -> list[tuple[float, float]]:
        """The points that can be drawn."""
        pairs = zip(self.x, self.y, strict=True)
        return [(x, y) for x, y in pairs if math.isfinite(x) and math.isfinite(y)]


def plot_paths(
    paths: Sequence[Path],
    *,
    caption: Caption,
    y_limits: tuple[float, float] | None = None,
    height_in: float = 3.6,
    ax: Axes | None = None,
) -> Axes:
    """Draw paths, told apart by color, marker and name.

    Args:
        paths: what to compare; one without a finite point is named as such at the left.
        caption: title, names of the axes, source, alternative text.
        y_limits: what is shown of the y axis; a path that leaves it is cut off there. All of every
            path by default.
        height_in: height of a new figure, in inches.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(height_in) if ax is None else ax
    for place, path in enumerate(paths):
        _draw(ax, path, _MARKERS[place % len(_MARKERS)])
    if y_limits is not None:
        ax.set_ylim(*y_limits)
    across = [x for path in paths for x in path.x if math.isfinite(x)] or [0.0, 1.0]
    left, right = min(across), max(across) or 1.0
    aside = 0.012 * (right - left) if paths else 0.0  # so that markers at the ends are whole
    ax.set_xlim(left - aside, right + aside)
    if right >= 1000:
        ax.xaxis.set_major_formatter("{x:,g}")
    write_caption(ax, caption)
    low, high = ax.get_ylim()
    ends = []
    for path in paths:
        if path.drawn:
            y = float(np.clip(path.drawn[-1][1], low, high))
            ends.append(EndLabel(ax.get_xlim()[1], y, path.name, path.color))
        else:
            ends.append(EndLabel(ax.get_xlim()[1], low, f"{path.name}: no number", path.color))
    write_end_labels(ax, ends)
    return ax


def _draw(ax: Axes, path: Path, marker: str) -> None:
    if not path.drawn:
        return
    x, y = zip(*path.drawn, strict=True)
    if path.aim:
        ax.plot(x, y, color=style.FAINT, linewidth=9, solid_capstyle="butt", zorder=1.5)
        return
    look = {"marker": marker, "markersize": 5, "markevery": max(1, len(x) // 8)}
    ax.plot(x, y, color=path.color, linewidth=2, **look)
