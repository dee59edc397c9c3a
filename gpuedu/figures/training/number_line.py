"""Formats of numbers on one axis of powers of two, and how many values fall where on it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MultipleLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.text_fit import Scale, longest_fit, measure_scale
from gpuedu.figures.training.formats import FormatRange, draw_format, write_power

_HILL, _ROW_IN = 1.5, 0.5
_TALL, _HAIR, _HEAD = _HILL - 0.45, 0.025, 0.5
_TEXT_PT = 9.0
_TICK_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_COLORS = (style.ORANGE, style.PINK, style.GREEN, style.SKY)
_HATCHES = ("", "\\\\\\", "...", "xxx")


def plot_number_line(
    formats: Sequence[FormatRange],
    values: Mapping[str, Any] | Sequence[float],
    *,
    caption: Caption,
    through: str = "",
    exponents: tuple[int, int] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw histograms of magnitudes above the ranges of formats, on one axis of powers of two.

    A column of a histogram holds the values between two powers of two. Each histogram has its own
    scale: its tallest column is labeled with its share of all finite values, and a column of a few
    values is still slightly visible. Zeros, which have no place on the axis, are noted beside it.

    Args:
        formats: from top to bottom; subnormals are pale and striped.
        values: numbers of any sign, or several sets by name, such as gradients before and after
            loss scaling; anything that NumPy takes, of any shape.
        caption: title, name of the axis, source, alternative text.
        through: name of the format whose limits are also drawn through the histograms.
        exponents: the powers of two between which the axis runs; by default all is shown.
        ax: where to draw; a new figure by default.

    Raises:
        ValueError: if ``through`` is not one of the formats.

    >>> fp16 = FormatRange("fp16", 2**-24, 2**-14, 65504, 10)
    >>> caption = Caption("Where gradients lie", "a hill", "measured here", x="magnitude")
    >>> ax = plot_number_line([fp16], {"gradients": [1e-3]}, caption=caption, through="fp16")
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['gradients', 'fp16']
    """
    sets = values if isinstance(values, Mapping) else {"values": values}
    hills = [_hill(name, numbers) for name, numbers in sets.items()]
    low, high = exponents or _exponents(formats, hills)
    rows = len(hills) * _HILL + len(formats)
    ax = style.new_axes(1.3 + _ROW_IN * rows) if ax is None else ax
    _set_axes(ax, hills, formats, low, high)
    ax.set_ylim(top=_HEAD if through else 0.05)
    write_caption(ax, caption)
    scale = measure_scale(ax)
    if through:
        _draw_limits(ax, _find(formats, through), len(hills) * _HILL, scale)
    for place, hill in enumerate(hills):
        _draw_hill(ax, hill, place)
    for place, one in enumerate(formats):
        draw_format(ax, one, -len(hills) * _HILL - place - 0.5, scale)
    return ax


@dataclass(frozen=True)
class _Hill:
    """Shares by the power of two below each column; zeros and what is not finite apart."""

    name: str
    columns: tuple[tuple[int, float], ...]
    zeros: float
    wild: int


def _hill(name: str, values: Any) -> _Hill:
    numbers = np.abs(np.asarray(values, dtype=np.float64).ravel())
    finite = numbers[np.isfinite(numbers)]
    count = max(1, len(finite))
    # frexp gives m * 2**e with m from 0.5 to 1, so the power of two below is e - 1.
    powers, members = np.unique(np.frexp(finite[finite > 0])[1] - 1, return_counts=True)
    columns = tuple((int(p), int(n) / count) for p, n in zip(powers, members, strict=True))
    zeros = float(np.count_nonzero(finite == 0)) / count
    return _Hill(name, columns, zeros, len(numbers) - len(finite))


def _exponents(formats: Sequence[FormatRange], hills: Sequence[_Hill]) -> tuple[float, float]:
    """Where the axis begins and ends, with a little room on both sides."""
    ends = [math.log2(x) for one in formats for x in (one.smallest_subnormal, one.largest)]
    ends += [power + side for hill in hills for power, _ in hill.columns for side in (0, 1)]
    low, high = min(ends, default=-24.0), max(ends, default=16.0)
    room = 0.02 * (high - low) + 0.5
    return low - room, high + room


