"""Ranges of tensors as bars, side by side: whose file has which numbers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.PINK)
_HEIGHT, _GAP, _LIGHT = 0.72, 0.5, 0.55


@dataclass(frozen=True)
class Span:
    """Numbers ``start`` to ``stop``, which belong to ``owner``."""

    start: int
    stop: int
    owner: int


@dataclass(frozen=True)
class RangeRow:
    """A tensor of ``size`` numbers, and its spans in each column."""

    name: str
    size: int
    columns: tuple[tuple[Span, ...], ...]

    @property
    def texts(self) -> list[str]:
        """For each column, who has what, including what nobody has and what several have."""
        return [", ".join(self._texts_of(spans)) for spans in self.columns]

    def runs(self, spans: Sequence[Span]) -> list[tuple[int, int, tuple[int, ...]]]:
        """Consecutive numbers with the same owners."""
        cuts = sorted({0, self.size, *(at for one in spans for at in (one.start, one.stop))})
        cuts = [at for at in cuts if 0 <= at <= self.size]
        return [
            (start, stop, tuple(one.owner for one in spans if one.start <= start < one.stop))
            for start, stop in itertools.pairwise(cuts)
        ]

    def _texts_of(self, spans: Sequence[Span]) -> list[str]:
        return [f"{start}:{stop} {_said(who)}" for start, stop, who in self.runs(spans)]


def _said(who: Sequence[int]) -> str:
    if not who:
        return "nobody"
    return str(who[0]) if len(who) == 1 else f"twice: {' and '.join(map(str, who))}"


def plot_ranges(
    rows: Sequence[RangeRow],
    columns: Sequence[str],
    notes: Sequence[tuple[str, str, bool]] = (),
    *,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw tensors from top to bottom, each as wide as the others, and lines of text below.

    Args:
        rows: the tensors.
        columns: the names of their columns.
        notes: name, text, and whether it is right.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    count = len(rows) + len(notes)
    ax = style.bare(style.new_axes(1.0 + 0.34 * count)) if ax is None else ax
    for column, name in enumerate(columns):
        left = column * (1 + _GAP / 5)
        ax.text(left, -0.3, name, fontsize=9.5, color=style.QUIET)
        for place, row in enumerate(rows):
            for start, stop, who in row.runs(row.columns[column]):
                _draw(ax, left + start / row.size, place, (stop - start) / row.size, who)
    for place, row in enumerate(rows):
        _name(ax, place, f"{row.name} ({row.size})")
    for place, (name, text, is_right) in enumerate(notes, len(rows)):
        _name(ax, place + 0.4, name)
        look = {"color": style.INK} if is_right else {"color": style.RED, "fontweight": "bold"}
        ax.text(0, place + 0.8, text, va="center", fontsize=9.5, **look)
    ax.set_xlim(-0.55, len(columns) * (1 + _GAP / 5) - _GAP / 5 + 0.01)
    ax.set_ylim(count + 0.6, -0.8)
    return write_caption(ax, caption)


def _name(ax: Axes, place: float, text: str) -> None:
    ax.text(-0.02, place + 0.4, text, ha="right", va="center", fontsize=9.5, color=style.INK)


def _draw(ax: Axes, x: float, y: float, width: float, who: Sequence[int]) -> None:
    is_right = len(who) == 1
    color = _COLORS[who[0] % len(_COLORS)] if is_right else style.RED
    look = {"facecolor": color if who else "none", "edgecolor": color, "linewidth": 1.2}
    ax.add_patch(Rectangle((x, y), width, _HEIGHT, **look, alpha=_LIGHT))
    short = str(who[0]) if is_right else ("twice" if who else "missing")
    if width < np.ceil(len(short) / 2) * 0.05:
        short = short[:1] if is_right else "!"
    said = {"color": style.INK, "fontweight": "normal" if is_right else "bold"}
    ax.text(x + width / 2, y + _HEIGHT / 2, short, ha="center", va="center", fontsize=9, **said)
