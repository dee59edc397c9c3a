"""How two ranks share matrices, and lists of what is sent beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LIGHT, _WIDTH, _HEIGHT = 0.55, 0.9, 0.76
_LEFT, _LIST, _APART = 2.6, 7.6, 3.7
_HALVES = {
    "Shard(0)": ((0.0, 0.0, 1.0, 0.5), (0.0, 0.5, 1.0, 0.5)),
    "Shard(1)": ((0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 0.5, 1.0)),
}
"""Places of both ranks' parts in a square, from its upper left corner."""


@dataclass(frozen=True)
class PlacedMatrix:
    """A matrix, or a vector, and its placement: "Shard(0)", "Shard(1)", or another text."""

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
    """Draw matrices from top to bottom, and lists of texts on their right.

    Args:
        matrices: an odd one is told in red.
        lists: their names, and what is in them; of long ones the first entries.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.bare(style.new_axes(1.1 + 0.38 * len(matrices))) if ax is None else ax
    for place, one in enumerate(matrices):
        ax.text(_LEFT - 0.2, place + 0.4, one.name, ha="right", va="center", fontsize=9.5)
        _draw(ax, place, one.placement)
        look = {"color": style.RED, "fontweight": "bold"} if one.is_odd else {"color": style.INK}
        x = _LEFT + _WIDTH + 0.2
        ax.text(x, place + 0.4, one.placement, va="center", fontsize=9.5, **look)
    ax.axvline(_LIST - 0.5, 0.02, 0.98, color=style.FAINT, linewidth=1)
    for number, (name, texts) in enumerate(lists):
        x = _LIST + number * _APART
        ax.text(x, -0.4, name, va="center", fontsize=9.5, color=style.QUIET)
        for place, text in enumerate(_shortened(texts, len(matrices))):
            ax.text(x, place + 0.4, text, va="center", fontsize=9.5, color=style.INK)
    ax.set_xlim(0, _LIST + len(lists) * _APART)
    ax.set_ylim(len(matrices) + 0.1, -0.9)
    return write_caption(ax, caption)


def _shortened(texts: Sequence[str], most: int) -> list[str]:
    if len(texts) <= most:
        return list(texts) or ["nothing"]
    return [*texts[: most - 1], f"and {len(texts) - most + 1} more"]


def _draw(ax: Axes, y: float, placement: str) -> None:
    colors = (style.BLUE, style.ORANGE)
    if placement not in _HALVES:
        look = {"facecolor": style.BLUE, "edgecolor": style.ORANGE, "hatch": "///"}
        ax.add_patch(Rectangle((_LEFT, y), _WIDTH, _HEIGHT, linewidth=0, alpha=_LIGHT, **look))
        return
    for color, (left, top, width, height) in zip(colors, _HALVES[placement], strict=True):
        corner = _LEFT + left * _WIDTH, y + top * _HEIGHT
        look = {"facecolor": color, "edgecolor": style.GROUND, "alpha": _LIGHT}
        ax.add_patch(Rectangle(corner, width * _WIDTH, height * _HEIGHT, **look))
