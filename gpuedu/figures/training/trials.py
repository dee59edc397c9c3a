"""Trials one after another under a budget of memory: what each found, added, and was refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from gpuedu.figures import style
from gpuedu.figures.axis_units import AxisUnit, memory_unit
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.end_labels import EndLabel, write_end_labels
from gpuedu.figures.text_fit import measure_scale, width_pt
from gpuedu.units import format_size

NOTHING = "Nothing to draw yet: no trial was made."
_TEXT_PT = 9.5
_LOOKS = {
    "held": {"facecolor": style.BLUE, "edgecolor": style.GROUND},
    "left": {"facecolor": style.RED, "edgecolor": style.GROUND, "hatch": "xxx"},
    "added": {"facecolor": style.PINK, "edgecolor": style.GROUND},
    "refused": {"facecolor": style.GROUND, "edgecolor": style.QUIET, "linestyle": "--"},
}


@dataclass(frozen=True)
class TrialBar:
    """One trial, in bytes, from the ground up.

    Attributes:
        name: below the bar, such as the batch.
        held: what is always there.
        left: what earlier trials left behind.
        added: what it had allocated by its peak.
        refused: what it asked for when there was no room; 0 if it fit.
    """

    name: str
    held: int
    left: int
    added: int
    refused: int = 0

    @property
    def top(self) -> int:
        """All of it."""
        return self.held + self.left + self.added + self.refused


def plot_trials(
    bars: Sequence[TrialBar],
    *,
    caption: Caption,
    budget_bytes: int,
    names: dict[str, str],
    height_in: float = 3.9,
    ax: Axes | None = None,
) -> Axes:
    """Draw a bar for each trial, in the order of time, and the budget as a line.

    Args:
        bars: the trials.
        caption: title, names of the axes (y without its unit), source, alternative text.
        budget_bytes: what must not be passed.
        names: what ``held``, ``left``, ``added`` and ``refused`` are called; a kind that no bar has
            is not named.
        height_in: height of a new figure, in inches.
        ax: where to draw; a new figure by default.

    >>> bars = [TrialBar("1", 40, 0, 20), TrialBar("2", 40, 0, 50, 30), TrialBar("1", 40, 50, 5, 9)]
    >>> names = {"held": "model", "left": "left", "added": "step", "refused": "refused"}
    >>> ax = plot_trials(bars, caption=Caption("Trials", "3", "made up"), budget_bytes=100,
    ...                  names=names)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['model', 'left', 'step', 'refused']
    """
    ax = style.new_axes(height_in) if ax is None else ax
    top = max([budget_bytes, *(bar.top for bar in bars)])
    unit = memory_unit(top)
    ax.set_ylim(0, unit.of(top) * 1.06)
    ax.set_xlim(-0.6, max(len(bars), 1) - 0.4)
    drawn = _stack(ax, bars, unit)
    ax.axhline(unit.of(budget_bytes), color=style.RED, linewidth=1.6, dashes=(6, 3), zorder=3)
    write_caption(ax, replace(caption, y=unit.name_axis(caption.y or "memory")))
    if drawn:
        _write_keys(ax, drawn, names)
    else:
        place = {"ha": "center", "va": "center", "transform": ax.transAxes}
        ax.text(0.5, 0.5, NOTHING, fontsize=11, color=style.QUIET, **place)
    said = f"budget:\n{format_size(budget_bytes)}"
    write_end_labels(ax, [EndLabel(ax.get_xlim()[1], unit.of(budget_bytes), said, style.RED)])
    _name_trials(ax, bars)
    return ax


def _stack(ax: Axes, bars: Sequence[TrialBar], unit: AxisUnit) -> list[str]:
    """Draw kind upon kind; the kinds that any bar has."""
    floor, drawn = np.zeros(len(bars)), []
    for kind, look in _LOOKS.items():
        heights = np.array([unit.of(getattr(bar, kind)) for bar in bars])
        if heights.any():
            at = np.flatnonzero(heights)
            ax.bar(at, heights[at], 0.8, bottom=floor[at], linewidth=0.8, **look)
            drawn.append(kind)
        floor = floor + heights
    return drawn


def _write_keys(ax: Axes, kinds: Sequence[str], names: dict[str, str]) -> None:
    ax.set_title(ax.get_title(loc="left"), loc="left", fontweight="bold", fontsize=12, pad=22)
    ax.legend(
        handles=[Patch(label=names[kind], **_LOOKS[kind]) for kind in kinds],
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=len(kinds),
        frameon=False,
        fontsize=_TEXT_PT,
        borderaxespad=0.1,
        handlelength=1.4,
        columnspacing=1.2,
    )


def _name_trials(ax: Axes, bars: Sequence[TrialBar]) -> None:
    """As many names as there is room for, the last one always."""
    ax.tick_params(axis="x", length=0, labelcolor=style.INK)
    if not bars:
        ax.set_xticks([])
        return
    wide = max(width_pt(bar.name, 10) for bar in bars) + 5
    every = max(1, int(np.ceil(wide / measure_scale(ax).x_pt)))
    places = sorted(range(len(bars) - 1, -1, -every))
    ax.set_xticks(places, [bars[place].name for place in places])
