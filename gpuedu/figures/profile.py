"""What the profiler saw of a few steps: operators on the host, kernels on the device, and gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from gpuedu.figures import style
from gpuedu.figures.axis_units import AxisUnit, time_unit
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.lane_looks import Look, look_of, make_room_for_keys, write_keys
from gpuedu.figures.text_fit import Scale, longest_fit, measure_scale
from gpuedu.profiles import Profile, Span, short_name
from gpuedu.units import format_time

_OPERATOR = Look(style.SKY, "operator")
_INSIDE = Look("#c6e3f5", "operators inside it")
_KERNEL, _COPY = look_of("kernel"), look_of("copy")
_GAP = Look(style.ORANGE, "", hatch="///")
_STEP_HIGH, _ROW_HIGH, _BAR = 0.8, 1.0, 0.8
_TEXT_PT, _WIDE_PT = 9.0, 4.0


@dataclass(frozen=True)
class _Row:
    """Bars of one look beside each other; ``gaps_of`` is the lane whose gaps are its ground."""

    name: str
    look: Look
    spans: tuple[Span, ...]
    gaps_of: str = ""


def plot_profile(profile: Profile, *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw a profile by lane, with the time in which the device did nothing colored.

    For each thread of the host there are its outermost operators and what is directly inside them;
    below, on a GPU, kernels by stream, and copies. Without a GPU the gaps are those between two
    operators of the host. Names are written where there is room: a kernel's own, or its operator's.

    Args:
        profile: of a few steps: with many, nothing could be told apart.
        caption: title, name of the time axis without its unit, which is chosen to fit, source,
            alternative text. The key above the drawing says the share of the gaps.
        ax: where to draw; a new figure by default.
    """
    rows = [*_host_rows(profile), *_device_rows(profile)]
    ax = style.new_axes(1.45 + 0.42 * len(rows)) if ax is None else ax
    unit = time_unit(profile.end_s)
    bottom = -_STEP_HIGH - _ROW_HIGH * len(rows)
    middles = [-_STEP_HIGH - _ROW_HIGH * (at + 0.5) for at in range(len(rows))]
    ax.set_yticks(middles, [row.name for row in rows])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.set_xlim(0, unit.of(profile.end_s) or 1.0)
    ax.set_ylim(bottom - 0.05, 0.05)
    ax.grid(visible=False)
    write_caption(ax, replace(caption, x=unit.name_axis(caption.x)))
    make_room_for_keys(ax)
    scale = measure_scale(ax)
    _draw_steps(ax, profile, unit, scale)
    for row, middle in zip(rows, middles, strict=True):
        _draw_gaps(ax, row, profile, middle, unit, scale)
        _draw_bars(ax, row, middle, unit, scale)
        _write_names(ax, row, middle, unit, scale)
    write_keys(ax, _keys(rows, profile))
    return ax


# What is on each row


def _host_rows(profile: Profile) -> list[_Row]:
    rows = []
    for lane in profile.lanes:
        if not lane.startswith("host"):
            break
        inside = tuple(_second_level(profile.on(lane)))
        outermost = tuple(one for one in profile.on(lane) if one.depth == 0)
        has_gaps = lane == "host" and not profile.is_on_gpu
        rows.append(_Row(lane, _OPERATOR, outermost, gaps_of=lane if has_gaps else ""))
        rows += [_Row("inside", _INSIDE, inside)] if inside else []
    return rows


def _second_level(operators: Iterable[Span]) -> Iterable[Span]:
    """What is directly inside the outermost operators.

    Autograd's engine wraps each node in an operator of the same name: there it is one level more.
    """
    outer, repeats = "", False
    for one in operators:
        if one.depth == 0:
            outer = short_name(one.name)
        elif one.depth == 1:
            repeats = short_name(one.name) == outer
            if not repeats:
                yield one
        elif one.depth == 2 and repeats:
            yield one


def _device_rows(profile: Profile) -> list[_Row]:
    if not profile.is_on_gpu:
        return []
    streams = [lane for lane in profile.lanes if "stream" in lane]
    # A gap of the device is one of all its streams.
    rows = [_Row(lane, _KERNEL, profile.on(lane), gaps_of="device") for lane in streams]
    return [*rows, *([_Row("copies", _COPY, profile.copies)] if profile.copies else [])]


