"""A recorded series made a panel of a figure, with what it tells in words."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.figures.axis_units import AxisUnit, time_unit
from gpuedu.figures.curves import Curve
from gpuedu.figures.recorded import OTHERS, BarPanel, CurvePanel, Panel, RecordedBar
from gpuedu.hardware.plausibility import FROM_MEMORY
from gpuedu.hardware.records import Record
from gpuedu.units import GB

Row = Mapping[str, Any]

NOT_RECORDED = "not recorded"
_REASON = 48


@dataclass(frozen=True)
class Bars:
    """A series to be drawn as bars: ``rows`` has the fields of a row by the name of its bar.

    ``title`` is written above the bars, ``name`` in a sentence. ``shows_time`` draws times where
    rates would mislead: a kernel that fetches more than it needs would have the longer bar.
    """

    series: str
    title: str
    name: str
    rows: Mapping[str, Row]
    shows_time: bool = False


@dataclass(frozen=True)
class Lines:
    """A series to be drawn as lines: ``lines`` has the fields of the rows of each.

    ``field`` goes along the x axis; ``value`` makes the y value of a row, in ``unit``.
    """

    series: str
    title: str
    name: str
    lines: Mapping[str, Row]
    field: str
    x: str
    y: str
    unit: str
    value: Callable[[Row], float]
    format_x: Callable[[float], str] = "{:,g}".format


Wanted = Bars | Lines


@dataclass(frozen=True)
class Taken:
    """A device that is drawn, with its record of a series; ``name`` has "(yours)" where it is."""

    name: str
    color: str
    record: Record


@dataclass(frozen=True)
class Part:
    """A series in a figure: its panel (None: nothing of it can be drawn), and what it tells.

    ``left_out`` tells of points that lines do not have; a bar that is missing says so in its place.
    ``from_caches`` names the series where not all bytes came from device memory.
    """

    wanted: Wanted
    panel: Panel | None
    told: str
    left_out: tuple[str, ...] = ()
    from_caches: str = ""


def make_part(wanted: Wanted, taken: Sequence[Taken], *, is_alone: bool) -> Part:
    """The panel of a series; with one device in the whole figure, ``is_alone``, no label names it.

    Rates are drawn where all rows say how many bytes were moved, else times.
    """
    caches = _from_caches(wanted, taken)
    if isinstance(wanted, Bars):
        panel, told = _bars(wanted, taken, is_alone=is_alone)
        return Part(wanted, panel, told, from_caches=caches)
    lines, told = _curves(wanted, taken, is_alone=is_alone)
    left_out = tuple(
        f"Left out on the {one.name}: {_points(len(reasons))} of {wanted.name}{_cause(reasons)}."
        for one in taken
        if (reasons := _reasons(one.record, *wanted.lines.values()))
    )
    return Part(wanted, lines if lines.curves else None, told, left_out, caches)


def _bars(wanted: Bars, taken: Sequence[Taken], *, is_alone: bool) -> tuple[BarPanel, str]:
    has_bytes = all(row.get("moved_bytes") for one in taken for row in one.record.rows)
    by_bytes = has_bytes and not wanted.shows_time
    unit = _unit_of(wanted, taken)
    groups, told = [], []
    for name, fields in wanted.rows.items():
        bars = [_bar(fields, one, unit, by_bytes=by_bytes, is_alone=is_alone) for one in taken]
        groups.append((name, tuple(bar for bar, _ in bars)))
        told += [f"{name} {said} on {one.name}" for one, (_, said) in zip(taken, bars, strict=True)]
    x = "GB/s, each byte counted once" if by_bytes else unit.name_axis("time")
    format_x = _write_gb if by_bytes else lambda value: f"{unit.of(value):,.4g}"
    return BarPanel(wanted.title, x, tuple(groups), format_x), "; ".join(told)


def _unit_of(wanted: Bars, taken: Sequence[Taken]) -> AxisUnit:
    """One unit for all times of a panel, as they are compared: that of the longest."""
    rows = [row for one in taken for row in one.record.rows]
    shown = [row for row in rows if any(_has(row, fields) for fields in wanted.rows.values())]
    return time_unit(max((row["median"] for row in shown), default=0.0))


def _bar(
    fields: Row, taken: Taken, unit: AxisUnit, *, by_bytes: bool, is_alone: bool
) -> tuple[RecordedBar, str]:
    """A bar, and what stands at its end without the device."""
    record = taken.record
    row = next((row for row in record.rows if _has(row, fields)), None)
    if row is None:
        value, spread, said = None, 0.0, _reason(record, fields)
    else:
        value, spread, said = _measured(row, unit, by_bytes=by_bytes)
    text = said if is_alone else f"{said}   {taken.name}"
    return RecordedBar(value, text, taken.color, spread, record.is_own), said


def _curves(wanted: Lines, taken: Sequence[Taken], *, is_alone: bool) -> tuple[CurvePanel, str]:
    curves, told = [], []
    for one in taken:
        # One device alone lets its lines have colors; of several, the color names the device.
        colors = _line_colors(one) if is_alone else [one.color] * len(wanted.lines)
        for (name, fields), color in zip(wanted.lines.items(), colors, strict=False):
            rows = [r for r in one.record.rows if _has(r, fields) and wanted.field in r]
            rows.sort(key=lambda row: row[wanted.field])
            said = _ends(wanted, rows) if rows else _reason(one.record, fields)
            told.append(f"{name} {said} on {one.name}".strip())
            if rows:
                x = tuple(row[wanted.field] for row in rows)
                whose = name if is_alone else f"{name}, {one.name}".removeprefix(", ")
                y = tuple(map(wanted.value, rows))
                curves.append(Curve(whose, x, y, color, is_named_at_end=True))
    panel = CurvePanel(wanted.title, wanted.x, wanted.y, tuple(curves), wanted.format_x)
    return panel, "; ".join(told)


def _line_colors(one: Taken) -> list[str]:
    return [one.color, *(color for color in OTHERS if color != one.color)]


def _ends(wanted: Lines, rows: Sequence[Row]) -> str:
    """A line in words: where it begins and where it ends."""
    first, last = (
        f"{write_short(wanted.value(row))} {wanted.unit} at {wanted.format_x(row[wanted.field])}"
        for row in (rows[0], rows[-1])
    )
    return first if len(rows) == 1 else f"from {first} to {last}"


def _has(row: Row, fields: Row) -> bool:
    return all(row.get(field) == value for field, value in fields.items())


def _measured(row: Row, unit: AxisUnit, *, by_bytes: bool) -> tuple[float, float, str]:
    """Value, spread (of a rate: to first order) and text of a row with a time in seconds."""
    median, spread = row["median"], row["spread"]
    told = f"{write_short(unit.of(median))} {unit.name}"
    if not by_bytes:
        return median, spread, told
    rate = row["moved_bytes"] / median
    return rate, rate * spread / median, f"{_write_gb(rate)} GB/s, {told}"


def _write_gb(bytes_per_s: float) -> str:
    return write_short(bytes_per_s / GB)


def write_short(value: float) -> str:
    """Three figures, or all before the point.

    >>> write_short(1853.2), write_short(0.01234), write_short(0)
    ('1,853', '0.0123', '0')
    """
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _reason(record: Record, fields: Row) -> str:
    """Why a row is missing, where the record says it."""
    for reason in _reasons(record, fields):
        return f"left out: {textwrap.shorten(reason, _REASON, placeholder=' ...')}"
    return NOT_RECORDED


def _reasons(record: Record, *lines: Row) -> list[str]:
    """Why each of the points is missing that have the fields of one of the lines."""
    wanted = [{f"{field} {value}" for field, value in fields.items()} for fields in lines]
    told = [text.partition(": ") for text in record.left_out]
    return [
        reason for point, _, reason in told if any(own <= set(point.split(", ")) for own in wanted)
    ]


def _cause(reasons: Sequence[str]) -> str:
    """The reason behind a comma, where all have one and the same."""
    alike = set(reasons)
    return (
        f", {textwrap.shorten(alike.pop(), _REASON, placeholder=' ...')}" if len(alike) == 1 else ""
    )


def _from_caches(wanted: Wanted, taken: Sequence[Taken]) -> str:
    names = [
        one.name
        for one in taken
        if any(row.get("from", FROM_MEMORY) != FROM_MEMORY for row in one.record.rows)
    ]
    where = "" if len(names) == len(taken) else f" (on the {', '.join(names)})"
    return f"{wanted.name}{where}" if names else ""


def _points(many: int) -> str:
    return f"{many} point{'s' if many > 1 else ''}"
