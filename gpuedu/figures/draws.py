"""Which samples ranks draw: a row of numbered cells for each rank, repeated samples striped."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

MOST = 16
"""Cells of a row that are drawn; what is beyond is counted."""
_HEAD = 1.0


def plot_draws(
    groups: Sequence[tuple[str, Sequence[Sequence[int]]]],
    *,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw groups of rows below each other, a row for each rank.

    Args:
        groups: a name, and the samples that each rank draws, in their order. All ranks draw side by
            side; a sample that was drawn before gets a striped cell.
        caption: title, name of the axis along the draws, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    rows = sum(len(parts) + _HEAD for _, parts in groups)
    ax = style.new_axes(1.2 + 0.25 * rows) if ax is None else ax
    columns = min(MOST, max((len(part) for _, parts in groups for part in parts), default=1))
    top, ticks = 0.0, []
    for name, parts in groups:
        look = {"fontsize": 10, "color": style.INK, "fontweight": "bold", "va": "center"}
        ax.text(0, top - 0.6 * _HEAD, name, **look)
        top -= _HEAD
        repeated = _repeated(parts)
        for rank, part in enumerate(parts):
            _draw_row(ax, part, repeated[rank], top)
            ticks.append((top - 0.5, f"rank {rank}"))
            top -= 1
    ax.set_xlim(0, max(columns, 1) + 0.9)
    ax.set_ylim(top - 0.1, 0.1)
    ax.set_yticks([y for y, _ in ticks], [text for _, text in ticks])
    ax.set_xticks([])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(visible=False)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    return write_caption(ax, caption)


def _repeated(parts: Sequence[Sequence[int]]) -> list[list[bool]]:
    """Whether each draw is of a sample that was drawn before, by anybody."""
    seen: set[int] = set()
    marks: list[list[bool]] = [[] for _ in parts]
    for place in range(max((len(part) for part in parts), default=0)):
        for rank, part in enumerate(parts):
            if place < len(part):
                marks[rank].append(part[place] in seen)
                seen.add(part[place])
    return marks


def _draw_row(ax: Axes, part: Sequence[int], repeated: Sequence[bool], top: float) -> None:
    for place, (sample, is_again) in enumerate(zip(part[:MOST], repeated, strict=False)):
        box = Rectangle((place + 0.05, top - 0.94), 0.9, 0.88, linewidth=0.8)
        box.set_facecolor("#fbe3c0" if is_again else "#dcebf5")
        box.set_edgecolor(style.RED if is_again else style.BLUE)
        box.set_hatch("////" if is_again else "")
        ax.add_patch(box)
        ground = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        look = {"fontsize": 9.5, "color": style.INK, "ha": "center", "va": "center"}
        ax.text(place + 0.5, top - 0.5, f"{sample}", bbox=ground if is_again else None, **look)
    if len(part) > MOST:
        look = {"fontsize": 9, "color": style.QUIET, "ha": "left", "va": "center"}
        ax.text(MOST + 0.05, top - 0.5, f"+{len(part) - MOST}", **look)
