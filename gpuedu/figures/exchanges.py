"""What ranks send each other: a timeline by rank with arrows, and bytes from each to each.

For ``gpuedu.multi.exchanges.Exchange``, whether light ranks made them or real ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.axis_units import AxisUnit, time_unit
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.lane_looks import Look, keys_of, look_of, make_room_for_keys, write_keys
from gpuedu.figures.link_table import plot_links
from gpuedu.figures.text_fit import Scale, longest_fit, measure_scale
from gpuedu.multi.exchanges import Exchange
from gpuedu.units import format_size

__all__ = ["MOST_ARROWS", "NOTHING", "messages", "plot_exchanges", "plot_links"]

NOTHING = "Nothing was sent."
MOST_ARROWS = 60
"""With more messages than this the arrows would be a thicket, and are left out."""
_BAR, _TEXT_PT, _NARROW_PT = 0.8, 9.0, 3.0
_WAITS = {"send", "recv"}


@dataclass(frozen=True)
class Placed:
    """Where an exchange is drawn: the height of the middle of its bar, and how high that is."""

    exchange: Exchange
    y: float
    height: float


def plot_exchanges(
    exchanges: Sequence[Exchange],
    *,
    caption: Caption,
    ranks: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a row for each rank, rank 0 on top: sends above, receives below, collectives on both.

    A bar is where the bytes moved; a pale striped one before it is the time in which the call had
    been made but its other side was missing, or the link was taken. An arrow goes from each send to
    its receive, behind the labels, if there are at most ``MOST_ARROWS``. Bytes are written where
    there is room.

    Args:
        exchanges: those of a run, in any order.
        caption: title, name of the time axis without its unit, source (simulated or measured),
            alternative text.
        ranks: how many rows; by default as many as were seen.
        ax: where to draw; a new figure by default.

    >>> times = 0.0, 2e-6, 5e-6
    >>> pair = [Exchange(0, "send", 1, 8, *times), Exchange(1, "recv", 0, 8, *times)]
    >>> ax = plot_exchanges(pair, caption=Caption("Who sends", "rank 0 sends to 1", "simulated"))
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['rank 0', 'rank 1'], 'time (µs)')
    """
    count = ranks or 1 + max((_highest(one) for one in exchanges), default=0)
    ax = style.new_axes(1.35 + min(0.62, 7.0 / count) * count) if ax is None else ax
    end_s = max((one.end_s for one in exchanges), default=0.0)
    unit = time_unit(end_s)
    _set_axes(ax, count, unit.of(end_s) or 1.0)
    write_caption(ax, replace(caption, x=unit.name_axis(caption.x or "time")))
    make_room_for_keys(ax)
    scale = measure_scale(ax)
    placed = [one for rank in range(count) for one in _place(rank, exchanges)]
    for one in placed:
        _draw(ax, one, unit, scale)
    _write_labels(ax, placed, unit, scale)
    _draw_arrows(ax, placed, unit)
    write_keys(ax, keys_of(_kinds_shown(placed, unit, scale)))
    if not exchanges:
        look = {"ha": "center", "va": "center", "fontsize": 11, "color": style.QUIET}
        ax.text(0.5, 0.5, NOTHING, transform=ax.transAxes, **look)
    return ax


def _highest(one: Exchange) -> int:
    return max(one.rank, one.peer if one.peer is not None else 0)


def _set_axes(ax: Axes, ranks: int, end: float) -> None:
    ax.set_yticks(range(ranks), [f"rank {rank}" for rank in range(ranks)])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.set_xlim(0, end)
    ax.set_ylim(ranks - 0.45, -0.55)
    ax.grid(visible=False)
    ax.grid(axis="x", color=style.FAINT, linewidth=0.6)


def _place(rank: int, exchanges: Sequence[Exchange]) -> list[Placed]:
    """Bars of a rank: sends in the upper half of its row, receives in the lower half."""
    own = [one for one in exchanges if one.rank == rank]
    sends = [one for one in own if one.kind == "send"]
    receives = [one for one in own if one.kind == "recv"]
    others = [one for one in own if one.kind not in _WAITS]
    half = _BAR / 2
    return [
        *_stack(sends, rank - half, half),
        *_stack(receives, rank, half),
        *_stack(others, rank - half, _BAR),
    ]


def _stack(exchanges: Sequence[Exchange], top: float, height: float) -> list[Placed]:
    """Bars that overlap in time, waits included, lie below each other."""
    levels: list[list[Exchange]] = []
    for one in sorted(exchanges, key=lambda one: (one.posted_s, one.start_s)):
        level = next((level for level in levels if level[-1].end_s <= one.posted_s), None)
        if level is None:
            levels.append([one])
        else:
            level.append(one)
    step = height / max(1, len(levels))
    middles = [top + step * (depth + 0.5) for depth in range(len(levels))]
    pairs = zip(levels, middles, strict=True)
    return [Placed(one, y, 0.92 * step) for level, y in pairs for one in level]


