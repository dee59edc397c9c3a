"""What share each part has in a sum, as more and more parts arrive."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LEAST_NAMED = 0.06
"""Shares below that are too low for a name."""


def plot_running_shares(
    shares: Sequence[Sequence[float]], *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw a bar for each moment, with a piece for each part that has come; the newest is darker.

    Args:
        shares: for each moment, the shares of the parts so far; they should add up to 1.
        caption: title, names of the axes, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.4) if ax is None else ax
    highest = max([1.0, *(sum(one) for one in shares)])
    for moment, parts in enumerate(shares, 1):
        bottom = 0.0
        for number, share in enumerate(parts, 1):
            is_new = number == len(parts)
            ax.bar(
                moment,
                share,
                bottom=bottom,
                width=0.72,
                color=style.BLUE if is_new else style.SKY,
                edgecolor=style.GROUND,
                linewidth=1.2,
            )
            if share >= _LEAST_NAMED * highest:
                ax.text(
                    moment,
                    bottom + share / 2,
                    str(number),
                    ha="center",
                    va="center",
                    fontsize=8.5,
                    color=style.GROUND if is_new else style.INK,
                )
            bottom += share
    ax.axhline(1, color=style.INK, linewidth=1, linestyle=(0, (5, 3)))
    ax.set_ylim(0, 1.12 * highest)
    ax.set_xticks(range(1, len(shares) + 1))
    ax.grid(axis="x", visible=False)
    return write_caption(ax, caption)
