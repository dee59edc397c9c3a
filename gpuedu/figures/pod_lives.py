"""Lives of pods over time: what each does and on which node, with numbered events below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.text_fit import width_pt

_LOOKS = {
    "pending": (style.FAINT, "...."),
    "starting": ("#f3e3c0", ""),
    "waiting": ("#f6deb0", "////"),
    "training": ("#cfe3f1", ""),
    "training again": ("#a9c7dd", "\\\\\\\\"),
}
_HEIGHT, _LINE_IN = 0.62, 0.19
_ROOM_PT = 430.0
"""The axis is about so wide."""


@dataclass(frozen=True)
class PodSpan:
    """A bar: of which row, one of five kinds, from when to when, and what is written in it."""

    row: int
    kind: str
    start: float
    end: float
    text: str = ""


def plot_pod_lives(
    names: Sequence[str],
    spans: Sequence[PodSpan],
    marks: Sequence[tuple[int, float]],
    told: Sequence[str],
    *,
    end: float,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw a row for each pod from the top, and below the axis lines of text.

    Args:
        names: of the pods.
        spans: bars, in the unit of the axis.
        marks: numbered places in the order of their numbers: a row and a time.
        told: lines below the axis.
        end: of the axis.
        caption: title, source, axis and alternative text.
        ax: where to draw; a new figure by default.
    """
    height = 1.9 + 0.55 * len(names) + _LINE_IN * len(told)
    ax = style.new_axes(height) if ax is None else ax
    ax.grid(visible=False)
    for one in spans:
        face, hatch = _LOOKS[one.kind]
        corner = (one.start, one.row - _HEIGHT / 2)
        look = {"facecolor": face, "hatch": hatch, "edgecolor": style.QUIET, "linewidth": 0.6}
        ax.add_patch(Rectangle(corner, one.end - one.start, _HEIGHT, **look))
        room = _ROOM_PT * (one.end - one.start) / end
        if one.text and width_pt(one.text, 9) < room - 4:
            box = {"facecolor": face, "edgecolor": "none", "pad": 1.0} if hatch else None
            look = {"ha": "center", "va": "center", "fontsize": 9, "color": style.INK}
            ax.text((one.start + one.end) / 2, one.row, one.text, bbox=box, **look)
    _draw_marks(ax, marks, end)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=9.5)
    ax.set_ylim(max(len(names), 1) - 0.4, -1.15)
    ax.set_xlim(0, end * 1.02)
    for i, line in enumerate(told):
        look = {"fontsize": 9.5, "color": style.INK, "va": "top"}
        place = {"xy": (0, 0), "xycoords": "axes fraction", "textcoords": "offset points"}
        ax.annotate(line, xytext=(-60, -38 - 72 * _LINE_IN * i), **place, **look)
    write_caption(ax, caption)
    _draw_key(ax, {one.kind for one in spans})
    return ax


def _draw_marks(ax: Axes, marks: Sequence[tuple[int, float]], end: float) -> None:
    """Numbers at the ends of bars; one that would touch the last in its row is moved on."""
    places: dict[int, float] = {}
    for number, (row, time) in enumerate(marks, 1):
        x = max(time, places.get(row, -end) + 0.03 * end)
        places[row] = x
        ax.plot([time, time], [row - 0.36, row + 0.36], color=style.RED, linewidth=1.6)
        look = {"ha": "center", "va": "bottom", "fontsize": 9, "color": style.RED}
        ax.text(x, row - 0.37, str(number), fontweight="bold", **look)


def _draw_key(ax: Axes, kinds: set[str]) -> None:
    handles = [
        Patch(facecolor=face, hatch=hatch, edgecolor=style.QUIET, linewidth=0.6, label=kind)
        for kind, (face, hatch) in _LOOKS.items()
        if kind in kinds
    ]
    look = {"frameon": False, "fontsize": 9, "handlelength": 1.4, "columnspacing": 1.2}
    ax.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(0.012, 1.0),
        borderaxespad=0,
        ncols=5,
        **look,
    )
