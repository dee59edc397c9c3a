"""Horizontal bars made of named parts, with upright lines that they reach or not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, MaxNLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.PINK)
_HATCHES = ("", "//", "..", "xx")
_HEIGHT = 0.58


@dataclass(frozen=True)
class Parts:
    """A bar: the parts by name, in the order in which they are drawn, and a text after it.

    ``is_right``: if it isn't, the text stands out. ``ideal`` is outlined.
    """

    name: str
    parts: dict[str, float]
    text: str = ""
    is_right: bool = True
    ideal: float = 0.0

    @property
    def total(self) -> float:
        """What can be drawn of it."""
        return sum(value for value in self.parts.values() if math.isfinite(value) and value > 0)


def plot_parts(
    bars: Sequence[Parts],
    lines: Sequence[tuple[str, float]] = (),
    *,
    caption: Caption,
    row_in: float = 0.46,
    ax: Axes | None = None,
) -> Axes:
    """Draw bars from top to bottom, their parts told apart by color and hatching.

    Args:
        bars: at least one; a part that is not finite and positive is left out.
        lines: upright lines with their names, such as a device's memory.
        caption: title, name of the value axis, source, alternative text.
        row_in: height of a row of a new figure, in inches.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.9 + row_in * len(bars)) if ax is None else ax
    names = list(dict.fromkeys(name for bar in bars for name in bar.parts))
    for place, bar in enumerate(reversed(bars)):
        _draw(ax, place, bar, names)
    ends = [max(bar.total, bar.ideal) for bar in bars]
    longest = max([*ends, *(at for _, at in lines)], default=1.0) or 1.0
    ax.set_xlim(0, longest * 1.22)
    ax.set_ylim(-0.6, len(bars) - 0.1 + 0.28 * len(lines))
    # The name of a line is above the ends of those to its right.
    for level, (name, at) in enumerate(sorted(lines, key=lambda line: line[1], reverse=True)):
        y = len(bars) - 0.3 + 0.28 * level
        dashed = {"color": style.INK, "linewidth": 1.1, "dashes": (4, 3), "zorder": 1}
        ax.plot([at, at], [ax.get_ylim()[0], y + 0.12], **dashed)
        ground = {"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.8}
        ax.text(at, y, f" {name}", fontsize=8.5, color=style.INK, va="center", bbox=ground)
    ax.set_yticks(range(len(bars)), [bar.name for bar in reversed(bars)])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(visible=False)
    ax.xaxis.set_major_locator(MaxNLocator(6))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    handles = [
        ax.barh(0, 0, color=_COLORS[k % 4], hatch=_HATCHES[k % 4], edgecolor=style.GROUND)
        for k in range(len(names))
    ]
    ax.legend(
        handles,
        names,
        frameon=False,
        fontsize=9,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.22 if len(bars) < 6 else -0.13),
        ncols=4,
    )
    write_caption(ax, caption)
    if lines:
        _move_off_lines(ax, [at for _, at in lines])
    return ax


def _move_off_lines(ax: Axes, lines: Sequence[float]) -> None:
    """Move a text behind a bar to the right of a line that would go through it."""
    ax.figure.draw_without_rendering()
    scale = 72 / ax.figure.dpi
    for text in [one for one in ax.texts if isinstance(one, Annotation)]:
        for at in sorted(lines):
            box, line_px = text.get_window_extent(), ax.transData.transform((at, 0))[0]
            if box.x0 - 3 / scale < line_px < box.x1 + 3 / scale:
                further_pt = (line_px - box.x0) * scale + 6
                text.set_position((text.get_position()[0] + further_pt, 0))


def _draw(ax: Axes, place: int, bar: Parts, names: Sequence[str]) -> None:
    start = 0.0
    for name, value in bar.parts.items():
        if not (math.isfinite(value) and value > 0):
            continue
        k = names.index(name) % 4
        look = {"color": _COLORS[k], "hatch": _HATCHES[k], "edgecolor": style.GROUND}
        ax.barh(place, value, left=start, height=_HEIGHT, linewidth=0, gid=name, **look)
        start += value
    if bar.ideal:
        look = {"facecolor": "none", "edgecolor": style.INK, "linestyle": "--", "linewidth": 1.2}
        ax.barh(place, bar.ideal, height=_HEIGHT + 0.16, gid="ideal", **look)
    if bar.text:
        look = {"color": style.INK} if bar.is_right else {"color": style.RED, "fontweight": "bold"}
        ax.annotate(
            bar.text,
            (max(start, bar.ideal), place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            **look,
            bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.8},
        )
