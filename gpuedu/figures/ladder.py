"""The ladder of matmul kernels: what counts allow each rung, and what GPUs made of it.

Bounds and measurements share one axis, the share of the fp32 peak. The share of cuBLAS, which is
something else, has its own column.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MultipleLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.roofline_labels import percent
from gpuedu.hardware.names import short_name
from gpuedu.lens.ladder import Ladder, LadderRow, Measured

NO_RECORD = "No recording of the ladder exists yet: these are bounds, not measurements."
_COMPUTED = "computed from counts and the data sheet, not measured"
_COLORS = (style.BLUE, style.ORANGE, style.PINK, style.SKY)
_OWN, _FRAME = style.GREEN, "#9aa1ae"
_TEXT_PT, _LETTER_PT, _BOLD_PT, _GAP_PT = 9.0, 5.2, 6.4, 10.0
_BOUND_HEIGHT, _BARS_HEIGHT = 0.78, 0.52
_COLUMN_LETTERS = 9
_UNCOUNTED, _UNMEASURED = "-", "-"
_AT_MOST = "at most,\n% of\npeak"


def plot_ladder(ladder: Ladder, *, caption: Caption | None = None, ax: Axes | None = None) -> Axes:
    """Draw a row for each rung: its bound as a hatched frame, measurements as bars inside.

    If the bound without caches is lower, a line across the frame marks it. The learner's own device
    is "yours" in its column and has a star at the end of each bar.

    Args:
        ladder: rows from slow to fast, as ``gpuedu.lens.ladder.build_ladder`` gives them; with up
            to three devices there is room for the bars.
        caption: title, source, alternative text; ``ladder_caption`` gives the default.
        ax: where to draw; a new figure by default.
    """
    caption = caption or ladder_caption(ladder)
    if ax is None:
        around = 1.0 + 0.17 * (1 + caption.source.count("\n")) + _head_pt(ladder) / 72
        ax = style.new_axes(around + _row_in(ladder) * len(ladder.rows))
    _set_axes(ax, ladder)
    for place, row in enumerate(reversed(ladder.rows)):
        _draw_bound(ax, place, row)
        for number, device in enumerate(ladder.devices):
            own = [here for here in row.measured if here.device == device]
            if own:
                _draw_measured(ax, place, own[0], number, ladder)
    _write_columns(ax, ladder)
    _draw_keys(ax, ladder)
    return write_caption(ax, caption)


def ladder_caption(ladder: Ladder) -> Caption:
    """The default texts of ``plot_ladder``; ``dataclasses.replace`` changes one of them."""
    counted = f", n = {ladder.counted_n:,}" if ladder.counted_n else ""
    source = f"Bounds{counted}, for the {ladder.bound_device}: {_COMPUTED}."
    dates = ladder.recorded or {}
    for device in ladder.devices:
        day = f", {dates[device]}" if device in dates else ""
        source += f"\n{_whose(device, ladder)}: measured at n = {ladder.n:,}{day}."
        if not _has_peak(device, ladder):
            source += " Its peak is not known, so it has no bars."
    if len(ladder.devices) > 1:
        source += "\nBars from top to bottom are the columns from left to right."
    if not ladder.devices:
        source += f"\n{NO_RECORD}"
    if any(_is_lower_uncached(row) for row in ladder.rows):
        source += "\nWithout caches: each sector that is asked for comes from device memory;"
        source += "\nwhere there is no line, the bound is the same."
    title = "The ladder" if ladder.devices else "The ladder: what counts allow each rung"
    x = "share of the fp32 peak"
    return Caption(title=title, alt=_alt(ladder), source=source, x=x)


def _set_axes(ax: Axes, ladder: Ladder) -> None:
    shares = [m.share_of_peak or 0.0 for row in ladder.rows for m in row.measured]
    ax.set_xlim(0, max([1.0, *shares]) * 1.02)
    ax.set_ylim(-0.6, len(ladder.rows) - 0.45 + _head_pt(ladder) / (72 * _row_in(ladder)))
    names = [f"{row.name} ({row.language})" for row in reversed(ladder.rows)]
    ax.set_yticks(range(len(ladder.rows)), names)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=9.5)
    ax.grid(axis="y", visible=False)
    ax.grid(axis="x", color=style.FAINT, linewidth=0.8)
    ax.xaxis.set_major_locator(MultipleLocator(0.25 if len(ladder.devices) < 3 else 0.5))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f}%"))


def _draw_bound(ax: Axes, place: int, row: LadderRow) -> None:
    if row.bound_share is None:
        return
    ax.barh(
        place,
        row.bound_share,
        height=_BOUND_HEIGHT,
        facecolor=style.GROUND,
        edgecolor=_FRAME,
        hatch="////",
        linewidth=1.1,
        gid="bound",
    )
    if _is_lower_uncached(row):
        half = _BOUND_HEIGHT / 2
        x = [row.uncached_share] * 2
        ax.plot(x, [place - half, place + half], color=style.INK, lw=1.6, zorder=3, gid="uncached")


def _draw_measured(ax: Axes, place: int, here: Measured, number: int, ladder: Ladder) -> None:
    if here.share_of_peak is None:
        return
    height = _BARS_HEIGHT / len(ladder.devices)
    y = place + _BARS_HEIGHT / 2 - (number + 0.5) * height
    ax.barh(
        y,
        here.share_of_peak,
        height=height * 0.9,
        color=_color(number, ladder),
        edgecolor=style.INK if here.is_own else "none",
        linewidth=1.0,
        gid="measured",
        zorder=2.5,
    )
    if here.is_own:
        ax.plot(
            [here.share_of_peak],
            [y],
            "*",
            markersize=10,
            color=_color(number, ladder),
            markeredgecolor=style.INK,
            markeredgewidth=0.8,
            zorder=4,
        )


def _write_columns(ax: Axes, ladder: Ladder) -> None:
    """To the right of the axes: the bound with its limit, and for each device the % of cuBLAS."""
    columns = [(_AT_MOST, [_bound_text(row) for row in ladder.rows], style.INK)]
    for number, device in enumerate(ladder.devices):
        texts = [_cublas_text(row, device) for row in ladder.rows]
        columns.append((_heading(device, ladder), texts, _color(number, ladder)))
    left = _GAP_PT
    for heading, texts, color in columns:
        top = len(ladder.rows) - 0.45
        _write(ax, left, top, heading, weight="bold", color=_dark(color), va="bottom")
        for place, text in enumerate(reversed(texts)):
            _write(ax, left, place, text)
        bold = max(len(line) for line in heading.splitlines()) * _BOLD_PT
        left += max(bold, max(len(text) for text in texts) * _LETTER_PT) + _GAP_PT


def _write(ax: Axes, left: float, place: float, text: str, **look: Any) -> None:
    ax.annotate(
        text,
        (1.0, place),
        xycoords=("axes fraction", "data"),
        xytext=(left, 0),
        textcoords="offset points",
        annotation_clip=False,
        **{"va": "center", "color": style.INK, **look},
        fontsize=_TEXT_PT,
        linespacing=1.15,
    )


def _draw_keys(ax: Axes, ladder: Ladder) -> None:
    handles: list[Any] = [
        Patch(facecolor=style.GROUND, edgecolor=_FRAME, hatch="////", label="bound")
    ]
    if any(_is_lower_uncached(row) for row in ladder.rows):
        line = Line2D([], [], color=style.INK, lw=1.6, marker="|", ms=10, mew=1.6, ls="none")
        line.set_label("without caches")
        handles.append(line)
    if ladder.devices:
        handles.append(Patch(facecolor=_color(0, ladder), label="measured"))
    ax.legend(
        handles=handles,
        loc="upper left",
        ncols=len(handles),
        # The lines of the grid end beside the keys.
        framealpha=1.0,
        facecolor=style.GROUND,
        edgecolor="none",
        fontsize=_TEXT_PT,
        labelcolor=style.INK,
        borderaxespad=0.1,
        handlelength=1.4,
        columnspacing=1.2,
    )


def _bound_text(row: LadderRow) -> str:
    if row.bound_share is None:
        return _UNCOUNTED
    return f"{percent(row.bound_share)}, {row.limit}" if row.limit else percent(row.bound_share)


def _cublas_text(row: LadderRow, device: str) -> str:
    for here in row.measured:
        if here.device == device and here.share_of_cublas is not None:
            return percent(here.share_of_cublas)
    return _UNMEASURED


def _heading(device: str, ladder: Ladder) -> str:
    """Narrow: the device's name in lines of few letters."""
    lines = ["% of", "cuBLAS,", *textwrap.wrap(short_name(device), _COLUMN_LETTERS)]
    return "\n".join([*lines, "(yours)"] if device in ladder.own_devices else lines)


