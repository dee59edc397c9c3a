"""Who takes what from whom in shared memory: a row of places for each round, and lines between."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.accesses import COUNTED
from gpuedu.figures.kernels.cells import draw_cell, lay_out, sheet, warp_color, write
from gpuedu.lens.rounds import Exchange, Round, links
from gpuedu.trace.records import WARP_SIZE

_LEFT, _RIGHT, _GAP = 4.6, 6.6, 1.5
_PLACES, _ROUNDS = 32, 9
_COUNTS = (2.6, 6.4)
"""Where the two columns of numbers end, right of the places."""

_LINE = {"linewidth": 0.9, "solid_capstyle": "round"}


def plot_rounds(
    exchange: Exchange, *, kernel: str = "", most: int = _ROUNDS, ax: Axes | None = None
) -> Axes:
    """Draw the first 32 places of a shared array, a row for each round in which it is written.

    A colored cell was written in its round, by the thread whose number it carries. A line leads to
    it from each place that this thread had read; if all read the same place, a sentence says so. A
    place that was not written stays empty. On the right: how many places are written, and how many
    places of other threads went into them.

    Args:
        exchange: What a block handed around.
        kernel: The kernel's name, for the title.
        most: Rounds that are drawn; a note below says how many more there are.
        ax: where to draw; a new figure by default.
    """
    shown = exchange.rounds[:most]
    hidden = len(exchange.rounds) - len(shown)
    places = min(exchange.places, _PLACES)
    height = len(shown) + _GAP * (len(shown) - 1) + 1.4 + 1.2 * bool(hidden)
    across = places + _RIGHT
    ax = sheet(height, across, _LEFT) if ax is None else lay_out(ax, height, across, _LEFT)
    for place in range(places):
        write(ax, place + 0.5, 0.4, str(place), color=style.QUIET, ha="center", size_pt=8)
    write(ax, -0.4, 0.4, f"{exchange.array}[ ]", color=style.QUIET, ha="right")
    for across, head in zip(_COUNTS, ("written", "read"), strict=True):
        write(ax, places + across, 0.4, head, color=style.QUIET, ha="right", size_pt=8)
    counts, names = links(exchange), _names(exchange)
    for number, one in enumerate(shown):
        top = 1.1 + number * (1 + _GAP)
        _draw_round(ax, one, top, places, is_first=not number)
        source = None if not number else one.read_by_all
        if source is not None:
            says = f"all of these have read {exchange.array}[{source}]"
            write(ax, places / 2, top - _GAP / 2, says, color=style.RED, ha="center")
        write(ax, -0.4, top + 0.5, names[number], color=style.QUIET, ha="right")
        for across, count in zip(_COUNTS, (len(one.stores), counts[number]), strict=True):
            write(ax, places + across, top + 0.5, str(count), color=style.QUIET, ha="right")
    if hidden:
        top = 1.1 + len(shown) * (1 + _GAP) - _GAP
        write(ax, 0, top + 0.8, f"... and {hidden} more rounds", color=style.QUIET)
    return write_caption(
        ax,
        Caption(
            title=f"{kernel}: who takes what from whom" if kernel else "Who takes what from whom",
            alt=_alt(exchange, counts, most),
            source="A row is what was written between two barriers, by the threads whose numbers "
            "are in the cells;\na line leads from each place that such a thread had read. On the "
            "right: places written, and places of other\nthreads that were read for them. "
            f"Where threads only read, there is no row. Block {exchange.block}.\n{COUNTED}",
        ),
    )


def _draw_round(ax: Axes, one: Round, top: float, places: int, *, is_first: bool) -> None:
    writer = {store.target: store.thread for store in one.stores}
    for place in range(places):
        thread = writer.get(place)
        is_written = thread is not None
        color = warp_color(thread // WARP_SIZE) if is_written else style.GROUND
        draw_cell(ax, place, top, color=color, text=str(thread) if is_written else "")
    for store in () if is_first or one.read_by_all is not None else one.stores:
        for source in store.sources:
            if max(source, store.target) < places:
                is_own = source == store.target
                ax.plot(
                    [source + 0.5, store.target + 0.5],
                    [top - _GAP, top],
                    color=style.FAINT if is_own else style.RED,
                    zorder=0 if is_own else 1,
                    **_LINE,
                )


def _names(exchange: Exchange) -> list[str]:
    """What comes first is the start; a second store without a barrier is of the same round."""
    names: list[str] = []
    number = 0
    for place, one in enumerate(exchange.rounds):
        is_same = place > 0 and one.epoch == exchange.rounds[place - 1].epoch
        number += place > 0 and not is_same
        name = f"round {number}" if number else "start"
        names.append(f"still {name}" if is_same else name)
    return names


def _alt(exchange: Exchange, counts: Mapping[int, int], most: int) -> str:
    names = _names(exchange)
    sentences = [
        f"{names[number]}, {len(one.stores)} written, {counts[number]} read of other threads"
        for number, one in enumerate(exchange.rounds[:most])
    ]
    return f"Places of {exchange.array} of block {exchange.block}: {'; '.join(sentences)}."
