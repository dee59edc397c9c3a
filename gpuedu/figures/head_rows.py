"""Heads of attention by rank: query heads on the left, key-value heads on the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.PINK)
_SIDE, _GAP, _NOTE = 0.82, 1.2, 6.4
_LIGHT = 0.55


@dataclass(frozen=True)
class HeadRow:
    """A rank's heads; ``fault`` says what is wrong with them, or nothing."""

    name: str
    queries: tuple[int, ...]
    keys: tuple[int, ...]
    fault: str = ""


def plot_heads(
    rows: Sequence[HeadRow],
    heads: int,
    kv_heads: int,
    *,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw each rank's heads as squares at their places, colored by the key-value head they use.

    A key-value head that doesn't exist is crossed out, to the right of those that do.

    Args:
        rows: from top to bottom.
        heads: how many query heads there are.
        kv_heads: how many key-value heads.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.bare(style.new_axes(1.1 + 0.46 * len(rows))) if ax is None else ax
    right = heads + _GAP
    for x, text in ((0, "query heads"), (right, "key-value heads")):
        ax.text(x, -0.25, text, fontsize=9.5, color=style.QUIET)
    for place, row in enumerate(rows):
        ax.text(-0.3, place + 0.5, row.name, ha="right", va="center", fontsize=10, color=style.INK)
        for head in row.queries:
            if 0 <= head < heads:
                _draw(ax, head, place, head, head * kv_heads // heads)
        for head in row.keys:
            if 0 <= head < kv_heads:
                _draw(ax, right + head, place, head, head)
            else:
                _draw_missing(ax, right + kv_heads + 0.2, place, head)
        said = {"color": style.RED, "fontweight": "bold"} if row.fault else {"color": style.INK}
        text = row.fault or "has all that it needs"
        ax.text(right + kv_heads + 1.4, place + 0.5, text, va="center", fontsize=9.5, **said)
    ax.set_xlim(-1.8, right + kv_heads + 1.4 + _NOTE)
    ax.set_ylim(len(rows), -0.8)
    return write_caption(ax, caption)


def _draw(ax: Axes, x: float, y: float, head: int, shared: int) -> None:
    look = {"facecolor": _COLORS[shared % 4], "alpha": _LIGHT, "edgecolor": "none"}
    ax.add_patch(Rectangle((x, y + (1 - _SIDE) / 2), _SIDE, _SIDE, **look))
    ax.text(
        x + _SIDE / 2, y + 0.5, str(head), ha="center", va="center", fontsize=9, color=style.INK
    )


def _draw_missing(ax: Axes, x: float, y: float, head: int) -> None:
    look = {"facecolor": style.FAINT, "edgecolor": style.RED, "hatch": "xx", "linewidth": 0}
    ax.add_patch(Rectangle((x, y + (1 - _SIDE) / 2), _SIDE, _SIDE, **look))
    ground = {"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.5}
    look = {"ha": "center", "va": "center", "fontsize": 9, "color": style.RED, "bbox": ground}
    ax.text(x + _SIDE / 2, y + 0.5, str(head), **look)
