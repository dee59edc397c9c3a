"""Software stacks side by side, their layers in the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_WIDTH, _GAP, _NAMES = 2.0, 0.08, 1.02


@dataclass(frozen=True)
class Layer:
    """One row: its name, and a text for each column, or one text that all share."""

    name: str
    cells: tuple[str, ...]


def plot_stack(
    columns: Sequence[str], layers: Sequence[Layer], *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw layers from the learner's code, at the top, down to the device.

    Args:
        columns: names of the stacks, from left to right.
        layers: from top to bottom; a layer with one cell spans all columns.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.bare(style.new_axes(0.95 + 0.62 * len(layers))) if ax is None else ax
    total = len(columns) * _WIDTH
    for place, name in enumerate(columns):
        ax.text(
            (place + 0.5) * _WIDTH,
            0.12,
            name,
            ha="center",
            fontsize=10.5,
            color=style.INK,
            fontweight="bold",
        )
    for row, layer in enumerate(layers):
        _draw_layer(ax, layer, row, total, is_device=row == len(layers) - 1)
    ax.set_xlim(-_NAMES, total + 0.02)
    ax.set_ylim(-len(layers) - 0.05, 0.5)
    return write_caption(ax, caption)


def _draw_layer(ax: Axes, layer: Layer, row: int, total: float, *, is_device: bool) -> None:
    ax.text(-_NAMES, -row - 0.5, layer.name, va="center", fontsize=9.5, color=style.QUIET)
    width = total / len(layer.cells)
    for place, text in enumerate(layer.cells):
        is_shared = len(layer.cells) == 1
        ax.add_patch(
            Rectangle(
                (place * width + _GAP / 2, -row - 1 + _GAP / 2),
                width - _GAP,
                1 - _GAP,
                facecolor=style.INK if is_device else "#e3eef6" if is_shared else "#f3f4f7",
                edgecolor=style.BLUE if is_shared else style.FAINT,
                linewidth=1.2,
            )
        )
        ax.text(
            (place + 0.5) * width,
            -row - 0.5,
            text,
            ha="center",
            va="center",
            fontsize=9.5,
            linespacing=1.25,
            color="white" if is_device else style.INK,
        )