# Drawing


def _draw_steps(ax: Axes, profile: Profile, unit: AxisUnit, scale: Scale) -> None:
    for step in profile.steps:
        left, width = unit.of(step.start_s), unit.of(step.time_s)
        ax.plot([left, left + width], [-0.62, -0.62], color=style.QUIET, linewidth=1.6, zorder=2)
        for edge in (left, left + width):
            ax.axvline(edge, color=style.QUIET, linewidth=0.6, linestyle=":", zorder=3)
        whole = f"step {step.number}: {format_time(step.time_s)}"
        room_pt = width * scale.x_pt - 4
        text = longest_fit([whole, format_time(step.time_s), str(step.number)], room_pt, _TEXT_PT)
        place = {"ha": "center", "va": "center", "fontsize": _TEXT_PT, "color": style.INK}
        ax.text(left + width / 2, -0.27, text, **place)


def _draw_gaps(
    ax: Axes, row: _Row, profile: Profile, middle: float, unit: AxisUnit, scale: Scale
) -> None:
    """Gaps are a ground below the bars, so that many small ones show as what they are in sum."""
    if not row.gaps_of:
        return
    gaps = [(unit.of(gap.start_s), unit.of(gap.time_s)) for gap in profile.gaps(row.gaps_of)]
    _bars(ax, gaps, middle, _GAP.color)
    wide = [(left, width) for left, width in gaps if width * scale.x_pt > _WIDE_PT]
    for left, width in wide:
        ax.barh(
            middle,
            width,
            left=left,
            height=_BAR,
            color="none",
            edgecolor=style.GROUND,
            hatch=_GAP.hatch,
            linewidth=0,
        )


def _draw_bars(ax: Axes, row: _Row, middle: float, unit: AxisUnit, scale: Scale) -> None:
    bars = [(unit.of(one.start_s), unit.of(one.time_s)) for one in row.spans]
    _bars(ax, bars, middle, row.look.color)
    for left, width in bars:
        # An edge would swallow what is narrower than itself.
        if width * scale.x_pt > _WIDE_PT:
            ax.barh(
                middle,
                width,
                left=left,
                height=_BAR,
                color=row.look.color,
                edgecolor=row.look.edge,
                hatch=row.look.hatch or None,
                linewidth=0.7,
            )


def _bars(ax: Axes, bars: Sequence[tuple[float, float]], middle: float, color: str) -> None:
    """Bars at their true width: not snapped to pixels, which would hide or swell small ones."""
    ax.broken_barh(list(bars), (middle - _BAR / 2, _BAR), facecolors=color, linewidth=0, snap=False)


def _write_names(ax: Axes, row: _Row, middle: float, unit: AxisUnit, scale: Scale) -> None:
    for one in row.spans:
        width = unit.of(one.time_s)
        names = [short_name(name) for name in (one.name, one.operator) if name]
        text = longest_fit(names, width * scale.x_pt - 4, _TEXT_PT)
        if text:
            ax.text(
                unit.of(one.start_s) + width / 2,
                middle,
                text,
                ha="center",
                va="center_baseline",
                fontsize=_TEXT_PT,
                color=row.look.text,
                bbox=row.look.behind_text,
                zorder=4,
            )


def _keys(rows: Sequence[_Row], profile: Profile) -> list[Artist]:
    looks = dict.fromkeys(row.look for row in rows)
    keys = [
        Patch(facecolor=one.color, hatch=one.hatch or None, edgecolor=one.edge, label=one.key)
        for one in looks
    ]
    gaps_of = next((row.gaps_of for row in rows if row.gaps_of), "")
    if not gaps_of:
        return list(keys)
    what = "device idle" if profile.is_on_gpu else "Python between operators"
    said = f"{what}: {profile.idle_share(gaps_of):.0%}"
    look = {"facecolor": _GAP.color, "hatch": _GAP.hatch, "edgecolor": style.GROUND}
    return [*keys, Patch(label=said, **look)]
