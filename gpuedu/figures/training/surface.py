"""A grid of outcomes, as by batch and learning rate, in steps of shading, with a search's path."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LEVELS = (
    (1.25, "#0b4f73", "up to 1.25x"),
    (2.0, "#4b93bd", "up to 2x"),
    (4.0, "#a6cde3", "up to 4x"),
    (math.inf, "#e3edf4", "more"),
)
_NEVER = ("#f2efe9", "///", "never")
_ON_DARK = 1.25
_NUMBER_PT = 9.0
_TICKS = 6


def level_of(ratio: float) -> int | None:
    """The step of shading of a value over the best one; None for an infinite value or NaN.

    >>> level_of(1.0), level_of(1.3), level_of(100.0), level_of(math.inf)
    (0, 1, 3, None)
    """
    if not math.isfinite(ratio):
        return None
    return next(place for place, (most, *_) in enumerate(_LEVELS) if ratio <= most)


def plot_surface(
    rows: Sequence[Sequence[float]],
    tries: Sequence[tuple[int, int]] = (),
    chosen: tuple[int, int] | None = None,
    *,
    names: tuple[Sequence[str], Sequence[str]],
    caption: Caption,
    has_legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw a cell for each value, darker the nearer it is to the smallest of all.

    Args:
        rows: values, the first row at the bottom; infinite where there is no outcome.
        tries: places (row, column) in the order in which they were tried; numbers from 1.
        chosen: the place that is framed.
        names: of the rows and of the columns; of many columns every second is named.
        caption: title, names of the axes, source, alternative text.
        has_legend: whether the steps of shading are explained below the axes.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.8) if ax is None else ax
    best = min((value for row in rows for value in row), default=math.inf)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            _draw_cell(ax, i, j, value / best if math.isfinite(value) else math.inf)
    for number, place in enumerate(tries, 1):
        if place not in tries[: number - 1]:
            _write_number(ax, place, number, rows[place[0]][place[1]] / best)
    if chosen is not None:
        corner = chosen[1] - 0.5, chosen[0] - 0.5
        frame = {"fill": False, "edgecolor": style.ORANGE, "linewidth": 3.2, "zorder": 4}
        ax.add_patch(Rectangle(corner, 1, 1, **frame))
    ax.set_xlim(-0.55, len(rows[0]) - 0.45)
    ax.set_ylim(-0.55, len(rows) - 0.45)
    ax.grid(visible=False)
    _name_ticks(ax, *names)
    write_caption(ax, caption)
    if has_legend:
        _draw_legend(ax)
    return ax


def _draw_cell(ax: Axes, i: int, j: int, ratio: float) -> None:
    level = level_of(ratio)
    color, hatch = _NEVER[:2] if level is None else (_LEVELS[level][1], None)
    look = {"facecolor": color, "edgecolor": style.FAINT if hatch else style.GROUND}
    ax.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, hatch=hatch, linewidth=1, **look))


def _write_number(ax: Axes, place: tuple[int, int], number: int, ratio: float) -> None:
    i, j = place
    is_dark = ratio <= _ON_DARK
    look = {"ha": "center", "va": "center", "fontsize": _NUMBER_PT, "fontweight": "bold"}
    box = {"facecolor": _NEVER[0], "edgecolor": "none", "pad": 0.6}
    on_hatch = {} if math.isfinite(ratio) else {"bbox": box}
    ax.text(j, i, str(number), color=style.GROUND if is_dark else style.INK, **look, **on_hatch)


def _name_ticks(ax: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    every = 1 if len(columns) <= _TICKS else 2 if len(columns) <= 2 * _TICKS else 4
    ax.set_xticks(range(0, len(columns), every), columns[::every])
    ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)


def _draw_legend(ax: Axes) -> None:
    handles = [Patch(facecolor=color, label=says) for _, color, says in _LEVELS]
    handles.append(
        Patch(facecolor=_NEVER[0], hatch=_NEVER[1], edgecolor=style.FAINT, label=_NEVER[2])
    )
    frame = {"facecolor": style.GROUND, "edgecolor": style.ORANGE, "linewidth": 2}
    handles.append(Patch(label="chosen", **frame))
    ax.figure.legend(
        handles=handles,
        loc="outside upper left",
        ncols=len(handles),
        frameon=False,
        fontsize=9,
        handlelength=1.3,
        columnspacing=1.2,
    )
