"""Named points on two axes, told apart by kind, with lines of a constant ratio behind them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator
from matplotlib.transforms import Bbox

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LOOKS = (
    ("o", style.BLUE),
    ("s", style.ORANGE),
    ("D", style.GREEN),
    ("^", style.RED),
    ("v", style.PINK),
    ("P", style.SKY),
    ("X", style.QUIET),
)
_NAME_PT, _LINE_PT = 8.5, 10.0


@dataclass(frozen=True)
class Point:
    """A point with its name; ``kind`` decides how it looks, ``is_told`` if it is marked."""

    name: str
    x: float
    y: float
    kind: str
    is_told: bool = False

    @property
    def is_drawable(self) -> bool:
        """True where both are finite and above 0."""
        return all(math.isfinite(value) and value > 0 for value in (self.x, self.y))


@dataclass(frozen=True)
class Ratio:
    """A dotted line on which y / x is the same."""

    name: str
    value: float


def plot_points(
    points: Sequence[Point],
    ratios: Sequence[Ratio] = (),
    *,
    caption: Caption,
    format_x: Callable[[float], str],
    format_y: Callable[[float], str],
    kinds: Sequence[str] = (),
    is_x_linear: bool = False,
    height_in: float = 4.6,
    ax: Axes | None = None,
) -> Axes:
    """Draw points with their names beside them; a name that would cover another is left out.

    Args:
        points: those told first keep their names; what is not finite and positive is left out.
        ratios: lines behind them.
        caption: title, names of the axes, source, alternative text.
        format_x: how a tick of the x axis is written.
        format_y: how a tick of the y axis is written.
        kinds: all kinds that several figures share, so that each looks the same in all of them.
        is_x_linear: for years; the y axis is logarithmic.
        height_in: height of a new figure, in inches.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(height_in) if ax is None else ax
    shown = [point for point in points if point.is_drawable]
    ax.set_yscale("log")
    if not is_x_linear:
        ax.set_xscale("log")
    _draw_kinds(ax, shown, kinds)
    # Without lines that come from the left, the leftmost point may need room for its name there.
    _limit(ax, shown, is_x_linear=is_x_linear, left_room=2.6 if ratios else 4.3)
    for ratio in ratios:
        _draw_ratio(ax, ratio)
    write_caption(ax, caption)
    for axis, write in ((ax.xaxis, format_x), (ax.yaxis, format_y)):
        is_linear = is_x_linear and axis is ax.xaxis
        locator = MaxNLocator(integer=True) if is_linear else LogLocator(subs=(1, 2, 5))
        axis.set_major_locator(locator)
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _, write=write: write(value)))
    _write_names(ax, shown, ratios)
    return ax


def _draw_kinds(ax: Axes, points: Sequence[Point], known: Sequence[str]) -> None:
    looks = {kind: _LOOKS[place % len(_LOOKS)] for place, kind in enumerate(known)}
    for point in points:
        looks.setdefault(point.kind, _LOOKS[len(looks) % len(_LOOKS)])
    kinds = [kind for kind in looks if any(point.kind == kind for point in points)]
    for kind in kinds:
        marker, color = looks[kind]
        own = [point for point in points if point.kind == kind]
        look = {"linestyle": "none", "marker": marker, "markersize": 5.5, "color": color}
        ax.plot([p.x for p in own], [p.y for p in own], label=kind, zorder=3, **look)
    told = [point for point in points if point.is_told]
    ring = {"linestyle": "none", "marker": "o", "markersize": 11, "fillstyle": "none"}
    ax.plot([p.x for p in told], [p.y for p in told], color=style.INK, mew=1.5, zorder=4, **ring)
    if len(kinds) > 1:
        ax.legend(
            frameon=False,
            fontsize=8.5,
            columnspacing=1.2,
            handletextpad=0.3,
            loc="upper center",
            bbox_to_anchor=(0.5, -0.13),
            ncols=min(7, len(kinds)),
        )


def _limit(ax: Axes, points: Sequence[Point], *, is_x_linear: bool, left_room: float) -> None:
    if not points:
        ax.text(0.5, 0.5, "Nothing to draw yet.", transform=ax.transAxes, ha="center")
        return
    across, up = [point.x for point in points], [point.y for point in points]
    if is_x_linear:
        ax.set_xlim(min(across) - 0.6, max(across) + 1.6)
    else:
        ax.set_xlim(min(across) / left_room, max(across) * 2)
    ax.set_ylim(min(up) / 1.5, max(up) * 1.7)


