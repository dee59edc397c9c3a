"""Bytes from each rank to each other one, as a table of shaded cells."""

from __future__ import annotations

from collections.abc import Iterable

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from gpuedu.figures import style
from gpuedu.figures.axis_units import AxisUnit, memory_unit
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.text_fit import Scale, measure_scale, width_pt
from gpuedu.multi.exchanges import Exchange, link_bytes

_TEXT_PT, _SMALLEST_PT, _GAP = 10.0, 7.0, 0.35
_PLAIN_BYTES = 100_000
"""Up to here bytes are written in full: they are counted to the last one."""


def plot_links(
    exchanges: Iterable[Exchange], *, ranks: int, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw what each rank (row) sent to each other one (column) by ``send``, and the sum beside it.

    The darker a cell, the more bytes; a cell without a number is an unused link, and the links of a
    rank to itself are struck out. What collectives move is not in the table.

    Args:
        exchanges: those of a run.
        ranks: how many.
        caption: title, source, alternative text; the axes are named here.
        ax: where to draw; a new figure by default.

    >>> sent = [Exchange(0, "send", 1, 8, 0.0, 0.0, 1.0), Exchange(1, "send", 0, 4, 0.0, 0.0, 1.0)]
    >>> ax = plot_links(sent, ranks=2, caption=Caption("Bytes", "two ranks", "counted"))
    >>> [text.get_text() for text in ax.texts]
    ['sent (bytes)', '8', '8', '4', '4']
    """
    sizes = link_bytes(exchanges)
    side_in = min(0.62, 5.4 / (ranks + 1))
    ax = style.new_axes(1.5 + side_in * ranks) if ax is None else ax
    ax.set_aspect("equal")
    totals = [sum(size for (src, _), size in sizes.items() if src == rank) for rank in range(ranks)]
    unit = _unit(max(totals, default=0))
    _set_axes(ax, ranks)
    write_caption(ax, caption)
    style.name_axes(ax, title=caption.title, x="to rank", y="from rank")
    name = unit.name if unit.size > 1 else "bytes"
    ax.text(ranks + _GAP, -0.75, f"sent ({name})", **_HEAD)
    scale = measure_scale(ax)
    most = max(sizes.values(), default=0)
    for src in range(ranks):
        for dst in range(ranks):
            _draw_cell(ax, src, dst, sizes.get((src, dst), 0), most, unit, scale)
        ax.text(ranks + _GAP, src, _say(totals[src], unit), **_HEAD)
    return ax


_HEAD = {"ha": "center", "va": "center", "fontsize": _TEXT_PT, "color": style.INK}


def _unit(most_bytes: int) -> AxisUnit:
    return AxisUnit("B", 1.0) if most_bytes < _PLAIN_BYTES else memory_unit(most_bytes)


def _set_axes(ax: Axes, ranks: int) -> None:
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(range(ranks), [str(rank) for rank in range(ranks)])
        axis.set_tick_params(length=0, labelcolor=style.INK)
    ax.grid(visible=False)
    for side in ax.spines.values():
        side.set_visible(False)
    ax.set_xlim(-0.5, ranks + 2 * _GAP + 0.3)
    ax.set_ylim(ranks - 0.5, -1.0)


def _draw_cell(
    ax: Axes, src: int, dst: int, size: int, most: int, unit: AxisUnit, scale: Scale
) -> None:
    share = size / most if most else 0.0
    ax.add_patch(
        Rectangle(
            (dst - 0.5, src - 0.5),
            1,
            1,
            facecolor=style.FAINT if src == dst else _shade(share),
            edgecolor=style.GROUND if size or src == dst else style.FAINT,
            hatch="///" if src == dst else None,
            linewidth=1.2,
        )
    )
    text = _say(size, unit)
    size_pt = min(_TEXT_PT, _TEXT_PT * (scale.x_pt - 4) / width_pt(text, _TEXT_PT))
    if size and size_pt >= _SMALLEST_PT:
        color = "white" if share > 0.55 else style.INK
        ax.text(dst, src, text, ha="center", va="center", fontsize=size_pt, color=color)


def _shade(share: float) -> tuple[float, float, float]:
    """From the ground to blue; what is not 0 can be told from it."""
    mix = 0.12 + 0.88 * share if share else 0.0
    pairs = zip(to_rgb(style.GROUND), to_rgb(style.BLUE), strict=True)
    low, mid, high = (ground + mix * (ink - ground) for ground, ink in pairs)
    return low, mid, high


def _say(size_bytes: int, unit: AxisUnit) -> str:
    """The number of bytes in the table's unit."""
    return f"{size_bytes:,}" if unit.size == 1 else f"{unit.of(size_bytes):.4g}"
