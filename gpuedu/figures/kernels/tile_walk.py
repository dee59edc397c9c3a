"""A matmul through tiles: which part of each matrix a block reads in which turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import ink_on, warp_color, write

_GAP, _MARGIN = 22, 12
_HEIGHT_IN = 5.2
_NONE = "#f1f3f7"


@dataclass(frozen=True)
class TileWalk:
    """What one block reads of ``a`` and ``b``, and where its tile of ``c`` is.

    Args:
        a: (M, K) int, the turn in which the block first reads an element, or -1 if it never does.
        b: (K, N) int, the same.
        block: the block's place along x (columns of ``c``) and y (rows).
        tile: rows and columns of a tile.
        names: the kernel's names for the three matrices.
    """

    a: np.ndarray
    b: np.ndarray
    block: tuple[int, int]
    tile: int = 32
    names: tuple[str, str, str] = ("a", "b", "c")

    @property
    def size(self) -> tuple[int, int, int]:
        """M, N and K."""
        return self.a.shape[0], self.b.shape[1], self.a.shape[1]

    @property
    def turns(self) -> int:
        """The number of tiles along K, including a partial one."""
        return -(-self.a.shape[1] // self.tile)

    def place(self, array: str, turn: int) -> tuple[int, int]:
        """First row and column of the tile of "a" or "b" that a turn should bring."""
        x, y = self.block
        return (y, turn) if array == "a" else (turn, x)

    def missing(self, array: str, turn: int) -> int:
        """Places of that tile that are outside the matrix."""
        shape = self.a.shape if array == "a" else self.b.shape
        first = (self.tile * place for place in self.place(array, turn))
        inside = (min(self.tile, n - at) for n, at in zip(shape, first, strict=True))
        return self.tile**2 - int(np.prod(list(inside)))


def plot_tile_walk(walk: TileWalk, *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw ``b`` above ``c`` and ``a`` at its left, so that a tile of ``c`` lies where both meet.

    A number is the turn in which the block reads there. Frames are the tiles that the turns should
    bring; hatched cells are outside the matrix.

    Args:
        walk: what the block reads.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    m, n, k = walk.size
    ax = style.bare(style.new_axes(_HEIGHT_IN)) if ax is None else ax
    corner = walk.tile * walk.turns + _GAP
    _draw_matrix(ax, walk.a, (0, corner), f"{walk.names[0]}  ({m} x {k})")
    _draw_matrix(ax, walk.b, (corner, 0), f"{walk.names[1]}  ({k} x {n})")
    _draw_matrix(ax, np.full((m, n), -1), (corner, corner), f"{walk.names[2]}  ({m} x {n})")
    for turn in range(walk.turns):
        for array, origin in (("a", (0, corner)), ("b", (corner, 0))):
            _frame(ax, walk, array, turn, origin)
    x, y = (walk.tile * place for place in walk.block)
    own = (corner + x, corner + y)
    ax.add_patch(Rectangle(own, walk.tile, walk.tile, fill=False, edgecolor=style.INK, lw=2))
    across, down = (_middle(at, walk.tile, size) for at, size in ((x, n), (y, m)))
    look = {"ha": "center", "size_pt": 9.5 if walk.tile >= 32 else 7.5, "weight": "bold"}
    write(ax, own[0] + across, own[1] + down, "block", **look)
    right = corner + max(n, x + walk.tile)
    bottom = corner + max(m, y + walk.tile)
    ax.set_xlim(-_MARGIN, right + _MARGIN)
    ax.set_ylim(bottom + _MARGIN, -_MARGIN)
    ax.set_aspect("equal")
    return write_caption(ax, caption)


def _middle(first: int, tile: int, size: int) -> float:
    """The middle of a tile, or of its larger part where the matrix ends inside it."""
    inside = size - first
    if not 0 < inside < tile:
        return tile / 2
    return inside / 2 if inside > tile / 2 else (inside + tile) / 2


def _draw_matrix(ax: Axes, turns: np.ndarray, origin: tuple[int, int], name: str) -> None:
    """Each element in the color of its turn, and the turn's number in the middle of its part."""
    rows, columns = turns.shape
    left, top = origin
    image = np.empty((rows, columns, 3))
    image[:] = to_rgb(_NONE)
    for turn in np.unique(turns[turns >= 0]):
        image[turns == turn] = to_rgb(warp_color(int(turn)))
    extent = (left, left + columns, top + rows, top)
    ax.imshow(image, extent=extent, interpolation="nearest", aspect="auto", zorder=1)
    ax.add_patch(
        Rectangle((left, top), columns, rows, fill=False, edgecolor=style.QUIET, lw=1.2, zorder=2)
    )
    write(ax, left, top - 6, name, size_pt=10, family="monospace")
    for turn in np.unique(turns[turns >= 0]):
        row, column = (float(at.mean()) + 0.5 for at in np.nonzero(turns == turn))
        color = ink_on(warp_color(int(turn)))
        write(ax, left + column, top + row, str(turn), ha="center", size_pt=10, color=color)


def _frame(ax: Axes, walk: TileWalk, array: str, turn: int, origin: tuple[int, int]) -> None:
    """The tile that a turn should bring, and the part of it that is not in the matrix."""
    shape = walk.a.shape if array == "a" else walk.b.shape
    row, column = (walk.tile * place for place in walk.place(array, turn))
    left, top, side = origin[0] + column, origin[1] + row, walk.tile
    inside_across, inside_down = min(side, shape[1] - column), min(side, shape[0] - row)
    outside = (
        (left + inside_across, top, side - inside_across, side),
        (left, top + inside_down, inside_across, side - inside_down),
    )
    for x, y, width, height in outside:
        if width > 0 and height > 0:
            corner, look = (x, y), {"fill": False, "edgecolor": style.QUIET, "lw": 0}
            ax.add_patch(Rectangle(corner, width, height, hatch="///", **look))
    ax.add_patch(
        Rectangle((left, top), side, side, fill=False, edgecolor=style.INK, lw=1.2, zorder=3)
    )


def describe_walk(walk: TileWalk) -> str:
    """The walk in words, turn by turn, for the alternative text."""
    sentences = []
    for turn in range(walk.turns):
        parts = []
        for array, name, turns in (("a", walk.names[0], walk.a), ("b", walk.names[1], walk.b)):
            gap = walk.missing(array, turn)
            outside = f", {gap} places of its tile outside" if gap else ""
            parts.append(f"{_extent(turns, turn, name)}{outside}")
        sentences.append(f"Turn {turn}: {'; '.join(parts)}.")
    return " ".join(sentences)


def _extent(turns: np.ndarray, turn: int, name: str) -> str:
    rows, columns = np.nonzero(turns == turn)
    if not len(rows):
        return f"nothing of {name}"
    down, across = (f"{at.min()} to {at.max()}" for at in (rows, columns))
    return f"rows {down} and columns {across} of {name}"
