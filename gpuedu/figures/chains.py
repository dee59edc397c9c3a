"""Which step of a loop waits for which: dependency graphs side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_PANEL = 10.0


@dataclass(frozen=True)
class ChainStep:
    """A step at a place of its panel, and the indices of what it waits for.

    ``is_given`` marks a number that is there from the start, which no step has to make.
    """

    x: float
    y: float
    after: tuple[int, ...] = ()
    is_given: bool = False


@dataclass(frozen=True)
class Loop:
    """A loop as a graph. ``longest`` are the indices of a longest chain, in order."""

    code: str
    steps: tuple[ChainStep, ...]
    longest: tuple[int, ...]
    notes: tuple[str, ...]
    color: str


def plot_chains(loops: Sequence[Loop], *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw loops from left to right; a longest chain of each is drawn in full color.

    Args:
        loops: steps within 0 to 8 across and 0 to 8 up; time runs downwards.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.bare(style.new_axes(4.2)) if ax is None else ax
    for place, loop in enumerate(loops):
        _draw_loop(ax, loop, place * _PANEL)
    ax.set_xlim(-0.6, len(loops) * _PANEL - 1.6)
    ax.set_ylim(-3.4, 10.0)
    return write_caption(ax, caption)


def _draw_loop(ax: Axes, loop: Loop, left: float) -> None:
    ax.text(left, 9.3, loop.code, fontsize=9.5, family="monospace", color=style.INK, va="center")
    links = set(zip(loop.longest, loop.longest[1:], strict=False))
    for index, step in enumerate(loop.steps):
        for before in step.after:
            start = loop.steps[before]
            is_longest = (before, index) in links
            ax.annotate(
                "",
                (left + step.x, step.y),
                (left + start.x, start.y),
                arrowprops={
                    "arrowstyle": "->",
                    "color": loop.color if is_longest else style.QUIET,
                    "lw": 2.2 if is_longest else 1.0,
                    "shrinkA": 3 if loop.steps[before].is_given else 6,
                    "shrinkB": 6,
                },
            )
    for index, step in enumerate(loop.steps):
        is_longest = index in loop.longest
        ax.plot(
            left + step.x,
            step.y,
            "o",
            markersize=5 if step.is_given else 12,
            markeredgewidth=1.6,
            markeredgecolor=loop.color if is_longest else style.QUIET,
            markerfacecolor=loop.color
            if is_longest
            else style.QUIET
            if step.is_given
            else style.GROUND,
        )
    for row, note in enumerate(loop.notes):
        ax.text(
            left,
            -1.0 - 0.85 * row,
            note,
            fontsize=10 if row == 0 else 9.5,
            color=style.INK if row == 0 else style.QUIET,
            fontweight="bold" if row == 0 else "normal",
            va="center",
        )
