"""Times recorded on GPUs: bars for kernels, curves by a size, a panel for each series.

Bars begin at 0 on a linear axis, so that their lengths can be compared. A device keeps its color
in all panels; the learner's own has a frame, a star at the end, and "yours" in words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves

OWN = style.GREEN
OTHERS = (style.BLUE, style.ORANGE, style.PINK)
_TEXT_PT, _LETTER_PT = 9.0, 4.9
_BAR_IN, _GAP_IN, _AROUND_IN = 0.21, 0.12, 0.72
_CURVES_IN, _LINE_IN, _TITLE_IN = 2.5, 0.17, 0.35
_MOST_TICKS, _EDGE_IN = 6, 0.08


@dataclass(frozen=True)
class RecordedBar:
    """A kernel on a device: ``value`` is None if there is none, and ``text`` says why.

    ``spread`` is the width of the middle half of the runs, in the unit of ``value``.
    """

    value: float | None
    text: str
    color: str
    spread: float = 0.0
    is_own: bool = False


@dataclass(frozen=True)
class BarPanel:
    """Groups of bars, ``(name, bars of the devices)``, from top to bottom."""

    title: str
    x: str
    groups: tuple[tuple[str, tuple[RecordedBar, ...]], ...]
    format_x: Callable[[float], str] = "{:g}".format

    @property
    def bars(self) -> list[RecordedBar]:
        """All bars from top to bottom."""
        return [bar for _, bars in self.groups for bar in bars]


@dataclass(frozen=True)
class CurvePanel:
    """Curves on two logarithmic axes; ticks of the x axis are the points of the curves."""

    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    format_x: Callable[[float], str] = "{:g}".format


Panel = BarPanel | CurvePanel


def plot_recorded(panels: Sequence[Panel], *, caption: Caption) -> Axes:
    """Draw the panels below each other, with one title, source and alternative text.

    Args:
        panels: at least one; each has its own title and axis names.
        caption: title of the whole, source, alternative text.

    Returns:
        The uppermost Axes.
    """
    heights = [_height_in(panel) for panel in panels]
    source_in = _LINE_IN * (1 + caption.source.count("\n"))
    first = style.new_axes(sum(heights) + source_in + _TITLE_IN)
    figure = first.figure
    # Names of bars begin where title and source do.
    figure.get_layout_engine().set(w_pad=_EDGE_IN)
    rows = figure.add_gridspec(len(panels), 1, height_ratios=heights)
    # A grid of its own lets the names at the ends of curves take nothing from the bars' width.
    cells = [rows[place].subgridspec(1, 1)[0] for place in range(len(panels))]
    first.set_subplotspec(cells[0])
    axes = [first, *(style.dress(figure.add_subplot(cell)) for cell in cells[1:])]
    _write_around(first, caption)
    # Curves last: their names are placed where the axes are then.
    for ax, panel in sorted(zip(axes, panels, strict=True), key=_is_of_curves):
        if isinstance(panel, CurvePanel):
            _draw_curves(ax, panel, caption, _alike(panel, panels))
        else:
            _draw_bars(ax, panel)
    return first


def _is_of_curves(placed: tuple[Axes, Panel]) -> bool:
    return isinstance(placed[1], CurvePanel)


def _alike(panel: CurvePanel, panels: Sequence[Panel]) -> list[Curve]:
    """The curves of all panels with the same axes, whose scale they share."""
    others = [one for one in panels if isinstance(one, CurvePanel)]
    return [curve for one in others if (one.x, one.y) == (panel.x, panel.y) for curve in one.curves]


def _height_in(panel: Panel) -> float:
    if isinstance(panel, CurvePanel):
        return _CURVES_IN
    return _AROUND_IN + _BAR_IN * len(panel.bars) + _GAP_IN * len(panel.groups)


def _write_around(ax: Axes, caption: Caption) -> None:
    ax.figure.suptitle(
        caption.title, x=0.01, ha="left", fontsize=12, color=style.INK, fontweight="bold"
    )
    style.note_source(ax, caption.source)
    style.describe(ax, caption.alt)


def _draw_bars(ax: Axes, panel: BarPanel) -> None:
    ax.set_xlim(0, _right_end(panel))
    names, y = [], 0.0
    for name, bars in panel.groups:
        names.append((y + (len(bars) - 1) / 2, name))
        for bar in bars:
            _draw_bar(ax, y, bar)
            y += 1
        y += _GAP_IN / _BAR_IN
    ax.set_ylim(y - 1 - _GAP_IN / _BAR_IN + 0.75, -0.75)
    ax.set_yticks([at for at, _ in names], [name for _, name in names])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=9.5)
    ax.tick_params(axis="x", labelsize=9)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color=style.FAINT, linewidth=0.8)
    ax.xaxis.set_major_locator(MaxNLocator(_MOST_TICKS))
    ax.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: panel.format_x(value) if value else "0")
    )
    _name(ax, panel.title, panel.x)


def _draw_bar(ax: Axes, y: float, bar: RecordedBar) -> None:
    if bar.value is None:
        _write(ax, 0, y, bar.text, style.QUIET)
        return
    ax.barh(
        y,
        bar.value,
        height=0.82,
        color=bar.color,
        edgecolor=style.INK if bar.is_own else "none",
        linewidth=1.0,
        gid="recorded",
    )
    low, high = max(0.0, bar.value - bar.spread / 2), bar.value + bar.spread / 2
    if bar.spread:
        ax.plot([low, high], [y, y], color=style.INK, linewidth=1.2, gid="spread", zorder=3)
    if bar.is_own:
        star = {"markersize": 9, "markeredgecolor": style.INK, "markeredgewidth": 0.8}
        ax.plot([bar.value], [y], "*", color=bar.color, zorder=4, gid="own", **star)
    _write(ax, high, y, bar.text, style.INK)


def _write(ax: Axes, x: float, y: float, text: str, color: str) -> None:
    ax.annotate(
        text,
        (x, y),
        xytext=(8, 0),
        textcoords="offset points",
        va="center_baseline",
        fontsize=_TEXT_PT,
        color=color,
        bbox=style.BEHIND_TEXT,
        annotation_clip=False,
    )


def _right_end(panel: BarPanel) -> float:
    """Room for the text behind each bar."""
    widest = max(len(name) for name, _ in panel.groups)
    width_pt = style.WIDTH_IN * 72 - widest * 5.4 - 30
    ends = [
        (bar.value + bar.spread / 2) / (1 - min(0.8, (len(bar.text) * _LETTER_PT + 10) / width_pt))
        for bar in panel.bars
        if bar.value is not None
    ]
    return max(ends, default=1.0)


def _draw_curves(ax: Axes, panel: CurvePanel, whole: Caption, alike: Sequence[Curve]) -> None:
    caption = replace(whole, title=panel.title, x=panel.x, y=panel.y)
    plot_curves(panel.curves, caption=caption, alike=alike, ax=ax)
    points = sorted({x for curve in alike for x, _ in curve.drawn})
    step = math.ceil(len(points) / _MOST_TICKS)
    shown = points[::step]
    ax.set_xticks(shown, [panel.format_x(x) for x in shown])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.tick_params(labelsize=9)
    _name(ax, panel.title, panel.x, panel.y)


def _name(ax: Axes, title: str, x: str, y: str = "") -> None:
    look: dict[str, Any] = {"fontsize": 9.5, "color": style.QUIET}
    ax.set_title(title, loc="left", fontsize=10.5, color=style.INK, fontweight="bold")
    ax.set_xlabel(x, **look)
    ax.set_ylabel(y, **look)
