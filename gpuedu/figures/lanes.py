"""Timelines by lane: who did what when, who waited for whom, and which two uses race.

For ``gpuedu.clock.Timeline``: the host, the engines of a device, threads, the workers of a loader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes

from gpuedu.clock import Interval, Race, Timeline
from gpuedu.figures import style
from gpuedu.figures.axis_units import AxisUnit, time_unit
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.lane_labels import WAITS, in_families, texts_of
from gpuedu.figures.lane_looks import keys_of, look_of, make_room_for_keys, write_keys
from gpuedu.figures.lane_races import draw_races
from gpuedu.figures.text_fit import Scale, longest_fit, measure_scale

NOTHING = "Nothing ran."
_BAR, _LANE, _HEAD = 0.72, 1.0, 0.8
_TEXT_PT, _NARROW_PT = 9.0, 3.0


@dataclass(frozen=True)
class LaneRow:
    """Where a lane of a timeline is drawn: its middle, and the place of each of its intervals.

    ``places`` gives the height of the middle of the interval's bar; overlapping intervals of one
    lane are stacked. ``bar`` is the height of a bar.
    """

    lane: str
    middle: float
    bar: float
    places: tuple[tuple[Interval, float], ...]


def plot_lanes(
    timeline: Timeline,
    *,
    caption: Caption,
    lanes: Sequence[str] | None = None,
    races: Sequence[Race] = (),
    end_s: float | None = None,
    texts: Callable[[Interval], Sequence[str]] = texts_of,
    ax: Axes | None = None,
) -> Axes:
    """Draw a timeline: a row for each lane, a bar for each interval, races between their two uses.

    Bars are labeled where there is room, with what was done or waited for; waits and sleeps are
    pale and striped; overlapping intervals of one lane are stacked.

    Args:
        timeline: what is drawn, such as ``clock.timeline``.
        caption: title, name of the time axis without its unit, which is chosen to fit, source,
            alternative text.
        lanes: which, from top to bottom; by default all, in the order of their first interval,
            workers and threads together. One that did nothing stays empty.
        races: such as ``device.races``; one is marked if both its uses are on the timeline, or if
            one is and the other is the host's.
        end_s: where the axis ends, to compare with another figure; by default with the timeline.
        texts: what may be written in an interval's bar, longest first.
        ax: where to draw; a new figure by default.

    >>> line = Timeline.of([Interval("disk", "read", 0, 2e-3), Interval("main", "wait", 0, 2e-3)])
    >>> ax = plot_lanes(line, caption=Caption("Who waits", "the disk reads", "simulated"))
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['disk', 'main'], 'time (ms)')
    """
    return plot_lane_groups(
        [("", timeline)],
        caption=caption,
        lanes=lanes,
        races=[races],
        end_s=end_s,
        texts=texts,
        ax=ax,
    )


def plot_lane_groups(
    groups: Sequence[tuple[str, Timeline]],
    *,
    caption: Caption,
    lanes: Sequence[str] | None = None,
    races: Sequence[Sequence[Race]] = (),
    end_s: float | None = None,
    texts: Callable[[Interval], Sequence[str]] = texts_of,
    ax: Axes | None = None,
) -> Axes:
    """Draw several timelines below each other on one time axis, each as ``plot_lanes`` does.

    Args:
        groups: a name and its timeline, from top to bottom; without a name, no line is left for it.
        caption: as for ``plot_lanes``.
        lanes: the same for all groups; by default each group's own.
        races: those of the first group, of the second, ...
        end_s: where the axis ends.
        texts: as for ``plot_lanes``.
        ax: where to draw; a new figure by default.
    """
    rows, heads, bottom = _arrange(groups, lanes)
    ax = style.new_axes(1.25 + 0.42 * -bottom) if ax is None else ax
    end_s = end_s or max((timeline.end_s for _, timeline in groups), default=0.0)
    unit = time_unit(end_s)
    lines = [row for group in rows for row in group]
    _set_axes(ax, lines, bottom, unit.of(end_s) or 1.0)
    write_caption(ax, replace(caption, x=unit.name_axis(caption.x or "time")))
    kinds = {one.kind for row in lines for one, _ in row.places}
    make_room_for_keys(ax)
    scale = measure_scale(ax)
    for row in lines:
        _draw_bars(ax, row, unit, scale)
        _write_labels(ax, row, unit, scale, texts)
    for name, y in heads:
        look = {"fontsize": 10.0, "color": style.INK, "fontweight": "bold", "va": "center"}
        place = {"xytext": (3, 0), "textcoords": "offset points"}
        ax.annotate(name, (0, y), **place, bbox=style.BEHIND_TEXT, **look)
    keys = keys_of(kinds)
    for group, found in zip(rows, races, strict=False):
        keys += draw_races(ax, [pair for row in group for pair in row.places], found, unit)
    write_keys(ax, keys)
    if not kinds:
        _say_nothing(ax)
    return ax


def _arrange(
    groups: Sequence[tuple[str, Timeline]], lanes: Sequence[str] | None
) -> tuple[list[list[LaneRow]], list[tuple[str, float]], float]:
    """The rows of each group, the names with their heights, and where it ends; downwards from 0."""
    rows: list[list[LaneRow]] = []
    heads: list[tuple[str, float]] = []
    top = 0.0
    for name, timeline in groups:
        if name:
            heads.append((name, top - _HEAD / 2))
            top -= _HEAD
        rows.append([])
        for lane in in_families(timeline.lanes) if lanes is None else lanes:
            levels = _levels(timeline.on(lane))
            height = _LANE * max(1.0, 0.62 * len(levels))
            rows[-1].append(_row(lane, top, height, levels))
            top -= height
        top -= 0.2 if name else 0.0
    return rows, heads, min(top, -_LANE)


def _levels(intervals: Sequence[Interval]) -> list[list[Interval]]:
    """The intervals of a lane, shared out so that in each level none overlap."""
    levels: list[list[Interval]] = []
    for one in intervals:
        level = next((level for level in levels if level[-1].end_s <= one.start_s), None)
        if level is None:
            levels.append([one])
        else:
            level.append(one)
    return levels


def _row(lane: str, top: float, height: float, levels: Sequence[Sequence[Interval]]) -> LaneRow:
    step = height * (1 - (1 - _BAR) / max(1.0, height)) / max(1, len(levels))
    first = top - height / 2 + step * (len(levels) - 1) / 2
    places = [(one, first - step * depth) for depth, level in enumerate(levels) for one in level]
    return LaneRow(lane, top - height / 2, step * (0.9 if len(levels) > 1 else 1.0), tuple(places))


def _set_axes(ax: Axes, rows: Sequence[LaneRow], bottom: float, end: float) -> None:
    ax.set_yticks([row.middle for row in rows], [row.lane for row in rows])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.set_xlim(0, end)
    ax.set_ylim(bottom - 0.1, 0.1)
    ax.grid(visible=False)
    ax.grid(axis="x", color=style.FAINT, linewidth=0.6)


def _draw_bars(ax: Axes, row: LaneRow, unit: AxisUnit, scale: Scale) -> None:
    ax.axhline(row.middle, color=style.FAINT, linewidth=0.6, zorder=0.5)
    for one, y in row.places:
        look, width = look_of(one.kind), unit.of(one.duration_s)
        # What is narrower than its edge would vanish in the ground's color.
        is_wide = width * scale.x_pt > _NARROW_PT
        ax.barh(
            y,
            width,
            left=unit.of(one.start_s),
            height=row.bar,
            color=look.color,
            edgecolor=look.edge if is_wide else look.color,
            hatch=look.hatch or None,
            linewidth=0.7,
        )


def _write_labels(
    ax: Axes,
    row: LaneRow,
    unit: AxisUnit,
    scale: Scale,
    texts: Callable[[Interval], Sequence[str]],
) -> None:
    if row.bar * scale.y_pt < _TEXT_PT * 1.15:
        return
    _, right = ax.get_xlim()
    rooms = {
        one: (min(unit.of(one.end_s), right) - unit.of(one.start_s)) * scale.x_pt - 5
        for one, _ in row.places
    }
    said = {kind: _say(kind, rooms, texts) for kind in {one.kind for one in rooms}}
    for one, y in row.places:
        text = said[one.kind][one]
        if not text:
            continue
        look = look_of(one.kind)
        ax.text(
            (unit.of(one.start_s) + min(unit.of(one.end_s), right)) / 2,
            y,
            text,
            ha="center",
            va="center_baseline",
            fontsize=_TEXT_PT,
            color=look.text,
            # A ground of the bar's own color, where the text would stand on stripes.
            bbox={"facecolor": look.color, "edgecolor": "none", "pad": 1.6} if look.hatch else None,
        )


def _say(
    kind: str, rooms: dict[Interval, float], texts_of: Callable[[Interval], Sequence[str]]
) -> dict[Interval, str]:
    """A text for each interval of a kind, "" where there is no room.

    What is done is named alike along the row: a long name beside shorter ones would look like
    another sort of thing. Waits differ in any case, and say as much as there is room for.
    """
    texts = {one: texts_of(one) for one in rooms if one.kind == kind}
    if kind not in WAITS:
        fitting = [one for one in texts if longest_fit(texts[one], rooms[one], _TEXT_PT)]
        skip = max((_first_fit(texts[one], rooms[one]) for one in fitting), default=0)
        texts = {one: forms[min(skip, len(forms) - 1) :] for one, forms in texts.items() if forms}
    return {one: longest_fit(texts.get(one, ()), rooms[one], _TEXT_PT) for one in rooms}


def _first_fit(texts: Sequence[str], room_pt: float) -> int:
    return list(texts).index(longest_fit(texts, room_pt, _TEXT_PT))


def _say_nothing(ax: Axes) -> None:
    ax.text(
        0.5,
        0.5,
        NOTHING,
        transform=ax.transAxes,
        ha="center",
        va="center",
        fontsize=11,
        color=style.QUIET,
    )
