"""Lines over a whole number (places of a queue, workers), on plain axes, each named at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.end_labels import EndLabel, write_end_labels

NOTHING = "Nothing to draw on these axes yet:\nthey show finite numbers from 0 on."
_MARKERS = ("o", "s", "D", "^", "v", "P")
_MOST = 1e15
_MOST_MARKS = 20


@dataclass(frozen=True)
class CountLine:
    """Values by count; what is not a number from 0 on is left out.

    ``dots`` draws rings only; ``mark`` is a count at which a line falls from the value to the axis;
    if ``signed``, values below 0 are drawn too. ``has_marks=False`` is a line without markers.
    """

    name: str
    counts: tuple[int, ...]
    values: tuple[float, ...]
    color: str
    dots: bool = False
    mark: float | None = None
    signed: bool = False
    has_marks: bool = True

    @property
    def drawn(self) -> list[tuple[int, float]]:
        """The points that can be drawn."""
        pairs = zip(self.counts, self.values, strict=True)
        least = -_MOST if self.signed else 0.0
        return [(count, value) for count, value in pairs if least <= value < _MOST]


def plot_by_count(
    lines: Sequence[CountLine],
    *,
    caption: Caption,
    format_y: Callable[[float], str] = "{:,g}".format,
    ax: Axes | None = None,
) -> Axes:
    """Draw lines over counts, from 0 up, with their names at the right end.

    Args:
        lines: what to compare; one without a point is left out.
        caption: title, names of the axes, source, alternative text.
        format_y: how a tick of the y axis is written.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.4) if ax is None else ax
    shown = [line for line in lines if line.drawn]
    for place, line in enumerate(shown):
        _draw_line(ax, line, _MARKERS[place % len(_MARKERS)])
    counts = [count for line in lines for count in line.counts]
    values = [value for line in shown for _, value in line.drawn]
    top, bottom = max(values, default=0.0), min(values, default=0.0)
    ax.set_xlim(min(counts) - 0.2, max(counts) + 0.2)
    ax.set_ylim(min(0.0, 1.12 * bottom), 1.12 * top if top > 0 else 1)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_y(value)))
    write_caption(ax, caption)
    if not shown:
        look = {"ha": "center", "va": "center", "fontsize": 11, "color": style.QUIET}
        ax.text(0.5, 0.5, NOTHING, transform=ax.transAxes, **look)
    right = ax.get_xlim()[1]
    ends = [EndLabel(right, x.drawn[-1][1], x.name, x.color) for x in shown if x.name]
    write_end_labels(ax, ends)
    return ax


def _draw_line(ax: Axes, line: CountLine, marker: str) -> None:
    x, y = zip(*line.drawn, strict=True)
    look = {"marker": marker if line.has_marks else None, "markersize": 5, "linewidth": 2}
    look |= {"markevery": max(1, len(x) // _MOST_MARKS)}
    if line.dots:
        look = {"marker": "o", "markersize": 10, "linestyle": "none", "fillstyle": "none"}
    ax.plot(x, y, color=line.color, clip_on=False, zorder=3, **look)
    if line.mark in x:
        top = y[x.index(line.mark)]
        ax.vlines(line.mark, 0, top, colors=line.color, linestyles=":", linewidth=1.6, zorder=2)
