"""Horizontal bars on a plain axis from 0, each with its value, and an outline of the ideal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LETTER_PT = 5.9
_HEIGHT = 0.62


@dataclass(frozen=True)
class PlainBar:
    """A value from 0 on with its name and the text after it; ``ideal`` is outlined."""

    name: str
    value: float
    text: str
    color: str = style.BLUE
    ideal: float = 0.0

    @property
    def end(self) -> float:
        """Where bar and outline end; 0 if neither is a finite number above it."""
        return max((x for x in (self.value, self.ideal) if math.isfinite(x)), default=0.0)


def plot_plain_bars(
    bars: Sequence[PlainBar],
    *,
    caption: Caption,
    row_in: float = 0.42,
    ax: Axes | None = None,
) -> Axes:
    """Draw bars from top to bottom in the order given, comparable by their lengths.

    Args:
        bars: at least one; a value that is not finite is written, not drawn.
        caption: title, name of the value axis, source, alternative text.
        row_in: height of a row of a new figure, in inches.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.25 + row_in * len(bars)) if ax is None else ax
    for place, bar in enumerate(reversed(bars)):
        _draw_bar(ax, place, bar)
    ax.set_xlim(0, _limit(bars))
    ax.set_yticks(range(len(bars)), [bar.name for bar in reversed(bars)])
    ax.set_ylim(-0.6, len(bars) - 0.4)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(visible=False)
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    return write_caption(ax, caption)


def _limit(bars: Sequence[PlainBar]) -> float:
    """Room for the text behind each bar."""
    names_pt = max(len(bar.name) for bar in bars) * _LETTER_PT * 1.1 + 30
    width_pt = style.WIDTH_IN * 72 - names_pt
    ends = [bar.end / (1 - min(0.8, (len(bar.text) + 2) * _LETTER_PT / width_pt)) for bar in bars]
    return max(ends) or 1.0


def _draw_bar(ax: Axes, place: int, bar: PlainBar) -> None:
    if math.isfinite(bar.value):
        ax.barh(place, bar.value, height=_HEIGHT, color=bar.color, linewidth=0, gid="value")
    if bar.ideal:
        look = {"facecolor": "none", "edgecolor": style.INK, "linestyle": "--", "linewidth": 1.2}
        ax.barh(place, bar.ideal, height=_HEIGHT, gid="ideal", **look)
    ax.annotate(
        bar.text,
        (bar.end, place),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=9.5,
        color=style.INK,
    )
