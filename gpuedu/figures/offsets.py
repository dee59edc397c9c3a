"""What functions of an offset return, and at which offsets that is not a finite number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_REACH = 7.0
_EDGE, _ROW = 0.03, 0.055
"""Where crosses are, and how far the next line's are above them, as parts of the height."""


@dataclass(frozen=True)
class Offsets:
    """A named line: ``y`` over ``x``; what is not finite becomes a cross at the lower edge."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    color: str
    dashes: str = "-"

    @property
    def finite(self) -> list[tuple[float, float]]:
        """The points that are numbers."""
        return [(x, y) for x, y in zip(self.x, self.y, strict=True) if math.isfinite(y)]


def plot_offsets(
    lines: Sequence[Offsets], *, level: float, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw lines around ``level``, and crosses at the lower edge where one is not finite.

    Args:
        lines: what to compare, over the same x.
        level: where a right line lies; the axis shows as much above it as below, and a value beyond
            it is drawn at the edge.
        caption: title, names of the axes, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.2) if ax is None else ax
    low, high = level - _REACH, level + _REACH
    for row, line in enumerate(lines):
        y = [min(max(y, low), high) if math.isfinite(y) else math.nan for y in line.y]
        ax.plot(line.x, y, color=line.color, linewidth=2.4, linestyle=line.dashes, label=line.name)
        lost = [x for x, y in zip(line.x, line.y, strict=True) if not math.isfinite(y)]
        if lost:
            said = f"{line.name}: no finite number"
            at = [_EDGE + _ROW * row] * len(lost)  # parts of the height: they have no value
            edge = ax.get_xaxis_transform()
            ax.plot(
                lost, at, "x", color=line.color, ms=5, label=said, transform=edge, clip_on=False
            )
    ax.set_yticks([round(level) + step for step in (-5, 0, 5)])
    ax.set_ylim(low, high + 2.4)
    ax.set_xlim(min(lines[0].x), max(lines[0].x))
    ax.legend(loc="upper left", ncols=4, frameon=False, fontsize=9.5, borderaxespad=0.1)
    return write_caption(ax, caption)
