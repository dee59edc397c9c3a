"""A kernel's source with what each of its lines cost beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.cells import shorten, write
from gpuedu.lens.listing import source_lines
from gpuedu.lens.report import Lens, LineReport
from gpuedu.trace.counts import Counts
from gpuedu.trace.records import Level, Place
from gpuedu.units import format_quantity

_CODE, _ROW_IN = 56.0, 0.225
_BAR, _PITCH = 14.0, 16.0
_LETTER = 1.16
_TINTS = {Level.HAZARD: "#f7d5c8", Level.COST: "#fbedcc"}


@dataclass(frozen=True)
class _Column:
    """One measure: a bar with the part that would do at best, and its number."""

    name: str
    value: Callable[[Counts], int]
    best: Callable[[Counts], int]
    colour: str


_COLUMNS = (
    _Column("runs", lambda c: c.executions, lambda c: c.executions, style.QUIET),
    _Column("sectors", lambda c: c.sectors, lambda c: c.sectors - c.excess_sectors, style.BLUE),
    _Column("wavefronts", lambda c: c.wavefronts, lambda c: c.ideal_wavefronts, style.GREEN),
    _Column("FLOP", lambda c: c.flop, lambda c: c.flop, style.PINK),
)


def plot_source_costs(report: Lens, *, ax: Axes | None = None) -> Axes:
    """Draw the source line by line, with bars for runs, sectors, wavefronts and FLOP.

    A bar's hatched end is what goes beyond the best that the same lanes could do. Columns that
    count nothing in the whole launch are left out. A line with a hazard or a cost has a mark at its
    number and a tint.

    Args:
        report: The lens's report on a launch.
        ax: where to draw; a new figure by default.
    """
    counted = {line.place: line for line in report.lines}
    ran = {line.place.function for line in report.lines}
    kernel = report.trace.launch.sources[0]
    shown = [s for s in report.trace.launch.sources if s is kernel or s.function in ran]
    lines = [row for source in shown for row in source_lines(source)]
    columns = [c for c in _COLUMNS if any(c.value(line.counts) for line in report.lines)]
    ax = style.bare(style.new_axes(0.85 + _ROW_IN * (len(lines) + 1.2))) if ax is None else ax
    _head(ax, columns)
    for row, (place, text) in enumerate(lines):
        _draw_line(ax, row, place, text, report)
        for place_of, column in enumerate(columns):
            _draw_bar(ax, row, place_of, column, counted.get(place), report)
    ax.set_xlim(0, _CODE + 4 * _PITCH)
    ax.set_ylim(len(lines) + 0.1, -1.1)
    return write_caption(ax, _caption(report, columns))


def _head(ax: Axes, columns: list[_Column]) -> None:
    for place, column in enumerate(columns):
        x = _CODE + place * _PITCH
        write(ax, x, -0.5, column.name, size_pt=9.5, weight="bold")


def _draw_line(ax: Axes, row: int, place: Place, text: str, report: Lens) -> None:
    level = next((f.level for f in report.findings if f.place == place and f.level in _TINTS), None)
    if level is not None:
        whole = _CODE + 4 * _PITCH
        ax.add_patch(Rectangle((0, row), whole, 1, facecolor=_TINTS[level], edgecolor="none"))
    mark = {Level.HAZARD: "!!", Level.COST: "!"}.get(level, "")
    write(ax, 1.2, row + 0.5, mark, colour=style.RED, ha="center", weight="bold", size_pt=9)
    write(ax, 5.4, row + 0.5, str(place.line), colour=style.QUIET, ha="right")
    write(ax, 6.6, row + 0.5, shorten(text, 44), size_pt=8.5, family="monospace")


def _draw_bar(
    ax: Axes, row: int, place: int, column: _Column, line: LineReport | None, report: Lens
) -> None:
    value = column.value(line.counts) if line else 0
    if not value:
        return
    most = max(column.value(one.counts) for one in report.lines)
    x = _CODE + place * _PITCH
    room = _BAR - _LETTER * max(len(_count(most)), len(_count(value)))
    best, whole = (room * part / most for part in (min(column.best(line.counts), value), value))
    ax.add_patch(
        Rectangle((x, row + 0.2), best, 0.6, facecolor=column.colour, edgecolor=column.colour)
    )
    if whole > best:
        ax.add_patch(
            Rectangle(
                (x + best, row + 0.2),
                whole - best,
                0.6,
                facecolor=style.GROUND,
                edgecolor=column.colour,
                hatch="/////",
                linewidth=0.8,
            )
        )
    write(ax, x + whole + 0.6, row + 0.5, _count(value))


def _count(value: int) -> str:
    """A count, with a prefix where it is long.

    >>> _count(1024), _count(916132832)
    ('1,024', '916 M')
    """
    return f"{value:,}" if value < 1_000_000 else format_quantity(value, "")


def _caption(report: Lens, columns: list[_Column]) -> Caption:
    told = []
    for column in columns:
        line = max(report.lines, key=lambda one: column.value(one.counts))
        told.append(
            f"{column.name}: most on line {line.place.line}, {column.value(line.counts):,} of "
            f"{column.value(report.totals):,}"
        )
    has_marks = bool(report.of(Level.COST) or report.of(Level.HAZARD))
    marks = "! marks a cost, !! a hazard. " if has_marks else ""
    is_hatched = report.totals.excess_sectors or report.totals.conflicts
    hatched = "Hatched: beyond what the same lanes need at best. " if is_hatched else ""
    return Caption(
        title=f"{report.trace.launch.kernel}: what each line costs",
        alt=f"Source with costs. {'; '.join(told)}.",
        source=f"{hatched}{marks}\nCounted, not timed; runs: how often warps ran the line.".strip(),
    )
