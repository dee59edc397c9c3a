"""Which block reads which elements of an array, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_HEIGHT, _ROW_IN = 0.62, 0.52
_WIDE_SHARE = 0.04


def plot_block_reads(loads: np.ndarray, *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw a bar per block over the elements that it reads, one below another.

    A range that is read once is plain; one that is read more often is hatched and labeled with how
    often. On the right is what the block asked for in total.

    Args:
        loads: (blocks, elements), how often each block read each element.
        caption: title, axes, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    blocks, size = loads.shape
    ax = style.new_axes(1.3 + _ROW_IN * blocks) if ax is None else ax
    for block, counts in enumerate(loads):
        for first, length, often in _runs(counts):
            _draw_run(ax, block, first, length, often, size)
        ax.text(
            size * 1.01,
            block,
            f"{np.count_nonzero(counts):,} elements,\n{int(counts.sum()):,} reads",
            va="center",
            fontsize=9.5,
            color=style.INK,
        )
    ax.set_xlim(0, size * 1.17)
    ax.set_xticks([tick for tick in ax.get_xticks() if tick <= size])
    ax.xaxis.set_major_formatter("{x:,.0f}")
    ax.spines["bottom"].set_bounds(0, size)
    ax.set_ylim(blocks - 0.45, -0.55)
    ax.set_yticks(range(blocks), [f"block {block}" for block in range(blocks)])
    ax.grid(visible=False)
    return write_caption(ax, caption)


def _runs(counts: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Stretches of equal counts above 0: first element, length, count."""
    edges = np.flatnonzero(np.diff(counts, prepend=-1, append=-1))
    for first, end in pairwise(edges):
        if counts[first] > 0:
            yield int(first), int(end - first), int(counts[first])


def _draw_run(ax: Axes, block: int, first: int, length: int, often: int, size: int) -> None:
    again = often > 1
    ax.broken_barh(
        [(first, length)],
        (block - _HEIGHT / 2, _HEIGHT),
        facecolor=style.ORANGE if again else style.SKY,
        edgecolor=style.INK,
        linewidth=0.5,
        hatch="///" if again else None,
    )
    if length > _WIDE_SHARE * size:
        ax.text(
            first + length / 2,
            block,
            "once each" if not again else f"{often} times each",
            ha="center",
            va="center",
            fontsize=9.5,
            color=style.INK,
            bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 1.5} if again else None,
        )
