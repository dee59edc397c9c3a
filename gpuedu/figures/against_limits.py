"""Costs before and after, each as a multiple of what is allowed: a row with two dots for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LEFT = 1 / 30
"""Where what is less is drawn: nothing at all, say."""


@dataclass(frozen=True)
class CostRow:
    """A cost: its name, before and after as multiples of what is allowed, and all as texts."""

    name: str
    before: float
    after: float | None
    before_text: str
    after_text: str = ""
    allowed_text: str = ""


def plot_against_limits(rows: Sequence[CostRow], *, caption: Caption) -> Axes:
    """Draw the rows from top to bottom; ``after`` may be missing in all of them.

    A cost that did not change has one dot, the open one.
    """
    ax = style.new_axes(1.1 + 0.3 * len(rows))
    most = max([2.0, *(row.before for row in rows), *(row.after or 0 for row in rows)])
    right = most * 1.4
    for place, row in enumerate(rows):
        before = max(row.before, _LEFT)
        is_changed = row.after is not None and row.after_text != row.before_text
        if is_changed:
            after = max(row.after, _LEFT)
            ax.plot([before, after], [place, place], color=style.FAINT, lw=2, zorder=1)
            is_good = row.after <= 1
            color = style.BLUE if is_good else style.RED
            shape = "<" if row.after < _LEFT else "o" if is_good else "s"
            ax.plot(after, place, shape, color=color, ms=7, zorder=3)
        ax.plot(before, place, "o", mfc=style.GROUND, mec=style.QUIET, ms=7, zorder=2)
        told = row.before_text
        if row.after is not None:
            told += f" → {row.after_text}" if is_changed else ", unchanged"
        told += f" ({row.allowed_text})" if row.allowed_text else ""
        ax.text(right * 1.15, place, told, va="center", ha="left", fontsize=8.5, color=style.INK)
    ax.axvline(1, color=style.INK, lw=1, zorder=0)
    ax.text(1.08, -0.75, "allowed", ha="left", va="center", fontsize=8.5, color=style.INK)
    ax.set_xscale("log")
    ax.set_xlim(_LEFT * 0.8, right)
    ax.set_ylim(len(rows) - 0.4, -0.9)
    ax.set_yticks(range(len(rows)), [row.name for row in rows])
    shown = [tick for tick in (0.1, 1, 10, 100, 1000, 10_000) if tick <= right]
    ax.set_xticks(shown, [f"{tick:,g}x" for tick in shown])
    ax.minorticks_off()
    return write_caption(ax, caption)
