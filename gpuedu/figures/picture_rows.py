"""Rows of small pictures above each other, each row named, with frames inside and marks below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_GAP, _NOTE, _NAMES = 0.1, 0.3, 1.25


@dataclass(frozen=True)
class Picture:
    """Pixels (H, W, 3) uint8, a frame inside (top, left, size), and a note below.

    ``is_marked`` frames the whole picture and writes the note in the color for what is wrong.
    """

    pixels: np.ndarray
    frame: tuple[int, int, int] | None = None
    note: str = ""
    is_marked: bool = False


def plot_picture_rows(
    rows: Sequence[tuple[str, Sequence[Picture]]], *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw rows of pictures; pictures at the same place of their rows belong together.

    Args:
        rows: a name (lines of up to 12 letters), and its pictures; all of one width on the page.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    columns = max(len(pictures) for _, pictures in rows)
    wide = columns * (1 + _GAP) + _NAMES
    tops = _tops([pictures for _, pictures in rows])
    tall = -tops[-1]
    if ax is None:
        ax = style.new_axes(0.7 + style.WIDTH_IN * tall / wide)
    style.bare(ax)
    ax.set_aspect("equal")
    for (name, pictures), top in zip(rows, tops, strict=False):
        look = {"fontsize": 9.5, "color": style.INK, "va": "center", "ha": "right"}
        ax.text(-_GAP, top - 0.5, name, **look)
        for column, picture in enumerate(pictures):
            _draw(ax, picture, column * (1 + _GAP), top)
    ax.set_xlim(-_NAMES, wide - _NAMES)
    ax.set_ylim(-tall, 0.05)
    return write_caption(ax, caption)


def _tops(rows: Sequence[Sequence[Picture]]) -> list[float]:
    """Where each row begins, downwards from 0, and where the last one ends."""
    tops = [0.0]
    for pictures in rows:
        has_notes = any(picture.note for picture in pictures)
        tops.append(tops[-1] - 1 - _GAP - (_NOTE if has_notes else 0.0))
    return tops


def _draw(ax: Axes, picture: Picture, left: float, top: float) -> None:
    box = (left, left + 1, top - 1, top)
    ax.imshow(picture.pixels, extent=box, interpolation="nearest", zorder=1)
    edge = {"facecolor": "none", "zorder": 2}
    color = style.RED if picture.is_marked else style.QUIET
    around = Rectangle((left, top - 1), 1, 1, edgecolor=color, **edge)
    around.set_linewidth(2.5 if picture.is_marked else 0.6)
    ax.add_patch(around)
    if picture.frame is not None:
        row, column, size = picture.frame
        high, wide = picture.pixels.shape[:2]
        corner = left + column / wide, top - (row + size) / high
        for ink, width in ((style.INK, 3.0), (style.YELLOW, 1.4)):
            ax.add_patch(
                Rectangle(corner, size / wide, size / high, edgecolor=ink, linewidth=width, **edge)
            )
    look = {"fontsize": 8.5, "ha": "center", "va": "top"}
    ax.text(left + 0.5, top - 1.05, picture.note, color=color, **look)