def _draw_ratio(ax: Axes, ratio: Ratio) -> None:
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    ax.plot([left, right], [left * ratio.value, right * ratio.value], ":", color=style.QUIET, lw=1)
    at_top = high / ratio.value <= right
    x, y = (high / ratio.value, high) if at_top else (right, right * ratio.value)
    ax.set_xlim(left, right)
    ax.set_ylim(low, high)
    if not (left < x <= right and low < y <= high):
        return
    ax.annotate(
        ratio.name,
        (x, y),
        xytext=(-3, -4) if at_top else (-3, -8),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=8.5,
        color=style.QUIET,
        bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.5},
    )


def _write_names(ax: Axes, points: Sequence[Point], ratios: Sequence[Ratio]) -> None:
    """Names beside their points, inside the axes, best not on a dotted line; told points first."""
    ax.figure.canvas.draw()
    scale = 72 / ax.figure.dpi
    places = {p.name: ax.transData.transform((p.x, p.y)) * scale for p in points}
    boxes = [_box(*places[p.name], *_marker_pt(p)) for p in points]
    boxes += [_scaled(text.get_window_extent(), scale) for text in ax.texts]
    dotted = [box for ratio in ratios for box in _boxes_along(ax, ratio, scale)]
    left_pt, right_pt = ax.bbox.x0 * scale, ax.bbox.x1 * scale
    for point in sorted(points, key=lambda one: not one.is_told):
        x_pt, y_pt = places[point.name]
        others = [place for name, place in places.items() if name != point.name]
        text = ax.annotate(
            point.name,
            (point.x, point.y),
            xytext=(0, 0),
            textcoords="offset points",
            va="center",
            fontsize=_NAME_PT,
            color=style.INK,
            zorder=2.5,
            bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.3},
        )
        width = text.get_window_extent().width * scale
        free = []
        for offset, is_aside in _offsets(point, width):
            middle = x_pt + offset[0] + width / 2, y_pt + offset[1]
            box = _box(*middle, width + 1, _LINE_PT)
            near = _box(*middle, width + 1, _LINE_PT if is_aside else 4 * _LINE_PT)
            if not left_pt + 2 < box[0] < box[2] < right_pt:
                continue
            taken = any(_overlap(box, other) for other in boxes)
            if not taken and not any(_overlap(near, _box(*place, 0, 0)) for place in others):
                free.append((offset, box))
        if not free:
            text.remove()
            continue
        offset, box = min(free, key=lambda one: any(_overlap(one[1], other) for other in dotted))
        text.set_position(offset)
        boxes.append(box)


def _offsets(point: Point, width: float) -> list[tuple[tuple[float, float], bool]]:
    """Where a name may begin, in points from its point, the best first.

    At a corner, where another point may be nearer, it isn't right ``aside``, above or below.
    """
    half = _marker_pt(point)[0] / 2
    aside, above = half + 1.5, half + _LINE_PT / 2 + 0.5
    sides = [(aside, 0.0), (-aside - width, 0.0), (-width / 2, above), (-width / 2, -above)]
    corners = [(half, above), (half, -above), (-half - width, above), (-half - width, -above)]
    return [(one, True) for one in sides] + [(one, False) for one in corners]


def _marker_pt(point: Point) -> tuple[float, float]:
    return (13, 13) if point.is_told else (8.5, 8.5)


def _scaled(box: Bbox, scale: float) -> tuple[float, float, float, float]:
    return box.x0 * scale, box.y0 * scale, box.x1 * scale, box.y1 * scale


def _boxes_along(ax: Axes, ratio: Ratio, scale: float) -> list[tuple[float, float, float, float]]:
    """Small boxes that follow a dotted line."""
    x_pt, y_pt = ax.transData.transform((1.0, ratio.value)) * scale
    steps = [ax.bbox.x0 * scale + 2 * step for step in range(int(ax.bbox.width * scale / 2))]
    slope = _slope(ax)
    return [_box(at, y_pt + (at - x_pt) * slope, 2, 2) for at in steps]


def _slope(ax: Axes) -> float:
    """How steep y = x is on the paper."""
    (left, low), (right, high) = ax.transData.transform([(1.0, 1.0), (10.0, 10.0)])
    return (high - low) / (right - left)


def _box(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
