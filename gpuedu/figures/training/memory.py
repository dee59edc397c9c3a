"""Memory over the moments of a training step: kinds stacked, the peak and the budget marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.markers import CARETDOWN
from matplotlib.patches import Patch

from gpuedu.figures import style
from gpuedu.figures.axis_units import AxisUnit, memory_unit
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.end_labels import spread
from gpuedu.figures.text_fit import Scale, measure_scale, width_pt
from gpuedu.figures.training.kinds import KindLook, look_of_kind
from gpuedu.units import format_size

if TYPE_CHECKING:  # torch comes with it, which a figure does not need
    from gpuedu.training.memory import MemoryPoint

NOTHING = "Nothing to draw yet: no memory was watched."
MOST_BARS = 12
"""Up to this many stages are bars, each with its own name; more are drawn as areas."""
_TEXT_PT, _LINE_PT, _ABOVE_PHASES_PT = 9.0, 12.5, 15.0
_BAR = 0.8
_VISIBLE_PT = 0.4
"""A key for what is thinner would send readers looking for it."""


def plot_memory(
    stages: Sequence[MemoryPoint],
    *,
    caption: Caption,
    budget_bytes: int | None = None,
    budget_name: str = "budget",
    from_first_phase: bool = True,
    height_in: float = 3.9,
    ax: Axes | None = None,
) -> Axes:
    """Draw what was live at each moment, by kind from the bottom up, with the peak marked.

    Many moments, such as ``points(trace)``, are areas, with the phases named above them; a few,
    such as a point at the end of each phase, are bars, each named by its phase, with its total.

    Args:
        stages: points of ``gpuedu.training.memory``, in order; all of the same kinds.
        caption: title, name of the x axis, name of the y axis without its unit, which is chosen
            to fit, source, alternative text.
        budget_bytes: a line that memory must not pass, or another to compare it with.
        budget_name: what that line is.
        from_first_phase: whether moments outside any phase are left out, if there are phases: there
            a watch counts, one by one, what already exists.
        height_in: height of a new figure, in inches.
        ax: where to draw; a new figure by default.

    >>> from gpuedu.training.memory import Block, MemoryTrace, points
    >>> trace = MemoryTrace((Block("weights", 800, 0), Block("activations", 400, 1, 2)), (), 3)
    >>> ax = plot_memory(points(trace), caption=Caption("Memory", "bars", "counted", y="memory"))
    >>> ax.get_ylabel(), [text.get_text() for text in ax.texts if text.get_text()[-1] == "B"]
    ('memory (B)', ['800 B', '1.17 KiB', '800 B'])
    """
    ax = style.new_axes(height_in) if ax is None else ax
    if from_first_phase:
        stages = [stage for stage in stages if stage.phase] or stages
    live = [stage.live_bytes for stage in stages]
    most = max([*live, budget_bytes or 0, 1])
    unit = memory_unit(most)
    bands = _bands(stages, unit)
    ax.set_ylim(0, unit.of(most) * 1.14)
    ax.set_xlim(0, max(1, len(stages)))
    are_bars = len(stages) <= MOST_BARS
    if are_bars:
        ax.set_xticks(np.arange(len(stages)) + 0.5, [stage.phase for stage in stages])
        ax.tick_params(axis="x", length=0, labelcolor=style.INK)
    write_caption(ax, replace(caption, y=unit.name_axis(caption.y or "memory")))
    name = {"fontsize": 12, "color": style.INK, "fontweight": "bold", "pad": 38}
    ax.set_title(caption.title, loc="left", **name)
    if budget_bytes:  # before anything is measured: its name takes room from the axes
        _draw_budget(ax, budget_name, budget_bytes, unit)
    scale = measure_scale(ax)
    for kind, (low, high) in bands.items():
        _draw_band(ax, look_of_kind(kind), low, high, are_bars=are_bars)
    unnamed = [
        kind
        for kind, (low, high) in bands.items()
        if not _name_band(ax, look_of_kind(kind), low, high, scale, are_bars=are_bars)
        and (high - low).max() * scale.y_pt >= _VISIBLE_PT
    ]
    _write_keys(ax, [look_of_kind(kind) for kind in unnamed], scale)
    if are_bars:
        _write_totals(ax, live, unit)
    else:
        _name_phases(ax, stages, scale)
        _mark_peak(ax, live, unit, _begins(stages)[1:], scale)
    if not bands:
        _say_nothing(ax)
    return ax


Edges = tuple[np.ndarray, np.ndarray]


def _bands(stages: Sequence[MemoryPoint], unit: AxisUnit) -> dict[str, Edges]:
    """Lower and upper edge of each kind that ever holds anything, in the unit of the axis."""
    found: dict[str, Edges] = {}
    low = np.zeros(len(stages))
    for kind in stages[0].by_kind if stages else ():
        high = low + [unit.of(stage.by_kind[kind]) for stage in stages]
        if (high > low).any():
            found[kind] = low, high
        low = high
    return found


def _draw_band(
    ax: Axes, look: KindLook, low: np.ndarray, high: np.ndarray, *, are_bars: bool
) -> None:
    colors = {"facecolor": look.color, "edgecolor": look.edge, "hatch": look.hatch or None}
    if are_bars:
        ax.bar(np.arange(len(low)) + 0.5, high - low, _BAR, bottom=low, linewidth=0.6, **colors)
        return
    # The last moment lasts as long as the others.
    x = np.arange(len(low) + 1)
    edges = (np.append(edge, edge[-1]) for edge in (low, high))
    ax.fill_between(x, *edges, step="post", linewidth=0.0, **colors)


def _name_band(
    ax: Axes, look: KindLook, low: np.ndarray, high: np.ndarray, scale: Scale, *, are_bars: bool
) -> bool:
    """Write the name where the band is thickest; False where there is no room."""
    wide = int(np.ceil((width_pt(look.name, _TEXT_PT) + 6) / scale.x_pt))
    if are_bars:
        wide = 1 if wide <= 1 and width_pt(look.name, _TEXT_PT) + 4 <= _BAR * scale.x_pt else 0
    if not 0 < wide <= len(low):
        return False
    windows = np.lib.stride_tricks.sliding_window_view
    floor, roof = windows(low, wide).max(axis=1), windows(high, wide).min(axis=1)
    at = int(np.argmax(roof - floor))
    if (roof[at] - floor[at]) * scale.y_pt < _LINE_PT:
        return False
    ax.text(
        at + wide / 2,
        (floor[at] + roof[at]) / 2,
        look.name,
        ha="center",
        va="center_baseline",
        fontsize=_TEXT_PT,
        color=look.text,
        # So that neither a hatch nor the line of a phase runs through the text.
        bbox={"facecolor": look.color, "edgecolor": "none", "pad": 1},
    )
    return True


def _name_phases(ax: Axes, stages: Sequence[MemoryPoint], scale: Scale) -> None:
    """A line where a phase begins, its name above the drawing."""
    begins = _begins(stages)
    for at in begins[1:]:
        ax.axvline(at, color=style.QUIET, linewidth=1, dashes=(2, 2))
    names = [stages[at].phase for at in begins]
    middles = [(a + b) / 2 * scale.x_pt for a, b in pairwise([*begins, len(stages)])]
    widths = [width_pt(name, _TEXT_PT + 0.5) + 8 for name in names]
    for name, middle in zip(names, _within(middles, widths, len(stages) * scale.x_pt), strict=True):
        ax.annotate(
            name,
            (0, 1),
            xycoords="axes fraction",
            xytext=(middle, 5),
            textcoords="offset points",
            ha="center",
            fontsize=_TEXT_PT + 0.5,
            color=style.INK,
            annotation_clip=False,
        )


def _begins(stages: Sequence[MemoryPoint]) -> list[int]:
    return [at for at, stage in enumerate(stages) if at == 0 or stage.phase != stages[at - 1].phase]


def _within(wanted: Sequence[float], widths: Sequence[float], room: float) -> list[float]:
    """Middles near to ``wanted`` without overlap, none beyond ``room`` on the right.

    >>> _within([10.0, 98.0], [20.0, 20.0], 100.0), _within([80.0, 98.0], [20.0, 20.0], 100.0)
    ([10.0, 90.0], [70.0, 90.0])
    """
    middles, right = spread(wanted, widths), room
    for at in reversed(range(len(middles))):
        middles[at] = min(middles[at], right - widths[at] / 2)
        right = middles[at] - widths[at] / 2
    return middles


def _mark_peak(
    ax: Axes, live: Sequence[int], unit: AxisUnit, begins: Sequence[int], scale: Scale
) -> None:
    at = int(np.argmax(live))
    text = f"peak: {format_size(live[at])}"
    side = _free_side(at, len(live), width_pt(text, 9.5) / scale.x_pt, begins, 8 / scale.x_pt)
    # A caret's tip is its point: it stands on the peak and leaves a narrow one in sight.
    ax.plot(
        [at + 0.5], [unit.of(live[at])], marker=CARETDOWN, color=style.INK, markersize=7, zorder=4
    )
    ax.annotate(
        text,
        (at + 0.5, unit.of(live[at])),
        xytext=({"center": 0, "left": 8, "right": -8}[side], 8),
        textcoords="offset points",
        ha=side,
        fontsize=9.5,
        color=style.INK,
        bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.8, "alpha": 0.85},
    )


def _free_side(at: int, count: int, width: float, begins: Sequence[int], aside: float) -> str:
    """Where the name of a peak stands so that no line of a phase goes through it."""
    x, share = at + 0.5, (at + 0.5) / count
    spans = {
        "center": (x - width / 2, x + width / 2),
        "right": (x - aside - width, x - aside),
        "left": (x + aside, x + aside + width),
    }
    usual = "center" if 0.15 < share < 0.85 else "left" if share < 0.5 else "right"
    for side in sorted(spans, key=lambda one: one != usual):
        low, high = spans[side]
        if low >= 0 and high <= count and not any(low <= line <= high for line in begins):
            return side
    return usual


def _write_totals(ax: Axes, live: Sequence[int], unit: AxisUnit) -> None:
    for at, total in enumerate(live):
        ax.annotate(
            format_size(total),
            (at + 0.5, unit.of(total)),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=9.5,
            color=style.INK,
            bbox={"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.5},
        )


def _draw_budget(ax: Axes, name: str, budget_bytes: int, unit: AxisUnit) -> None:
    ax.axhline(unit.of(budget_bytes), color=style.RED, linewidth=1.6, dashes=(6, 3), zorder=3)
    ax.annotate(
        f"{name}:\n{format_size(budget_bytes)}",
        (1, unit.of(budget_bytes)),
        xycoords=("axes fraction", "data"),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        fontsize=9.5,
        color=style.RED,
        annotation_clip=False,
    )


def _write_keys(ax: Axes, looks: Sequence[KindLook], scale: Scale) -> None:
    """What is too thin to bear its name, in the order of the stack from the ground up."""
    if not looks:
        return
    handles = [
        Patch(facecolor=one.color, edgecolor=one.edge, hatch=one.hatch or None, label=one.name)
        for one in looks
    ]
    ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1 + _ABOVE_PHASES_PT / (ax.get_ylim()[1] * scale.y_pt)),
        ncols=len(handles),
        frameon=False,
        fontsize=9.5,
        borderaxespad=0.1,
        handlelength=1.4,
        columnspacing=1.2,
    )


def _say_nothing(ax: Axes) -> None:
    place = {"ha": "center", "va": "center", "transform": ax.transAxes}
    ax.text(0.5, 0.5, NOTHING, fontsize=11, color=style.QUIET, **place)
