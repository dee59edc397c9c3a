"""Lives of an elastic training: a lane for each worker, and which rank it is in each life."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.lane_looks import make_room_for_keys, write_keys

_BAR, _LEAST, _PAUSE, _THIN = 0.62, 0.16, 0.085, 0.01
"""A bar's height; widths of a short life, of a pause, and of what is too thin for stripes."""
_PALE, _STRIPES = "#b8d4e6", "#6d7482"
_DEATH, _JOIN, _SAVE = "X", ">", "D"


@dataclass(frozen=True)
class DrawnLife:
    """One life.

    Attributes:
        workers: their names by rank.
        start_s, end_s: when they train.
        saves: when a checkpoint was saved, by rank 0.
        died: the names of those that died at its end.
        joined: the names of those that were not in the life before.
    """

    workers: tuple[str, ...]
    start_s: float
    end_s: float
    saves: tuple[float, ...] = ()
    died: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()

    @property
    def kept_until_s(self) -> float:
        """The time up to which its training is in a checkpoint."""
        return max(self.saves, default=self.start_s)


@dataclass(frozen=True)
class _Place:
    """Where a life is drawn: ``left`` and ``width``, in a drawing that is 1 wide and longer."""

    life: DrawnLife
    left: float
    width: float

    def at(self, time_s: float) -> float:
        """Where a time of this life is."""
        lasted_s = self.life.end_s - self.life.start_s
        share = (time_s - self.life.start_s) / lasted_s if lasted_s else 0.0
        return self.left + self.width * share


def plot_lives(
    lives: Sequence[DrawnLife], *, caption: Caption, rows: Sequence[str], ax: Axes | None = None
) -> Axes:
    """Draw a bar for each worker and life, with its rank; what is in no checkpoint is striped.

    Pauses between lives are all drawn alike, and short lives longer than they were: how long each
    of them lasted is written above it.

    Args:
        lives: in their order.
        caption: title, what is said below the drawing, source, alternative text.
        rows: the names of all workers, from top to bottom.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(2.2 + 0.42 * len(rows)) if ax is None else ax
    places = _places(lives)
    for place in places:
        for rank, worker in enumerate(place.life.workers):
            _draw_bar(ax, place, rank, rows.index(worker))
        count = len(place.life.workers)
        told = f"{count} worker{'' if count == 1 else 's'}"
        lasted = f"{place.life.end_s - place.life.start_s:.1f} s"
        _write_head(ax, place.left + place.width / 2, f"{told}\n{lasted}", style.INK)
    for one, other in pairwise(places):
        pause_s = other.life.start_s - one.life.end_s
        _write_head(ax, (one.left + one.width + other.left) / 2, f"{pause_s:.1f} s", style.QUIET)
    ax.set_yticks(range(len(rows)), list(rows))
    ax.set_ylim(len(rows) - 0.45, -1.35)
    ax.set_xlim(-0.015, places[-1].left + places[-1].width + 0.015)
    ax.set_xticks([])
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(visible=False)
    write_caption(ax, caption)
    make_room_for_keys(ax)
    write_keys(ax, _keys(lives))
    return ax


def _places(lives: Sequence[DrawnLife]) -> list[_Place]:
    whole_s = sum(life.end_s - life.start_s for life in lives) or 1.0
    found, left = [], 0.0
    for life in lives:
        width = max(_LEAST, (life.end_s - life.start_s) / whole_s)
        found.append(_Place(life, left, width))
        left += width + _PAUSE
    return found


def _write_head(ax: Axes, x: float, text: str, color: str) -> None:
    look = {"ha": "center", "va": "bottom", "fontsize": 9.5, "linespacing": 1.25}
    ax.text(x, -0.5, text, color=color, **look)


def _draw_bar(ax: Axes, place: _Place, rank: int, y: int) -> None:
    life, end = place.life, place.left + place.width
    kept = place.at(life.kept_until_s) - place.left
    lost = place.width - kept
    look = {"height": _BAR, "edgecolor": style.GROUND, "linewidth": 0.7}
    ax.barh(y, kept, left=place.left, color=style.BLUE, **look)
    if lost > _THIN:
        striped = look | {"hatch": "///", "edgecolor": _STRIPES}
        ax.barh(y, lost, left=place.left + kept, color=_PALE, **striped)
    is_kept = kept >= lost
    ax.text(
        place.left + kept / 2 if is_kept else end - lost / 2,
        y,
        f"rank {rank}",
        ha="center",
        va="center_baseline",
        fontsize=9,
        color="white" if is_kept else style.INK,
        bbox=None if is_kept else {"facecolor": _PALE, "edgecolor": "none", "pad": 1.2},
    )
    marks = {"linestyle": "none", "markeredgecolor": style.GROUND, "markersize": 9, "zorder": 3}
    name = life.workers[rank]
    if name in life.died:
        ax.plot([end], [y], marker=_DEATH, color=style.RED, **marks)
    if name in life.joined:
        ax.plot([place.left], [y], marker=_JOIN, color=style.GREEN, **marks)
    if rank == 0:
        small = marks | {"markersize": 6, "markeredgecolor": style.INK}
        at = [place.at(one) for one in life.saves]
        ax.plot(at, [y + _BAR / 2] * len(at), marker=_SAVE, color=style.YELLOW, **small)


def _keys(lives: Sequence[DrawnLife]) -> list[Artist]:
    look = {"linestyle": "none", "markersize": 8}
    keys: list[Artist] = [
        Patch(facecolor=style.BLUE, label="kept"),
        Patch(facecolor=_PALE, hatch="///", edgecolor=_STRIPES, label="in no checkpoint"),
    ]
    edge = {"markeredgecolor": style.INK}
    keys.append(
        Line2D([], [], marker=_SAVE, color=style.YELLOW, label="checkpoint", **look, **edge)
    )
    if any(life.died for life in lives):
        keys.append(Line2D([], [], marker=_DEATH, color=style.RED, label="killed", **look))
    if any(life.joined for life in lives):
        keys.append(Line2D([], [], marker=_JOIN, color=style.GREEN, label="joins", **look))
    return keys
