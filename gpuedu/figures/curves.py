"""Curves on logarithmic axes, each named at its end, with levels to compare and marked points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.decades import DecadeFormatter, write_decade
from gpuedu.figures.end_labels import EndLabel, write_end_labels

NOTHING = "Nothing to draw on these axes yet:\nthey show positive, finite numbers."
_MARKERS = ("o", "s", "D", "^", "v", "P")


@dataclass(frozen=True)
class Curve:
    """Points (x, y), both positive; ``nan`` and infinity are left out. ``color`` is of the style.

    ``dots`` draws points without a line, ``has_marks=False`` a line without its markers: one that
    is computed, and might be taken for data. ``has_gaps`` breaks the line where a point is left
    out, and marks every point. ``is_named_at_end`` writes the name beside the last point, even if
    other curves go on to the right.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    color: str
    dots: bool = False
    has_marks: bool = True
    has_gaps: bool = False
    is_named_at_end: bool = False

    @property
    def drawn(self) -> list[tuple[float, float]]:
        """The points that can be drawn."""
        pairs = zip(self.x, self.y, strict=True)
        return [(x, y) for x, y in pairs if 0 < x < math.inf and 0 < y < math.inf]


@dataclass(frozen=True)
class Level:
    """A horizontal line at ``y``, which a curve stays away from or crosses."""

    name: str
    y: float
    color: str
    dashes: tuple[float, float] = (5, 3)
    at_left: bool = False


@dataclass(frozen=True)
class Mark:
    """A point with its text beside it; ``offset_pt`` says where."""

    name: str
    x: float
    y: float
    offset_pt: tuple[float, float] = (8, -16)


def plot_curves(
    curves: Sequence[Curve],
    levels: Sequence[Level] = (),
    marks: Sequence[Mark] = (),
    *,
    caption: Caption,
    format_x: Callable[[float], str] = write_decade,
    format_y: Callable[[float], str] = write_decade,
    ticks_x: Sequence[float] = (),
    steps_y: Sequence[int] = (1,),
    height_in: float = 3.6,
    alike: Sequence[Curve] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw curves, levels and marks on two logarithmic axes, with their names beside them.

    Args:
        curves: what to compare; one without a positive point is left out.
        levels: horizontal lines, named at their right end or above their left end.
        marks: single points.
        caption: title, names of the axes, source, alternative text.
        format_x: how a tick of the x axis is written.
        format_y: how a tick of the y axis is written.
        ticks_x: where the x axis has ticks, written as they are; by default at powers of ten.
        steps_y: ticks of the y axis in each decade, as multiples of its power of ten.
        height_in: height of a new figure, in inches.
        alike: curves of panels beside this one, all of which have one scale.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(height_in) if ax is None else ax
    ax.set_xscale("log")
    ax.set_yscale("log")
    shown = [curve for curve in curves if curve.drawn]
    known = [level for level in levels if level.y > 0]
    for place, curve in enumerate(shown):
        _draw_curve(ax, curve, _MARKERS[place % len(_MARKERS)])
    for level in known:
        ax.axhline(level.y, color=level.color, linewidth=1.3, dashes=level.dashes, zorder=1.5)
    write_caption(ax, caption)
    _limit(ax, [*curves, *alike], known, marks)
    left, right = ax.get_xlim()
    ax.xaxis.set_major_formatter(
        DecadeFormatter(lambda value: format_x(value) if left <= value <= right else "")
    )
    ax.yaxis.set_major_formatter(DecadeFormatter(format_y))
    if ticks_x:
        ax.set_xticks(ticks_x, [f"{tick:g}" for tick in ticks_x])
    if len(steps_y) > 1:
        ax.yaxis.set_major_locator(LogLocator(base=10, subs=steps_y))
    if not shown:
        _say_nothing(ax)
    _draw_marks(ax, marks)
    _name_all(ax, shown, known)
    return ax


def _draw_curve(ax: Axes, curve: Curve, marker: str) -> None:
    x, y = zip(*curve.drawn, strict=True)
    if curve.has_gaps:
        drawn = set(curve.drawn)
        pairs = zip(curve.x, curve.y, strict=True)
        y = tuple(point[1] if point in drawn else math.nan for point in pairs)
        ax.plot(curve.x, y, color=curve.color, linewidth=2, marker=marker, markersize=5)
        return
    if curve.dots or len(x) == 1:
        ax.plot(x, y, linestyle="none", marker=marker, markersize=6, color=curve.color)
        return
    ax.plot(
        x,
        y,
        color=curve.color,
        linewidth=2,
        marker=marker if curve.has_marks else None,
        markersize=5,
        markevery=max(1, len(x) // 6),
    )


def _draw_marks(ax: Axes, marks: Sequence[Mark]) -> None:
    for mark in marks:
        if not (mark.x > 0 and mark.y > 0):
            continue
        ax.plot([mark.x], [mark.y], "o", markersize=9, color=style.INK, fillstyle="none", mew=1.8)
        ax.annotate(
            mark.name,
            (mark.x, mark.y),
            xytext=mark.offset_pt,
            textcoords="offset points",
            fontsize=9.5,
            color=style.INK,
            ha="left" if mark.offset_pt[0] >= 0 else "right",
            va="center",
            # Above the grid, below the curves.
            bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.5},
            zorder=1.4,
        )


def _limit(
    ax: Axes, curves: Sequence[Curve], levels: Sequence[Level], marks: Sequence[Mark]
) -> None:
    across = [x for curve in curves for x, _ in curve.drawn or zip(curve.x, curve.x, strict=True)]
    across += [mark.x for mark in marks if mark.x > 0 and mark.y > 0]
    up = [y for curve in curves for _, y in curve.drawn] + [level.y for level in levels]
    up += [mark.y for mark in marks if mark.x > 0 and mark.y > 0]
    up = up or [1.0, 1000.0]
    ax.set_xlim(min(across) / 1.1, max(across) * 1.1)
    low, high = min(up) / 1.6, max(up) * 1.9
    while high < 100 * low:  # so that at least two ticks are seen
        low, high = low / 1.5, high * 1.5
    ax.set_ylim(low, high)
    for axis in (ax.xaxis, ax.yaxis):
        # Decades only: a learner's wrong curve may span a hundred of them.
        axis.set_major_locator(LogLocator(base=10, numticks=9))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(DecadeFormatter())


def _name_all(ax: Axes, curves: Sequence[Curve], levels: Sequence[Level]) -> None:
    right = ax.get_xlim()[1]
    ends = [
        EndLabel(
            curve.drawn[-1][0] if curve.is_named_at_end else right,
            curve.drawn[-1][1],
            curve.name,
            curve.color,
        )
        for curve in curves
    ]
    ends += [
        EndLabel(right, level.y, level.name, level.color)
        for level in levels
        if level.name and not level.at_left
    ]
    for level in levels:
        if level.name and level.at_left:
            ax.annotate(
                level.name,
                (ax.get_xlim()[0], level.y),
                xytext=(6, 3),
                textcoords="offset points",
                va="bottom",
                fontsize=9.5,
                color=level.color,
                bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.5},
            )
    write_end_labels(ax, ends)


def _say_nothing(ax: Axes) -> None:
    ax.text(
        0.5,
        0.2,
        NOTHING,
        transform=ax.transAxes,
        ha="center",
        va="center",
        fontsize=11,
        color=style.QUIET,
        bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 6},
    )