def _draw(ax: Axes, placed: Placed, unit: AxisUnit, scale: Scale) -> None:
    one = placed.exchange
    spans = [(_look(one.kind), one.start_s, one.end_s)]
    if one.start_s > one.posted_s:
        spans.append((look_of("posted"), one.posted_s, one.start_s))
    for look, start_s, end_s in spans:
        width = unit.of(end_s - start_s)
        is_wide = width * scale.x_pt > _NARROW_PT
        ax.barh(
            placed.y,
            width,
            left=unit.of(start_s),
            height=placed.height,
            color=look.color,
            edgecolor=look.edge if is_wide else look.color,
            hatch=look.hatch or None,
            linewidth=0.7,
        )


def _look(kind: str) -> Look:
    return look_of(kind if kind in _WAITS else "collective")


def _kinds_shown(placed: Sequence[Placed], unit: AxisUnit, scale: Scale) -> set[str]:
    """What the key has to name; a wait that is too short to be seen is not among it."""
    own = [one.exchange for one in placed]
    kinds = {one.kind if one.kind in _WAITS else "collective" for one in own}
    waits_pt = [unit.of(one.start_s - one.posted_s) * scale.x_pt for one in own]
    return kinds | {"posted" for wait_pt in waits_pt if wait_pt > 1.0}


def _write_labels(ax: Axes, placed: Sequence[Placed], unit: AxisUnit, scale: Scale) -> None:
    """Bars of a kind are labeled alike: each says as much as the narrowest has room for."""
    forms: dict[str, int] = {}
    for one in placed:
        texts, room_pt = _texts(one.exchange), _room_pt(one, unit, scale)
        fit = longest_fit(texts, room_pt, _TEXT_PT)
        if fit:
            kind = one.exchange.kind
            forms[kind] = max(forms.get(kind, 0), texts.index(fit))
    for one in placed:
        texts, room_pt = _texts(one.exchange), _room_pt(one, unit, scale)
        skip = forms.get(one.exchange.kind, 0)
        text = longest_fit(texts[skip:], room_pt, _TEXT_PT)
        if not text or one.height * scale.y_pt < _TEXT_PT * 1.1:
            continue
        look = _look(one.exchange.kind)
        ax.text(
            unit.of(one.exchange.start_s + one.exchange.end_s) / 2,
            one.y,
            text,
            ha="center",
            va="center_baseline",
            fontsize=_TEXT_PT,
            color=look.text,
            bbox=look.behind_text or {"facecolor": look.color, "edgecolor": "none", "pad": 1.0},
            zorder=4,
        )


def _texts(one: Exchange) -> list[str]:
    size = format_size(one.size_bytes)
    if one.kind == "send":
        return [f"{size} to {one.peer}", f"to {one.peer}", f"{one.peer}"]
    if one.kind == "recv":
        return [f"{size} from {one.peer}", f"from {one.peer}", f"{one.peer}"]
    return [f"{one.kind} {size}", one.kind]


def _room_pt(placed: Placed, unit: AxisUnit, scale: Scale) -> float:
    return unit.of(placed.exchange.end_s - placed.exchange.start_s) * scale.x_pt - 5


def _draw_arrows(ax: Axes, placed: Sequence[Placed], unit: AxisUnit) -> None:
    pairs = messages(placed)
    if len(pairs) > MOST_ARROWS:
        return
    for send, receive in pairs:
        down = receive.y > send.y
        start = unit.of(send.exchange.start_s), send.y + (0.5 if down else -0.5) * send.height
        end = unit.of(receive.exchange.end_s), receive.y - (0.5 if down else -0.5) * receive.height
        look = {"arrowstyle": "-|>", "color": style.INK, "linewidth": 0.9, "alpha": 0.5}
        look |= {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
        ax.annotate("", end, start, arrowprops=look, zorder=3, annotation_clip=False)


def messages(placed: Iterable[Placed]) -> list[tuple[Placed, Placed]]:
    """Each send with its receive: between two ranks, the first with the first, and so on."""
    waiting: dict[tuple[str, int, int | None], list[Placed]] = defaultdict(list)
    for one in sorted(placed, key=lambda one: (one.exchange.end_s, one.exchange.start_s)):
        waiting[one.exchange.kind, one.exchange.rank, one.exchange.peer].append(one)
    return [
        pair
        for (kind, rank, peer), sends in list(waiting.items())
        if kind == "send" and peer is not None
        for pair in zip(sends, waiting.get(("recv", peer, rank), ()), strict=False)
    ]
