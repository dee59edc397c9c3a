"""A crowd of points on two axes, some beyond a limit, and a few that are marked and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_MARKS = (("D", style.GREEN), ("o", style.INK), ("s", style.ORANGE))


@dataclass(frozen=True)
class Spot:
    """One of the crowd."""

    x: float
    y: float


@dataclass(frozen=True)
class Mark:
    """A point that is named below the drawing; without a place there is only its name."""

    name: str
    spot: Spot | None
    is_wrong: bool = False


def plot_crowd(
    spots: Sequence[Spot],
    marks: Sequence[Mark],
    limit: float,
    limit_name: str,
    *,
    caption: Caption,
    format_x: Callable[[float], str],
    format_y: Callable[[float], str],
    names: tuple[str, str] = ("fits", "does not fit"),
    ax: Axes | None = None,
) -> Axes:
    """Draw both axes logarithmic; their ranges are those of the crowd, whatever is marked.

    Args:
        spots: the crowd, at least one.
        marks: at most three: the best, the learner's own (a ring), and another.
        limit: the largest x that fits; a line.
        limit_name: what it is called.
        caption: title, names of the axes, source, alternative text.
        format_x: how a tick of the x axis is written.
        format_y: how a tick of the y axis is written.
        names: of points up to the limit, and beyond.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(5.0) if ax is None else ax
    ax.set_xscale("log")
    ax.set_yscale("log")
    _draw_crowd(ax, spots, limit, limit_name, names)
    for (shape, color), mark in zip(_MARKS, marks, strict=False):
        _draw_mark(ax, mark, shape, style.RED if mark.is_wrong else color)
    across, up = [spot.x for spot in spots], [spot.y for spot in spots]
    ax.set_xlim(min(*across, limit) / 1.3, max(*across, limit) * 1.3)
    ax.set_ylim(min(up) / 1.3, max(up) * 1.3)
    for axis, write in ((ax.xaxis, format_x), (ax.yaxis, format_y)):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=15))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _, write=write: write(value)))
    ax.legend(
        frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(0, -0.14), handletextpad=0.4
    )
    return write_caption(ax, caption)


def _draw_crowd(
    ax: Axes, spots: Sequence[Spot], limit: float, limit_name: str, names: tuple[str, str]
) -> None:
    inside = [spot for spot in spots if spot.x <= limit]
    beyond = [spot for spot in spots if spot.x > limit]
    looks = ((inside, ".", style.BLUE, 0.55), (beyond, "x", style.QUIET, 0.35))
    for (found, shape, color, alpha), name in zip(looks, names, strict=True):
        ax.plot(
            [spot.x for spot in found],
            [spot.y for spot in found],
            shape,
            color=color,
            alpha=alpha,
            markersize=5,
            markeredgewidth=0.8,
            label=f"{name} ({len(found):,})",
        )
    ax.axvline(limit, color=style.INK, linewidth=1.1, dashes=(4, 3), label=limit_name)


def _draw_mark(ax: Axes, mark: Mark, shape: str, color: str) -> None:
    is_ring = shape == "o"
    x, y = ([mark.spot.x], [mark.spot.y]) if mark.spot else ([], [])
    ax.plot(
        x,
        y,
        shape,
        color=color,
        label=mark.name,
        zorder=4 if is_ring else 3,
        markersize=14 if is_ring else 8,
        fillstyle="none" if is_ring else "full",
        markeredgewidth=2.0 if is_ring else 0.8,
    )
