"""Rows of segments end to end, each as long as its size, with its name inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_ROOM = 1.18
_NARROWEST, _LETTER = 0.045, 0.0108
"""On the axis: the width below which nothing is written inside, and a letter's width."""


@dataclass(frozen=True)
class SegmentRow:
    """A row's name, its segments (a text and a size each), and what is written after them."""

    name: str
    segments: tuple[tuple[str, float], ...]
    note: str = ""

    @property
    def total(self) -> float:
        """The size of all segments together."""
        return sum(size for _, size in self.segments)


def plot_segments(rows: Sequence[SegmentRow], *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw rows from the top, on an axis of sizes that starts at 0."""
    ax = style.new_axes(1.0 + 0.7 * len(rows)) if ax is None else ax
    ax.grid(visible=False)
    end = _ROOM * max(row.total for row in rows)
    for place, row in enumerate(rows):
        left = 0.0
        for text, size in row.segments:
            _draw_segment(ax, (left, -place), size, _wrapped(text, size / end))
            left += size
        look = {"va": "center", "fontsize": 9.5, "color": style.INK}
        ax.text(left + 0.007 * end, -place, row.note, **look)
    ax.set_yticks([-place for place in range(len(rows))], [row.name for row in rows])
    ax.set_ylim(-len(rows) + 0.5, 0.5)
    ax.set_xlim(0, end)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    return write_caption(ax, caption)


def _draw_segment(ax: Axes, place: tuple[float, float], size: float, text: str) -> None:
    left, middle = place
    look = {"facecolor": "#e3eef6", "edgecolor": style.BLUE, "linewidth": 1.2}
    ax.add_patch(Rectangle((left, middle - 0.36), size, 0.72, **look))
    inside = {"ha": "center", "va": "center", "fontsize": 8.5, "color": style.INK}
    ax.text(left + size / 2, middle, text, **inside)


def _wrapped(text: str, share: float) -> str:
    """Words in lines that fit a segment; nothing where it is too narrow."""
    if share < _NARROWEST:
        return ""
    lines, fits = [""], max(5, int(share / _LETTER))
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= fits:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
