"""A grid of trials: a square for each, with a sign for how it went."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.lane_looks import make_room_for_keys, write_keys


class Outcome(Enum):
    """How a trial went; its value is what the key calls it."""

    SAME = "the same numbers"
    OTHER = "other numbers"
    REFUSED = "refused"


_LOOKS = {
    Outcome.SAME: ("#cfe7de", style.GREEN, "="),
    Outcome.OTHER: ("#f6deb0", style.RED, "≠"),
    Outcome.REFUSED: (style.FAINT, style.QUIET, "×"),
}
_SIDE = 0.86


def plot_outcomes(
    rows: Sequence[Sequence[Outcome]],
    row_names: Sequence[object],
    column_names: Sequence[object],
    *,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw the first row at the top.

    Args:
        rows: each row's outcomes, one for each column.
        row_names: what the rows are called.
        column_names: what the columns are called.
        caption: title, names of the axes, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.7 + 0.42 * len(rows)) if ax is None else ax
    ax.grid(visible=False)
    for y, row in enumerate(rows):
        for x, outcome in enumerate(row):
            ground, ink, sign = _LOOKS[outcome]
            corner = (x - _SIDE / 2, y - _SIDE / 2)
            ax.add_patch(Rectangle(corner, _SIDE, _SIDE, facecolor=ground, edgecolor="none"))
            ax.text(x, y, sign, ha="center", va="center", fontsize=12, color=ink, weight="bold")
    ax.set_xlim(-0.6, len(column_names) - 0.4)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xticks(range(len(column_names)), [str(name) for name in column_names])
    ax.set_yticks(range(len(row_names)), [str(name) for name in row_names])
    ax.tick_params(length=0)
    write_caption(ax, caption)
    seen = [outcome for outcome in Outcome if any(outcome in row for row in rows)]
    make_room_for_keys(ax)
    write_keys(ax, [Patch(facecolor=_LOOKS[one][0], label=_label(one)) for one in seen])
    return ax


def _label(outcome: Outcome) -> str:
    return f"{_LOOKS[outcome][2]}  {outcome.value}"
