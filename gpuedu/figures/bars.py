"""Values on a logarithmic axis, one a row: a dot with its value written beside it.

A logarithmic axis has no zero for a bar to start from, so its length would mean nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.decades import DecadeFormatter

_LETTER_PT = 5.9

NO_VALUE = "no positive, finite number"


@dataclass(frozen=True)
class Bar:
    """A value with its name and the text beside it; ``until`` makes it a range.

    One with a ``hatch`` is drawn hollow: printed or computed, say, beside what was measured.
    """

    name: str
    value: float
    text: str
    color: str = style.BLUE
    hatch: str = ""
    until: float | None = None

    @property
    def end(self) -> float:
        """The upper end, on the value axis."""
        return self.value if self.until is None else self.until


def plot_bars(
    bars: Sequence[Bar],
    *,
    caption: Caption,
    row_in: float = 0.36,
    limits: tuple[float, float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw values from top to bottom in the order given.

    Args:
        bars: a value that is not positive and finite (``nan``) is mentioned, not drawn.
        caption: title, name of the value axis, source, alternative text.
        row_in: height of a row of a new figure, in inches.
        limits: the ends of the value axis, both positive, to compare with another figure; by
            default they fit the values and what is written beside them. An axis that is too short
            is made longer.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.25 + row_in * len(bars)) if ax is None else ax
    low, high = _limits(bars)
    if limits is not None:
        low, high = _within(limits, bars, high)
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    for place, bar in enumerate(reversed(bars)):
        _draw_bar(ax, place, bar, low)
    ax.set_yticks(range(len(bars)), [bar.name for bar in reversed(bars)])
    ax.set_ylim(-0.6, len(bars) - 0.4)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(axis="y", color=style.FAINT, linewidth=0.8, linestyle=":")
    ax.grid(axis="x", color=style.FAINT, linewidth=0.8)
    ax.xaxis.set_major_locator(LogLocator(base=10, numticks=9))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(DecadeFormatter())
    return write_caption(ax, caption)


def _limits(bars: Sequence[Bar]) -> tuple[float, float]:
    """Half a decade below the least value, and room for the text behind each bar."""
    known = [bar for bar in bars if bar.value > 0]
    if not known:
        return 1.0, 100.0
    low = min(bar.value for bar in known) / 3
    widest = max(len(line) for bar in bars for line in bar.name.splitlines())
    width_pt = style.WIDTH_IN * 72 - widest * _LETTER_PT * 1.1 - 30
    decades = max(
        math.log10(bar.end / low) / (1 - min(0.8, (len(bar.text) + 2) * _LETTER_PT / width_pt))
        for bar in known
    )
    return low, low * 10**decades


def _within(limits: tuple[float, float], bars: Sequence[Bar], high: float) -> tuple[float, float]:
    """The given ends, each moved outwards where a dot would be cut."""
    known = [bar for bar in bars if bar.value > 0]
    low = min([limits[0], *(bar.value / 3 for bar in known if bar.value <= limits[0])])
    return low, max(limits[1], high) if any(bar.end > limits[1] for bar in known) else limits[1]


def _draw_bar(ax: Axes, place: int, bar: Bar, low: float) -> None:
    if not bar.value > 0:
        _write(ax, place, low, NO_VALUE, style.QUIET)
        return
    look = {"marker": "o", "markersize": 9, "markeredgewidth": 1.8, "zorder": 3}
    if bar.until is not None:
        ax.plot([bar.value, bar.until], [place, place], color=bar.color, linewidth=3, zorder=2)
    for value in (bar.value,) if bar.until is None else (bar.value, bar.until):
        fill = style.GROUND if bar.hatch else bar.color
        ax.plot([value], [place], color=bar.color, markerfacecolor=fill, **look)
    _write(ax, place, bar.end, bar.text, style.INK)


def _write(ax: Axes, place: int, x: float, text: str, color: str) -> None:
    ax.annotate(
        text,
        (x, place),
        xytext=(10, 0),
        textcoords="offset points",
        va="center",
        fontsize=9.5,
        color=color,
        bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.6},
    )
