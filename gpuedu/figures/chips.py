"""What a chip's area is spent on: cores with control, lanes and caches, drawn as blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

LANE, CONTROL, CACHE = style.BLUE, style.ORANGE, "#bfe3d7"
_SIDE, _GAP, _LENS = 10.0, 1.1, 4.4
_PAD = 0.16


@dataclass(frozen=True)
class Chip:
    """A chip in blocks. Shares are of a core's width or height, or of the chip's height.

    ``is_enlarged`` draws one core beside the chip, where its parts have room for their names.
    """

    name: str
    core: str
    columns: int
    rows: int
    lane_columns: int
    lane_rows: int
    control_share: float
    core_cache_share: float
    shared_cache_share: float
    core_cache: str
    shared_cache: str
    memory: str
    is_enlarged: bool


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def shrunk(self, by: float) -> _Box:
        return _Box(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)

    def cells(self, columns: int, rows: int) -> list[_Box]:
        """Equal parts, row by row from below."""
        width, height = self.width / columns, self.height / rows
        return [
            _Box(self.x + column * width, self.y + row * height, width, height)
            for row in range(rows)
            for column in range(columns)
        ]


def plot_chips(chips: Sequence[Chip], *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw chips side by side in the same size. A schematic; no area is to scale.

    Args:
        chips: from left to right.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.bare(style.new_axes(4.6)) if ax is None else ax
    left = 0.0
    for chip in chips:
        _draw_chip(ax, chip, _Box(left, 0, _SIDE, _SIDE))
        left += _SIDE + _GAP + (_LENS + _GAP if chip.is_enlarged else 0)
    ax.set_xlim(-0.2, left - _GAP + 0.2)
    ax.set_ylim(-1.75, _SIDE + 1.0)
    return write_caption(ax, caption)


def _draw_chip(ax: Axes, chip: Chip, whole: _Box) -> None:
    _block(ax, whole, style.GROUND, edge=style.INK)
    ax.text(whole.x, _SIDE + 0.3, chip.name, fontsize=11, color=style.INK, fontweight="bold")
    inner = whole.shrunk(_PAD)
    shared_height = inner.height * chip.shared_cache_share
    shared = _Box(inner.x, inner.y, inner.width, shared_height)
    _block(ax, shared, CACHE)
    _name(ax, shared, chip.shared_cache)
    above = _Box(inner.x, inner.y + shared_height, inner.width, inner.height - shared_height)
    cores = [cell.shrunk(_PAD / 2) for cell in above.cells(chip.columns, chip.rows)]
    for core in cores:
        _draw_core(ax, chip, core, is_named=not chip.is_enlarged)
    if chip.is_enlarged:
        _draw_enlarged(ax, chip, cores[-1], whole)
    memory = _Box(whole.x, -1.6, whole.width, 1.1)
    _block(ax, memory, style.GROUND, edge=style.QUIET)
    _name(ax, memory, chip.memory)
    ax.plot([memory.middle[0]] * 2, [-0.5, 0], color=style.QUIET, linewidth=3)


def _draw_enlarged(ax: Axes, chip: Chip, core: _Box, whole: _Box) -> None:
    """One core again, larger, to the right of its chip, with lines that say which one it is."""
    lens = _Box(whole.x + _SIDE + _GAP, _SIDE - 5.2, _LENS, 5.2)
    ax.text(lens.x, _SIDE + 0.3, f"one {chip.core}, enlarged", fontsize=9.5, color=style.INK)
    right = core.x + core.width
    for here, there in ((core.y + core.height, _SIDE), (core.y, lens.y)):
        ax.plot([right, lens.x], [here, there], color=style.QUIET, linewidth=1, linestyle=":")
    _draw_core(ax, chip, lens, is_named=True)


def _draw_core(ax: Axes, chip: Chip, core: _Box, *, is_named: bool) -> None:
    _block(ax, core, style.GROUND, edge=style.QUIET)
    inner = core.shrunk(_PAD / 3)
    cache = _Box(inner.x, inner.y, inner.width, inner.height * chip.core_cache_share)
    above = inner.y + cache.height
    control = _Box(inner.x, above, inner.width * chip.control_share, inner.height - cache.height)
    lanes = _Box(inner.x + control.width, above, inner.width - control.width, control.height)
    _block(ax, cache, CACHE)
    _block(ax, control, CONTROL)
    for cell in lanes.cells(chip.lane_columns, chip.lane_rows):
        _block(ax, cell.shrunk(min(cell.width, cell.height) * 0.1), LANE)
    if is_named:
        _name(ax, cache, chip.core_cache)
        _name(ax, control, "control", is_upright=True)
        _name(ax, lanes, "lanes", ground=LANE, color="white")


def _block(ax: Axes, box: _Box, color: str, *, edge: str = "none") -> None:
    ax.add_patch(Rectangle((box.x, box.y), box.width, box.height, facecolor=color, edgecolor=edge))


def _name(
    ax: Axes,
    box: _Box,
    text: str,
    *,
    color: str = style.INK,
    ground: str = "none",
    is_upright: bool = False,
) -> None:
    ax.text(
        *box.middle,
        text,
        ha="center",
        va="center",
        fontsize=9.5,
        color=color,
        rotation=90 if is_upright else 0,
        bbox={"facecolor": ground, "edgecolor": "none", "pad": 2},
    )
