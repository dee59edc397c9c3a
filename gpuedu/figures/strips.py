"""Strips of time below each other, made of segments of several kinds, with a note after each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_HEIGHT = 0.56


@dataclass(frozen=True)
class Look:
    """How a kind of segment is drawn: its color, and a hatch so that it isn't color alone."""

    color: str
    hatch: str = ""


@dataclass(frozen=True)
class Strip:
    """A row: its name, its segments (kind, start, end), and the text above it."""

    name: str
    stretches: tuple[tuple[str, float, float], ...]
    says: str = ""


def plot_strips(
    strips: Sequence[Strip],
    looks: Mapping[str, Look],
    *,
    caption: Caption,
    end: float,
    ax: Axes | None = None,
) -> Axes:
    """Draw strips from the top, on one axis from 0 to ``end``.

    Args:
        strips: At least one.
        looks: For each kind that a segment may have, in the legend's order.
        caption: Title, name of the axis, source, alternative text.
        end: Of the axis; what goes beyond is cut off.
        ax: Where to draw; a new figure by default.
    """
    ax = style.new_axes(1.75 + 0.62 * len(strips)) if ax is None else ax
    ax.grid(visible=False)
    for place, strip in enumerate(strips):
        for kind, start, stop in strip.stretches:
            if start < end:
                look = looks[kind]
                ax.barh(
                    -place,
                    min(stop, end) - start,
                    left=start,
                    height=_HEIGHT,
                    color=look.color,
                    hatch=look.hatch,
                    edgecolor=style.GROUND,
                    linewidth=0,
                )
        ax.annotate(
            strip.says,
            (0, -place + _HEIGHT / 2),
            (3, 2),
            textcoords="offset points",
            fontsize=9,
            color=style.INK,
            va="bottom",
        )
    ax.set_yticks([-place for place in range(len(strips))], [one.name for one in strips])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.set_ylim(-len(strips) + 0.6, 0.75)
    ax.set_xlim(0, end)
    write_caption(ax, caption)
    return _name_kinds(ax, looks)


def _name_kinds(ax: Axes, looks: Mapping[str, Look]) -> Axes:
    handles = [
        Patch(facecolor=look.color, hatch=look.hatch, edgecolor=style.GROUND, label=kind)
        for kind, look in looks.items()
    ]
    ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=min(5, len(handles)),
        frameon=False,
        fontsize=9,
        labelcolor=style.INK,
        borderaxespad=0,
        handlelength=1.5,
        columnspacing=1.2,
    )
    ax.set_title(
        ax.get_title(loc="left"),
        loc="left",
        fontsize=12,
        color=style.INK,
        pad=24,
        fontweight="bold",
    )
    return ax
