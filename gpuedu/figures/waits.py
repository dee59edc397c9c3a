"""Which rank waits for which: ranks on a circle, with an arrow from each to the one it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Circle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_RADIUS, _NODE = 1.0, 0.2


def plot_waits(
    waits: Mapping[int, Sequence[int]],
    *,
    ranks: int,
    notes: Mapping[int, str] | None = None,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw which rank waits for which; ranks in a cycle are dark, those that do not wait pale.

    Args:
        waits: for each rank that waits, the ranks that have to do something before it can go on.
        ranks: how many there are.
        notes: what each waits in, written beside the drawing.
        caption: title, source, alternative text.
        ax: where to draw; a new figure by default.

    >>> caption = Caption("Waits", "two wait", "simulated")
    >>> ax = plot_waits({0: [1], 1: [0]}, ranks=3, caption=caption)
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['0', '1', '2']
    """
    ax = style.bare(style.new_axes(3.0)) if ax is None else ax
    ax.set_aspect("equal", anchor="W")
    places = [_place(rank, ranks) for rank in range(ranks)]
    stuck = in_a_circle(waits)
    for rank, others in waits.items():
        for other in others:
            _draw_arrow(ax, places[rank], places[other], is_dark={rank, other} <= stuck)
    for rank, place in enumerate(places):
        _draw_rank(ax, rank, place, is_waiting=rank in waits, is_stuck=rank in stuck)
    lines = [f"rank {rank}: {note}" for rank, note in sorted((notes or {}).items())]
    look = {"fontsize": 9.5, "color": style.INK, "va": "center", "linespacing": 1.9}
    ax.text(_RADIUS + 0.45, 0.0, "\n".join(lines), **look)
    ax.set_xlim(-_RADIUS - 0.3, _RADIUS + 4.9)
    ax.set_ylim(-_RADIUS - 0.3, _RADIUS + 0.3)
    return write_caption(ax, caption)


def in_a_circle(waits: Mapping[int, Sequence[int]]) -> set[int]:
    """The ranks that wait for one that, in the end, waits for them.

    >>> sorted(in_a_circle({0: [1], 1: [2], 2: [1]}))
    [1, 2]
    """
    return {rank for rank in waits if rank in _needed_by(rank, waits)}


def _needed_by(rank: int, waits: Mapping[int, Sequence[int]]) -> set[int]:
    found: set[int] = set()
    open_ends = list(waits.get(rank, ()))
    while open_ends:
        other = open_ends.pop()
        if other not in found:
            found.add(other)
            open_ends += waits.get(other, ())
    return found


def _place(rank: int, ranks: int) -> tuple[float, float]:
    """Clockwise, rank 0 at the top."""
    angle = math.pi / 2 - 2 * math.pi * rank / ranks
    return _RADIUS * math.cos(angle), _RADIUS * math.sin(angle)


def _draw_arrow(
    ax: Axes, start: tuple[float, float], end: tuple[float, float], *, is_dark: bool
) -> None:
    (x0, y0), (x1, y1) = start, end
    length = math.hypot(x1 - x0, y1 - y0)
    cut = (_NODE + 0.03) / length
    near = x0 + cut * (x1 - x0), y0 + cut * (y1 - y0)
    far = x1 - cut * (x1 - x0), y1 - cut * (y1 - y0)
    color, width = (style.RED, 2.2) if is_dark else (style.QUIET, 1.4)
    look = {"arrowstyle": "-|>", "color": color, "linewidth": width, "mutation_scale": 15}
    # A little bent, so that two arrows between the same ranks lie beside each other.
    look |= {"shrinkA": 0, "shrinkB": 0, "connectionstyle": "arc3,rad=0.12"}
    ax.annotate("", far, near, arrowprops=look)


def _draw_rank(
    ax: Axes, rank: int, place: tuple[float, float], *, is_waiting: bool, is_stuck: bool
) -> None:
    face = style.INK if is_stuck else style.FAINT if is_waiting else style.GROUND
    ax.add_patch(Circle(place, _NODE, facecolor=face, edgecolor=style.QUIET, linewidth=1.2))
    color = "white" if is_stuck else style.INK
    look = {"ha": "center", "va": "center_baseline", "fontsize": 11, "color": color}
    ax.text(*place, str(rank), **look)
