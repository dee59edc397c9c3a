"""Predicted next to measured: a pair of bars each, with the difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from gpuedu.figures import style
from gpuedu.figures.axis_units import AxisUnit, memory_unit
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.lane_looks import make_room_for_keys, write_keys
from gpuedu.figures.text_fit import measure_scale, width_pt
from gpuedu.units import format_size

NOTHING = "Nothing to compare yet."
_BAR, _TEXT_PT = 0.36, 9.5
_PREDICTED, _MEASURED = style.SKY, style.BLUE


@dataclass(frozen=True)
class LedgerPair:
    """A line of two ledgers, such as a kind of memory or a layer, in bytes.

    >>> LedgerPair("gradients", 1050, 1000).difference, LedgerPair("batch", 8, 0).difference
    (0.05, inf)
    """

    name: str
    predicted_bytes: float
    measured_bytes: float

    @property
    def difference(self) -> float:
        """How far the prediction is off, as a share of what was measured; 0 for two zeros."""
        off = self.predicted_bytes - self.measured_bytes
        if not math.isfinite(off):
            return math.nan
        if self.measured_bytes:
            return off / self.measured_bytes
        return math.copysign(math.inf, off) if off else 0.0

    @property
    def is_known(self) -> bool:
        """Whether both are finite numbers from 0 on, and can be drawn."""
        pair = self.predicted_bytes, self.measured_bytes
        return all(math.isfinite(size) and size >= 0 for size in pair)


def plot_ledger(
    rows: Sequence[LedgerPair],
    *,
    caption: Caption,
    tolerance: float | None = None,
    names: tuple[str, str] = ("predicted", "measured"),
    ax: Axes | None = None,
) -> Axes:
    """Draw each pair from top to bottom, with both sizes and the difference in percent.

    Args:
        rows: a negative or infinite size is mentioned, not drawn.
        caption: title, name of the x axis without its unit, which is chosen to fit, source,
            alternative text.
        tolerance: the share beyond which a difference is marked, such as 0.05.
        names: what the upper and the lower bar of a pair are.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.25 + 0.46 * max(1, len(rows))) if ax is None else ax
    most = max((_longer(row) for row in rows if row.is_known), default=0) or 1
    unit = memory_unit(most)
    ends = [unit.of(_longer(row)) if row.is_known else 0.0 for row in rows]
    texts = [_tell(row, tolerance) for row in rows]
    ax.set_yticks(range(len(rows)), [row.name for row in rows])
    ax.set_ylim(max(1, len(rows)) - 0.45, -0.55)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color=style.FAINT, linewidth=0.8)
    write_caption(ax, replace(caption, x=unit.name_axis(caption.x or "memory")))
    _make_room(ax, ends, texts, unit.of(most))
    for place, (row, end, text) in enumerate(zip(rows, ends, texts, strict=True)):
        if row.is_known:
            _draw_pair(ax, place, row, unit)
        is_off = tolerance is not None and not abs(row.difference) <= tolerance
        _write(ax, end, place, text, style.RED if is_off else style.INK)
    _write_keys(ax, names)
    if not rows:
        ax.text(0.5, 0.5, NOTHING, transform=ax.transAxes, ha="center", color=style.QUIET)
    return ax


def _longer(row: LedgerPair) -> float:
    return max(row.predicted_bytes, row.measured_bytes)


def _tell(row: LedgerPair, tolerance: float | None) -> str:
    """Both sizes, and how far they are apart."""
    if not row.is_known:
        return "no size that can be drawn"
    sizes = f"{format_size(row.predicted_bytes)} | {format_size(row.measured_bytes)}"
    is_off = tolerance is not None and abs(row.difference) > tolerance
    return f"{sizes}   {_per_cent(row.difference)}" + (
        f", beyond {tolerance:.0%}" if is_off else ""
    )


def _make_room(ax: Axes, ends: Sequence[float], texts: Sequence[str], most: float) -> None:
    """End the axis where the text beside each bar ends."""
    ax.set_xlim(0, most)
    width_on_page = measure_scale(ax).x_pt * most
    shares = [min(0.8, (width_pt(text, _TEXT_PT) + 14) / width_on_page) for text in texts]
    needed = [end / (1 - share) for end, share in zip(ends, shares, strict=True)]
    ax.set_xlim(0, max([most * 1.02, *needed]))


def _draw_pair(ax: Axes, place: int, row: LedgerPair, unit: AxisUnit) -> None:
    pair = (row.predicted_bytes, _PREDICTED, "///", -1), (row.measured_bytes, _MEASURED, None, 1)
    for size_bytes, color, hatch, side in pair:
        ax.barh(
            place + side * _BAR / 2,
            unit.of(size_bytes),
            height=_BAR,
            color=color,
            edgecolor=style.GROUND,
            hatch=hatch,
            linewidth=0.7,
        )


def _per_cent(difference: float) -> str:
    """The difference with its sign, in two digits.

    >>> _per_cent(0.0312), _per_cent(-0.5), _per_cent(0.0), _per_cent(float("inf"))
    ('+3.1%', '-50%', 'equal', 'measured: nothing')
    """
    if math.isinf(difference):
        return "measured: nothing"
    return "equal" if difference == 0 else f"{100 * difference:+.2g}%"


def _write(ax: Axes, x: float, y: float, text: str, color: str) -> None:
    place = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
    ground = {"facecolor": style.GROUND, "edgecolor": "none", "pad": 0.5}
    ax.annotate(text, (x, y), fontsize=_TEXT_PT, color=color, bbox=ground, **place)


def _write_keys(ax: Axes, names: tuple[str, str]) -> None:
    """Samples of the two bars of a pair, above the drawing."""
    make_room_for_keys(ax)
    looks = (f"{names[0]} (upper)", _PREDICTED, "///"), (f"{names[1]} (lower)", _MEASURED, None)
    write_keys(
        ax,
        [
            Patch(facecolor=color, hatch=hatch, edgecolor=style.GROUND, label=name)
            for name, color, hatch in looks
        ],
    )
