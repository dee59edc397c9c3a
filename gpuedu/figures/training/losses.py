"""Losses over the steps of a run or over learning rates: bands, smoothed lines, divergence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.curves import Level, Mark
from gpuedu.figures.decades import DecadeFormatter
from gpuedu.figures.end_labels import EndLabel, write_end_labels

NOTHING = "Nothing to draw yet: no finite loss."
_DASHES = ("-", (0, (6, 2)), (0, (2, 1.5)), "-.", (0, (8, 2, 2, 2, 2, 2)), (0, (1, 1)))
_MARKERS = ("o", "s", "D", "^", "v", "P")
_HEADROOM = 1.6
_FEW = 12
"""Up to how many points each has a marker."""


@dataclass(frozen=True)
class LossCurve:
    """One run: its loss at each step; ``steps`` may also be learning rates, samples or seconds.

    Attributes:
        name: written at the end of its line.
        steps: rising.
        losses: as many; one that is not finite is left out, and ends the line if none follows.
        low: with ``high``, a band around the line, such as the quartiles of many runs.
        high: as many as ``low``.
        smoothed: if given, it is the line, and ``losses`` are pale points behind it.

    Raises:
        ValueError: if they are not equally long, or only one edge of the band is given.
    """

    name: str
    steps: Sequence[float]
    losses: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    smoothed: Sequence[float] | None = None

    def __post_init__(self) -> None:
        for what in ("steps", "losses", "low", "high", "smoothed"):
            values = getattr(self, what)
            if values is None:
                continue
            if len(values) != len(self.steps):
                raise ValueError(
                    f"{self.name!r} has {len(self.steps)} steps, but {len(values)} in {what!r}"
                )
            object.__setattr__(self, what, tuple(float(value) for value in values))
        if (self.low is None) != (self.high is None):
            raise ValueError(f"the band of {self.name!r} needs both 'low' and 'high'")

    @property
    def line(self) -> Sequence[float]:
        """What is drawn as the line."""
        return self.losses if self.smoothed is None else self.smoothed

    def drawn(
        self, ceiling: float = math.inf, floor: float = -math.inf
    ) -> list[tuple[float, float]]:
        """The points of the line that are finite, not above ``ceiling`` and above ``floor``."""
        pairs = zip(self.steps, self.line, strict=True)
        return [(x, y) for x, y in pairs if math.isfinite(y) and floor < y <= ceiling]

    def diverged_at(self, ceiling: float = math.inf) -> float | None:
        """The step after which no loss is finite and below ``ceiling``; None for a sound run.

        >>> LossCurve("", (0, 1, 2, 3), (2.0, 9.0, 1.0, float("nan"))).diverged_at(), LossCurve(
        ...     "", (0, 1), (2.0, 1.0)).diverged_at()
        (3.0, None)
        """
        lost = None
        for step, loss in zip(reversed(self.steps), reversed(self.line), strict=True):
            if math.isfinite(loss) and loss <= ceiling:
                break
            lost = step
        return lost


def plot_losses(
    curves: Sequence[LossCurve],
    *,
    caption: Caption,
    levels: Sequence[Level] = (),
    marks: Sequence[Mark] = (),
    ceiling: float | None = None,
    log_x: bool = False,
    log_y: bool = False,
    x_ticks: Sequence[float] = (),
    fit_y: bool = False,
    height_in: float = 3.6,
    lost: str = "diverged at",
    alike: Sequence[LossCurve] = (),
    ax: Axes | None = None,
) -> Axes:
    """Draw losses, each curve named at its end, with an x where a run diverged.

    Args:
        curves: what to compare, drawn in the colors and dashes of the style.
        caption: title, names of the axes with their units, source, alternative text.
        levels: horizontal lines, such as the loss of guessing.
        marks: single points, such as the learning rate that was chosen.
        ceiling: the highest loss that is drawn; above it a run counts as diverged. By default 1.6
            times the highest first loss, if a curve goes beyond that.
        log_x: whether the x axis is logarithmic, as for learning rates.
        log_y: whether the y axis is.
        x_ticks: where the x axis has its numbers; by default at whole decades or round numbers.
        fit_y: whether the y axis, if it is linear, starts below the lowest loss and not at 0.
        height_in: height of a new figure, in inches.
        lost: what the name of a curve that ends at an x says before the place.
        alike: curves of panels beside this one, all of which have one scale.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(height_in) if ax is None else ax
    ceiling = ceiling or _ceiling(curves)
    shown = [curve for curve in curves if curve.drawn(ceiling, 0.0 if log_y else -math.inf)]
    _set_axes(ax, [*curves, *alike], [*levels, *marks], ceiling, log_x=log_x, log_y=log_y)
    if fit_y and not log_y and shown:
        losses = [y for curve in shown for _, y in curve.drawn(ceiling)]
        aside = 0.08 * (max(losses) - min(losses)) or 0.5
        ax.set_ylim(min(losses) - aside, max(losses) + aside)
    if x_ticks:
        ax.set_xticks(x_ticks, [f"{tick:,g}" for tick in x_ticks])
    for place, curve in enumerate(shown):
        _draw_curve(ax, curve, place, ceiling)
    for level in levels:
        ax.axhline(level.y, color=level.color, linewidth=1.3, dashes=level.dashes, zorder=1.5)
    for mark in marks:
        _draw_mark(ax, mark)
    write_caption(ax, caption)
    if not shown:
        _say_nothing(ax)
    _name_all(ax, shown, levels, ceiling, lost)
    return ax


