"""How two ranks share matrices, with boxes of text beside them: what is sent, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.lane_looks import make_room_for_keys, write_keys

PLAIN = "plain"
"""The placement of a plain tensor: each rank has all of it, and neither knows of the other's."""
_LIGHT, _WIDTH, _HEIGHT = 0.55, 0.9, 0.76
_LEFT, _LIST, _BOXES, _GAP = 2.6, 6.9, 8.0, 0.2
_LINE, _HEAD = 0.5, 0.8
"""Heights of a line in a box, and of its name; a matrix has 1."""
_HALVES = {
    "Shard(0)": ((0.0, 0.0, 1.0, 0.5), (0.0, 0.5, 1.0, 0.5)),
    "Shard(1)": ((0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 0.5, 1.0)),
}
"""Places of both ranks' parts in a square, from its upper left corner."""
_COLORS = (style.BLUE, style.ORANGE)
_BOTH = {"facecolor": style.BLUE, "edgecolor": style.ORANGE, "hatch": "///"}
_PLAIN_LOOK = {"facecolor": style.QUIET, "edgecolor": style.QUIET}


@dataclass(frozen=True)
class PlacedMatrix:
    """A matrix, or a vector, and its placement: "Shard(0)", "Shard(1)", "Replicate()" or "plain".

    An odd one is shown in red.
    """

    name: str
    placement: str
    is_odd: bool = False


def plot_placements(
    matrices: Sequence[PlacedMatrix],
    lists: Sequence[tuple[str, Sequence[str]]],
    *,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw matrices from top to bottom, and a box for each list of texts on their right.

    Args:
        matrices: in the order in which they are drawn.
        lists: their names, and what is in them; for long ones, the first entries.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.bare(style.new_axes(1.35 + 0.38 * len(matrices))) if ax is None else ax
    for place, one in enumerate(matrices):
        ax.text(_LEFT - 0.2, place + 0.4, one.name, ha="right", va="center", fontsize=9.5)
        _draw(ax, place, one.placement)
        look = {"color": style.RED, "fontweight": "bold"} if one.is_odd else {"color": style.INK}
        x = _LEFT + _WIDTH + 0.2
        ax.text(x, place + 0.4, one.placement, va="center", fontsize=9.5, **look)
    height = len(matrices) - 1 + _HEIGHT
    width = _BOXES / max(1, len(lists))
    for number, (name, texts) in enumerate(lists):
        box = Rectangle((_LIST + number * width, 0), width - _GAP, height)
        _draw_box(ax, box, name, texts)
    ax.set_xlim(0, _LIST + _BOXES)
    ax.set_ylim(len(matrices), -0.2)
    write_caption(ax, caption)
    make_room_for_keys(ax)
    keys = [
        Patch(facecolor=color, alpha=_LIGHT, label=f"rank {rank}")
        for rank, color in enumerate(_COLORS)
    ]
    keys.append(Patch(**_BOTH, linewidth=0, alpha=_LIGHT, label="both ranks, a DTensor"))
    keys.append(Patch(**_PLAIN_LOOK, linewidth=0, alpha=_LIGHT, label="both, a plain tensor"))
    write_keys(ax, keys)
    return ax


def _draw_box(ax: Axes, box: Rectangle, name: str, texts: Sequence[str]) -> None:
    box.set(facecolor="none", edgecolor=style.FAINT, linewidth=1)
    ax.add_patch(box)
    x, look = box.get_x() + _GAP, {"va": "center", "fontsize": 9.5}
    ax.text(x, 0.4, name, color=style.QUIET, **look)
    for place, text in enumerate(_shortened(texts, int((box.get_height() - _HEAD) / _LINE))):
        ax.text(x, _HEAD + (place + 0.4) * _LINE, text, color=style.INK, **look)


def _shortened(texts: Sequence[str], most: int) -> list[str]:
    if len(texts) <= most:
        return list(texts) or ["nothing"]
    return [*texts[: most - 1], f"and {len(texts) - most + 1} more"]


def _draw(ax: Axes, y: float, placement: str) -> None:
    if placement not in _HALVES:
        look = _PLAIN_LOOK if placement == PLAIN else _BOTH
        ax.add_patch(Rectangle((_LEFT, y), _WIDTH, _HEIGHT, linewidth=0, alpha=_LIGHT, **look))
        return
    for color, (left, top, width, height) in zip(_COLORS, _HALVES[placement], strict=True):
        corner = _LEFT + left * _WIDTH, y + top * _HEIGHT
        look = {"facecolor": color, "edgecolor": style.GROUND, "alpha": _LIGHT}
        ax.add_patch(Rectangle(corner, width * _WIDTH, height * _HEIGHT, **look))
