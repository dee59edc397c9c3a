"""Races on a timeline: the two unordered uses of a buffer, joined by a line."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.text import Annotation

from gpuedu.clock import Interval, Race
from gpuedu.clock.races import Use
from gpuedu.figures import style
from gpuedu.figures.axis_units import AxisUnit
from gpuedu.figures.lane_looks import look_of

_MOST_NAMES = 3
Placed = tuple[Interval, float]
"""An interval, and the height of the middle of its bar."""


def interval_of(use: Use, places: Sequence[Placed]) -> Placed | None:
    """The bar of a use: the operation of this number on its stream. None for a use by the host.

    >>> line = [Interval("compute", "kernel", i, i + 1, "kernel 'train' on s") for i in range(3)]
    >>> found = interval_of(Use("kernel 'train'", "stream 's'", 2), [(one, 0.0) for one in line])
    >>> found[0].start_s
    1
    """
    stream = use.agent.removeprefix("stream ")[1:-1]
    if use.agent == "host":
        return None
    on_stream = [
        pair
        for pair in places
        if pair[0].kind in ("copy", "kernel") and pair[0].label.endswith(f" on {stream}")
    ]
    # A stream does its operations in the order of their numbers.
    on_stream.sort(key=lambda pair: pair[0].start_s)
    if use.number > len(on_stream):
        return None
    found = on_stream[use.number - 1]
    return found if found[0].label == f"{use.what} on {stream}" else None


def draw_races(
    ax: Axes, places: Sequence[Placed], races: Sequence[Race], unit: AxisUnit
) -> list[Line2D]:
    """Mark each race; returns the key that names the buffers, or nothing if none was marked."""
    marked = []
    for race in races:
        ends = [interval_of(use, places) for use in (race.first, race.second)]
        found = [_middle(end, unit) for end in ends if end is not None]
        if found:
            x, y = zip(*found, strict=True)
            ax.plot(x, y, color=style.GROUND, linewidth=4, zorder=2.2)
            ax.plot(x, y, color=style.INK, linewidth=1.8, zorder=2.4)
            ax.plot(
                x,
                y,
                "X",
                markersize=9,
                markerfacecolor=style.RED,
                markeredgecolor="white",
                linestyle="none",
                # Whole at the beginning of the axis, too.
                clip_on=False,
                zorder=3.7,
            )
            marked.append(race.buffer)
    if marked:
        _keep_texts_clear(ax, places, unit)
    return [_key(list(dict.fromkeys(marked)))] if marked else []


def _keep_texts_clear(ax: Axes, places: Sequence[Placed], unit: AxisUnit) -> None:
    """Let lines end beside the texts of the bars that they cross."""
    for text in ax.texts:
        x, y = text.get_position()
        if isinstance(text, Annotation):
            continue
        for one, middle in places:
            if middle == y and unit.of(one.start_s) <= x <= unit.of(one.end_s):
                color = look_of(one.kind).color
                text.set_bbox({"facecolor": color, "edgecolor": "none", "pad": 0.2})


def _middle(place: Placed, unit: AxisUnit) -> tuple[float, float]:
    interval, y = place
    return unit.of(interval.start_s), y


def _key(buffers: Sequence[str]) -> Line2D:
    several = len(buffers) > _MOST_NAMES
    name = f"races on {len(buffers)} buffers" if several else f"race on {', '.join(buffers)}"
    return Line2D(
        [],
        [],
        color=style.INK,
        linewidth=1.8,
        marker="X",
        markersize=8,
        markerfacecolor=style.RED,
        markeredgecolor="white",
        label=name,
    )