def _whose(device: str, ladder: Ladder) -> str:
    return f"{short_name(device)} (yours)" if device in ladder.own_devices else short_name(device)


def _has_peak(device: str, ladder: Ladder) -> bool:
    found = (m for row in ladder.rows for m in row.measured if m.device == device)
    return any(here.share_of_peak is not None for here in found)


def _is_lower_uncached(row: LadderRow) -> bool:
    """Whether caches make a difference that can be seen."""
    if row.uncached_share is None or row.bound_share is None:
        return False
    return row.uncached_share < 0.97 * row.bound_share


def _row_in(ladder: Ladder) -> float:
    return 0.30 + 0.06 * len(ladder.devices)


def _head_pt(ladder: Ladder) -> float:
    """Height above the rows for the headings of the columns, and the keys above them."""
    lines = [3, *(1 + _heading(device, ladder).count("\n") for device in ladder.devices)]
    return max(lines) * _TEXT_PT * 1.25 + 24


def _color(number: int, ladder: Ladder) -> str:
    if ladder.devices[number] in ladder.own_devices:
        return _OWN
    return _COLORS[number % len(_COLORS)]


def _dark(color: str) -> str:
    """Ink for colors in which text is hard to read on a light ground."""
    return style.INK if color in (style.ORANGE, style.SKY, style.PINK) else color


def _alt(ladder: Ladder) -> str:
    rows = " ".join(_say(row) for row in ladder.rows)
    said = "" if ladder.devices else f" {NO_RECORD}"
    return (
        f"Bars for {len(ladder.rows)} matmul kernels from slow to fast, as shares of the fp32 peak."
        f" Bounds for the {ladder.bound_device} are {_COMPUTED}.{said} {rows}"
    )


def _say(row: LadderRow) -> str:
    parts: list[str] = []
    if row.bound_share is not None:
        parts.append(
            f"at most {percent(row.bound_share)}" + (f" by {row.limit}" if row.limit else "")
        )
    if row.uncached_share is not None:
        parts.append(f"{percent(row.uncached_share)} without caches")
    parts += [_say_measured(here) for here in row.measured]
    return f"{row.name} ({row.language}): {', '.join(parts) or 'neither counted nor measured'}."


def _say_measured(here: Measured) -> str:
    whose = f"{short_name(here.device)} (yours)" if here.is_own else short_name(here.device)
    shares: Sequence[tuple[float | None, str]] = (
        (here.share_of_peak, "of the peak"),
        (here.share_of_cublas, "of cuBLAS"),
    )
    said = [f"{percent(share)} {what}" for share, what in shares if share is not None]
    return f"measured on {whose} {' and '.join(said) or 'without a share'}"