def _set_axes(
    ax: Axes,
    hills: Sequence[_Hill],
    formats: Sequence[FormatRange],
    low: float,
    high: float,
) -> None:
    names = [(-(place + 0.62) * _HILL, _name(hill)) for place, hill in enumerate(hills)]
    below = len(hills) * _HILL
    names += [(-below - place - 0.5, one.name) for place, one in enumerate(formats)]
    ax.set_yticks([y for y, _ in names], [name for _, name in names])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.set_xlim(low, high)
    ax.set_ylim(-below - len(formats) - 0.05, 0.05)
    step = next(
        step for step in (1, 2, 4, 8, 16, 32, 64, 128, 256, 4096) if high - low <= 12 * step
    )
    ax.xaxis.set_major_locator(MultipleLocator(step))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda power, _: write_power(2, power)))
    ax.grid(visible=False)
    ax.grid(axis="x", color=style.FAINT, linewidth=0.6)
    ax.spines["left"].set_visible(False)


def _name(hill: _Hill) -> str:
    """The name, with what has no place on the axis below it."""
    lines = [hill.name]
    if hill.zeros:
        lines.append(f"zero: {_per_cent(hill.zeros)}")
    if hill.wild:
        lines.append(f"inf or nan: {hill.wild:,}")
    return "\n".join(lines)


def _per_cent(share: float) -> str:
    """A share, with as many digits as it takes to see that it is not nothing.

    >>> _per_cent(0.25), _per_cent(0.0123), _per_cent(0.00001), _per_cent(0.999)
    ('25%', '1.2%', '0.001%', '99.9%')
    """
    if 0.001 > share > 0:
        return f"{100 * share:.1g}%"
    return f"{100 * share:.3g}%" if share > 0.99 else f"{100 * share:.2g}%"


def _draw_hill(ax: Axes, hill: _Hill, place: int) -> None:
    ground = -(place + 1) * _HILL + 0.1
    color, hatch = _COLORS[place % len(_COLORS)], _HATCHES[place % len(_HATCHES)]
    ax.axhline(ground, color=style.QUIET, linewidth=0.8, zorder=1.2)
    tallest = max((share for _, share in hill.columns), default=0.0)
    for power, share in hill.columns:
        height = max(share / tallest, _HAIR) * _TALL
        look = {"color": color, "edgecolor": style.GROUND, "hatch": hatch or None, "lw": 0.5}
        ax.bar(power, height, width=1.0, align="edge", bottom=ground, **look)
    if hill.columns:
        power = next(power for power, share in hill.columns if share == tallest)
        _write_share(ax, power + 0.5, ground + _TALL, tallest)


def _write_share(ax: Axes, x: float, y: float, share: float) -> None:
    """The share of the tallest column, which is the scale of its histogram."""
    low, high = ax.get_xlim()
    if low <= x <= high:
        place = {"xytext": (0, 2), "textcoords": "offset points", "ha": "center"}
        look = {"fontsize": _TEXT_PT, "color": style.INK}
        ax.annotate(_per_cent(share), (x, y), **look, **place)


def _find(formats: Sequence[FormatRange], name: str) -> tuple[int, FormatRange]:
    """A format by its name, with its place."""
    for place, one in enumerate(formats):
        if one.name == name:
            return place, one
    raise ValueError(f"no format is called {name!r}; they are {[one.name for one in formats]}")


def _draw_limits(ax: Axes, found: tuple[int, FormatRange], height: float, scale: Scale) -> None:
    """The limits of a format, up through the histograms; what is below or above is shaded."""
    place, one = found
    left, right = ax.get_xlim()
    below, above = math.log2(one.smallest_subnormal), math.log2(one.largest)
    for start, end, side in ((left, below, "below"), (above, right, "above")):
        if end <= start:
            continue
        ax.fill_between([start, end], -height, _HEAD, color=style.RED, alpha=0.1, linewidth=0)
        text = longest_fit((f"{side} {one.name}", side), (end - start) * scale.x_pt - 6, _TEXT_PT)
        look = {"fontsize": _TEXT_PT, "color": style.INK, "ha": "center", "va": "center"}
        ax.text((start + end) / 2, _HEAD / 2, text, **look)
    foot = -height - place - 0.5
    for x in (below, math.log2(one.smallest_normal), above):
        if left < x < right:
            line = {"color": style.RED, "linewidth": 1.2, "dashes": (4, 2), "zorder": 1.4}
            ax.plot([x, x], [foot, _HEAD], **line)
