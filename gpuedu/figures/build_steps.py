"""Builds of an image side by side: which steps each of them ran again, and what that cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

CACHED, RAN, FETCHED = "from the cache", "runs", "runs, and downloads"
_LOOKS = {
    CACHED: (style.FAINT, "", style.QUIET),
    RAN: ("#cfe3f1", "", style.BLUE),
    FETCHED: ("#f6deb0", "////", style.ORANGE),
}
_WIDTH, _HEIGHT = 0.92, 0.8


@dataclass(frozen=True)
class StepCell:
    """A step of one build: one of ``CACHED``, ``RAN``, ``FETCHED``, and what is written there."""

    kind: str
    text: str = ""


def plot_builds(
    rows: Sequence[Sequence[StepCell]],
    row_names: Sequence[str],
    column_names: Sequence[str],
    totals: Sequence[tuple[str, Sequence[str]]],
    *,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw steps from top to bottom, builds from left to right, and totals below.

    Args:
        rows: each step's cells, one for each build.
        row_names: the texts of the steps, short.
        column_names: what had changed before each build.
        totals: pairs of a name and a value for each build, written below.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.75 + 0.29 * (len(rows) + len(totals))) if ax is None else ax
    ax.grid(visible=False)
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            face, hatch, edge = _LOOKS[cell.kind]
            corner = (x - _WIDTH / 2, y - _HEIGHT / 2)
            look = {"facecolor": face, "edgecolor": edge, "hatch": hatch, "linewidth": 0}
            ax.add_patch(Rectangle(corner, _WIDTH, _HEIGHT, **look))
            ground = {"facecolor": face, "edgecolor": "none", "pad": 1.0}
            box = ground if cell.text and hatch else None
            look = {"ha": "center", "va": "center", "fontsize": 9, "color": style.INK}
            ax.text(x, y, cell.text, bbox=box, **look)
    for y, (_, texts) in enumerate(totals, len(rows)):
        for x, text in enumerate(texts):
            look = {"ha": "center", "va": "center", "fontsize": 9.5, "color": style.INK}
            ax.text(x, y + 0.15, text, fontweight="bold", **look)
    count = len(rows) + len(totals)
    ax.set_xlim(-0.55, len(column_names) - 0.45)
    ax.set_ylim(count - 0.3, -0.6)
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(column_names)), column_names)
    names = [*row_names, *(name for name, _ in totals)]
    ax.set_yticks([*range(len(rows)), *(y + 0.15 for y in range(len(rows), count))], names)
    ax.tick_params(length=0, labelcolor=style.INK, labelsize=9.5)
    for label in ax.get_yticklabels()[: len(rows)]:
        label.set_family("monospace")
        label.set_fontsize(8.5)
    for side in ax.spines.values():
        side.set_visible(False)
    write_caption(ax, caption)
    seen = [kind for kind in _LOOKS if any(cell.kind == kind for row in rows for cell in row)]
    look = {"frameon": False, "fontsize": 9.5, "handlelength": 1.4, "columnspacing": 1.2}
    handles = [_patch(kind) for kind in seen]
    ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(0, 0), ncols=len(seen), **look)
    return ax


def _patch(kind: str) -> Patch:
    face, hatch, edge = _LOOKS[kind]
    return Patch(facecolor=face, hatch=hatch, edgecolor=edge, linewidth=0, label=kind)
