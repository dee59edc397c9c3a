"""A memory in blocks at several moments, a row each: which blocks are held, by whom, how full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.PINK)
_SHARED = ("#c9ced8", "////")
_HIGH, _GAP, _ROW = 0.62, 0.25, 1.62
"""In blocks' widths: how high a block is, the space between two, and from row to row."""


@dataclass(frozen=True)
class HeldBlock:
    """Who holds a block, and how many of its tokens are there."""

    holders: tuple[str, ...]
    filled: int


@dataclass(frozen=True)
class BlockRow:
    """A moment: what has happened, the text on the right, and the blocks that are held."""

    says: str
    note: str
    held: Mapping[int, HeldBlock]


def plot_block_rows(
    rows: Sequence[BlockRow], blocks: int, size: int, *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw each moment's blocks side by side, each with a cell for each of its tokens.

    Args:
        rows: from top to bottom.
        blocks: how many there are; those that nobody holds are drawn empty.
        size: tokens of a block.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    wide = blocks * (1 + _GAP)
    if ax is None:
        ax = style.new_axes(0.8 + (style.WIDTH_IN - 0.2) * (_ROW * len(rows) + 0.2) / wide)
    style.bare(ax)
    ax.set_aspect("equal")
    names = sorted({name for row in rows for one in row.held.values() for name in one.holders})
    colors = {name: _COLORS[at % len(_COLORS)] for at, name in enumerate(names)}
    for place, row in enumerate(rows):
        top = -place * _ROW
        look = {"fontsize": 9.5, "color": style.INK, "va": "bottom"}
        ax.text(0, top + 0.38, row.says, fontweight="bold", **look)
        ax.text(wide - _GAP, top + 0.38, row.note, ha="right", **look)
        for block in range(blocks):
            _draw_block(ax, (block * (1 + _GAP), top), block, row.held.get(block), size, colors)
    ax.set_xlim(-0.05, wide - _GAP + 0.05)
    ax.set_ylim(-(len(rows) - 1) * _ROW - _HIGH - 0.1, 1.1)
    _write_keys(ax, colors)
    return write_caption(ax, caption)


def _draw_block(
    ax: Axes,
    corner: tuple[float, float],
    number: int,
    held: HeldBlock | None,
    size: int,
    colors: Mapping[str, str],
) -> None:
    left, top = corner
    holders, filled = (held.holders, held.filled) if held else ((), 0)
    is_shared = len(holders) > 1
    face, hatch = _SHARED if is_shared else (colors[holders[0]] if holders else "none", None)
    for cell in range(min(filled, size)):
        place = left + cell / size, top - _HIGH
        look = {"facecolor": face, "hatch": hatch, "edgecolor": style.GROUND, "linewidth": 0.8}
        ax.add_patch(Rectangle(place, 1 / size, _HIGH, **look))
    edge = {"edgecolor": style.INK if holders else style.FAINT, "linewidth": 1.2}
    ax.add_patch(Rectangle((left, top - _HIGH), 1, _HIGH, facecolor="none", **edge))
    look = {"fontsize": 8.5, "va": "center_baseline"}
    told = " ".join(holders) if len(holders) < 5 else f"{len(holders)} texts"
    ax.text(left, top + 0.14, str(number), color=style.QUIET, ha="left", **look)
    ax.text(left + 1, top + 0.14, told, color=style.INK, ha="right", **look)


def _write_keys(ax: Axes, colors: Mapping[str, str]) -> None:
    handles = [Patch(facecolor=color, label=f"of {name} alone") for name, color in colors.items()]
    face, hatch = _SHARED
    handles.append(Patch(facecolor=face, hatch=hatch, edgecolor=style.GROUND, label="shared"))
    look = {"frameon": False, "fontsize": 9, "handlelength": 1.4, "columnspacing": 1.2}
    ax.legend(handles=handles, loc="upper left", ncols=5, borderaxespad=0.0, **look)
