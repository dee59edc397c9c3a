"""Named points in panels side by side: what something costs, and what it gives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption

_NAME_PT, _LETTER_PT, _LINE_PT = 9.0, 4.7, 11.0


@dataclass(frozen=True)
class Spot:
    """A point with its name; ``is_open`` draws a ring without a name, to compare with."""

    name: str
    x: float
    y: float
    color: str = style.BLUE
    is_open: bool = False


@dataclass(frozen=True)
class SpotPanel:
    """Points on their own axes; x starts at 0, and y is logarithmic if ``is_log``.

    ``filled`` and ``rings`` say what the two kinds of points are, if there are both.
    """

    title: str
    x: str
    y: str
    spots: tuple[Spot, ...]
    is_log: bool = False
    filled: str = ""
    rings: str = ""

    @property
    def shown(self) -> list[Spot]:
        """Those that can be drawn."""
        low = 0.0 if self.is_log else -math.inf
        return [one for one in self.spots if math.isfinite(one.x) and low < one.y < math.inf]

    @property
    def missing(self) -> list[str]:
        """The names of the others."""
        shown = self.shown
        return list(dict.fromkeys(one.name for one in self.spots if one not in shown))


def plot_spots(panels: Sequence[SpotPanel], *, caption: Caption) -> np.ndarray:
    """Draw panels of points with their names beside them.

    Args:
        panels: at least two; points that are not finite are left out, and named in words.
        caption: title, source, alternative text.

    Returns:
        The Axes of the panels.
    """
    axes = style.new_axes(3.9, columns=len(panels))
    for ax, panel in zip(axes, panels, strict=True):
        for spot in panel.shown:
            fill = "none" if spot.is_open else spot.color
            ax.plot([spot.x], [spot.y], "o", ms=7, mfc=fill, mec=spot.color, mew=1.6, clip_on=False)
        _limit(ax, panel)
        _tell_kinds(ax, panel)
        style.name_axes(ax, title=panel.title, x=panel.x, y=panel.y)
        ax.title.set_fontsize(10.5)
    axes[0].figure.suptitle(
        caption.title, x=0.01, ha="left", fontsize=12, color=style.INK, fontweight="bold"
    )
    style.note_source(axes[0], caption.source)
    style.describe(axes[0], caption.alt)
    axes[0].figure.draw_without_rendering()
    for ax, panel in zip(axes, panels, strict=True):
        _name_all(ax, panel.shown)
        _say_missing(ax, panel.missing)
    return axes


def _tell_kinds(ax: Axes, panel: SpotPanel) -> None:
    if panel.rings:
        look = {"linestyle": "none", "marker": "o", "ms": 6, "mec": style.QUIET, "mew": 1.4}
        ax.plot([], [], mfc=style.QUIET, label=panel.filled, **look)
        ax.plot([], [], mfc="none", label=panel.rings, **look)
        ax.legend(loc="lower left", fontsize=9, labelcolor=style.INK, **style.OPAQUE)


def _limit(ax: Axes, panel: SpotPanel) -> None:
    """Room around all points, and above them where something has to be said of the others."""
    ys = [spot.y for spot in panel.shown] or [1.0]
    ax.set_xlim(0, 1.06 * (max([spot.x for spot in panel.shown], default=1.0) or 1.0))
    above = 1.0 if panel.missing else 0.12
    if panel.is_log:
        ax.set_yscale("log")
        spread = math.log10(max(ys) / min(ys)) or 1.0
        ax.set_ylim(min(ys) / 10 ** (0.12 * spread), max(ys) * 10 ** (above * spread))
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        return
    spread = (max(ys) - min(ys)) or 1.0
    ax.set_ylim(min(ys) - 0.12 * spread, max(ys) + above * spread)


def _name_all(ax: Axes, shown: Sequence[Spot]) -> None:
    """Names beside their points, where they lie on nothing else."""
    scale = 72 / ax.figure.dpi
    at = [ax.transData.transform((spot.x, spot.y)) * scale for spot in shown]
    boxes = [_box(x, y, 9, 9) for x, y in at]
    left, right = ax.bbox.x0 * scale, ax.bbox.x1 * scale
    for spot, (x, y) in zip(shown, at, strict=True):
        if spot.is_open:
            continue
        width, height = len(spot.name) * _LETTER_PT, _LINE_PT
        beside, above = width / 2 + 8, height / 2 + 7
        for dx, dy in ((beside, 0), (-beside, 0), (0, above), (0, -above), (width / 2, above)):
            box = _box(x + dx, y + dy, width, height)
            is_inside = left < box[0] and box[2] < right
            if is_inside and not any(_overlap(box, other) for other in boxes):
                boxes.append(box)
                place = {"xytext": (dx, dy), "textcoords": "offset points"}
                look = {"ha": "center", "va": "center", "fontsize": _NAME_PT, "color": style.INK}
                ax.annotate(spot.name, (spot.x, spot.y), bbox=style.BEHIND_TEXT, **place, **look)
                break


def _say_missing(ax: Axes, names: Sequence[str]) -> None:
    if names:
        ax.text(
            0.97,
            0.97,
            "\n".join(["no number to draw:", *names]),
            transform=ax.transAxes,
            ha="right",
            va="top",
            fontsize=9,
            color=style.QUIET,
        )


def _box(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