def _ceiling(curves: Sequence[LossCurve]) -> float:
    """A bit above where the runs began: what is far above that would flatten all else."""
    drawn = [points for curve in curves if (points := curve.drawn())]
    if not drawn:
        return math.inf
    begins = max(points[0][1] for points in drawn)
    return begins * _HEADROOM if begins > 0 else math.inf


def _set_axes(
    ax: Axes,
    curves: Sequence[LossCurve],
    extras: Sequence[Level | Mark],
    ceiling: float,
    *,
    log_x: bool,
    log_y: bool,
) -> None:
    across = [x for curve in curves for x in curve.steps if x > 0 or not log_x] or [1.0]
    up = [y for curve in curves for _, y in curve.drawn(ceiling)]
    up += [y for curve in curves for y in (*(curve.low or ()), *(curve.high or ())) if y <= ceiling]
    up = [y for y in (*up, *(extra.y for extra in extras)) if y > 0 or not log_y] or [1.0]
    if log_x:
        ax.set_xscale("log")
        ax.set_xlim(min(across) / 1.1, max(across) * 1.1)
        _tick_decades(ax.xaxis)
    else:
        aside = 0.5 if min(across) == max(across) else 0.0
        ax.set_xlim(min(across) - aside, max(across) + aside)
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=all(x == int(x) for x in across)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    if log_y:
        ax.set_yscale("log")
        ax.set_ylim(min(up) / 1.3, max(up) * 1.3)
        _tick_decades(ax.yaxis)
    else:
        ax.set_ylim(min(0.0, *up, 0.0), max(up) * 1.06 or 1.0)


def _tick_decades(axis: Axis) -> None:
    axis.set_major_locator(LogLocator(base=10, numticks=9))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(DecadeFormatter())


def _color(place: int) -> str:
    return style.CYCLE[place % len(style.CYCLE)]


def _draw_curve(ax: Axes, curve: LossCurve, place: int, ceiling: float) -> None:
    color = _color(place)
    if curve.low is not None:
        ax.fill_between(curve.steps, curve.low, curve.high, color=color, alpha=0.2, linewidth=0)
    if curve.smoothed is not None:
        ax.plot(curve.steps, curve.losses, ".", color=color, alpha=0.25, markersize=4, mew=0)
    ax.plot(
        curve.steps,
        curve.line,
        color=color,
        linewidth=1.8,
        linestyle=_DASHES[place % len(_DASHES)],
    )
    if len(curve.steps) <= _FEW:
        _draw_markers(ax, curve, place, ceiling)
    end = _end(ax, curve, ceiling)
    if curve.diverged_at(ceiling) is not None:
        look = {"markersize": 11, "markeredgecolor": style.GROUND, "clip_on": False, "zorder": 4}
        ax.plot([end[0]], [end[1]], "X", color=color, **look)


def _draw_markers(ax: Axes, curve: LossCurve, place: int, ceiling: float) -> None:
    """A marker for each point; those on the edge of the axes are whole, too."""
    points = curve.drawn(ceiling, 0.0 if ax.get_yscale() == "log" else -math.inf)
    marker = _MARKERS[place % len(_MARKERS)]
    ax.plot(*zip(*points, strict=True), marker, color=_color(place), markersize=5, clip_on=False)


def _end(ax: Axes, curve: LossCurve, ceiling: float) -> tuple[float, float]:
    """Where the line ends; where it rises out of the axes for good, that is on their upper edge."""
    lost = curve.diverged_at(ceiling)
    if lost is not None and ceiling < curve.line[curve.steps.index(lost)] < math.inf:
        return lost, ax.get_ylim()[1]
    return curve.drawn(ceiling, 0.0 if ax.get_yscale() == "log" else -math.inf)[-1]


def _draw_mark(ax: Axes, mark: Mark) -> None:
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
    )


def _name_all(
    ax: Axes, curves: Sequence[LossCurve], levels: Sequence[Level], ceiling: float, lost: str
) -> None:
    right = ax.get_xlim()[1]
    ends = []
    for place, curve in enumerate(curves):
        place_lost = curve.diverged_at(ceiling)
        text = curve.name
        if place_lost is not None:
            text = f"{curve.name}\n({lost} {_write(place_lost)})"
        ends.append(EndLabel(right, _end(ax, curve, ceiling)[1], text, _color(place)))
    ends += [EndLabel(right, level.y, level.name, level.color) for level in levels if level.name]
    write_end_labels(ax, ends)


def _write(step: float) -> str:
    return f"{step:,.0f}" if step == int(step) else f"{step:.2g}"


def _say_nothing(ax: Axes) -> None:
    ax.text(
        0.5,
        0.5,
        NOTHING,
        transform=ax.transAxes,
        ha="center",
        va="center",
        fontsize=11,
        color=style.QUIET,
    )
