"""Tasks on the workers that do them, along a time axis: a sketch of latency and throughput."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_GAP = 3.2


@dataclass(frozen=True)
class WorkerTask:
    """One piece of work: who does it (0, 1, ...), and from when to when."""

    worker: int
    start: float
    end: float


@dataclass(frozen=True)
class Crew:
    """Workers that share some tasks; ``row_height`` in units of the drawing."""

    name: str
    tasks: tuple[WorkerTask, ...]
    color: str
    row_height: float

    @property
    def height(self) -> float:
        """Height of all rows together."""
        return self.row_height * (1 + max(task.worker for task in self.tasks))

    @property
    def moments(self) -> tuple[tuple[float, str], ...]:
        """When the first result is there, and when all are."""
        first = min(task.end for task in self.tasks)
        last = max(task.end for task in self.tasks)
        if first == last:
            return ((first, f"first result at {first:g},\nall {len(self.tasks)} at {last:g}"),)
        return ((first, f"first result at {first:g}"), (last, f"all {len(self.tasks)} at {last:g}"))


def plot_workers(crews: Sequence[Crew], *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw crews below each other: a row per worker, a box per task, and when results are there.

    Args:
        crews: from top to bottom.
        caption: title, name and unit of the time axis, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.9) if ax is None else ax
    top = 0.0
    for crew in crews:
        _draw_crew(ax, crew, top)
        top -= crew.height + _GAP
    last = max(task.end for crew in crews for task in crew.tasks)
    ax.set_xlim(0, last * 1.14)
    ax.set_ylim(top + _GAP - 0.3, 1.5)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    return write_caption(ax, caption)


def _draw_crew(ax: Axes, crew: Crew, top: float) -> None:
    ax.text(0, top + 0.35, crew.name, fontsize=10.5, color=style.INK, fontweight="bold")
    for number, task in enumerate(crew.tasks, start=1):
        middle = top - crew.row_height * (task.worker + 0.5)
        ax.barh(
            middle,
            task.end - task.start,
            left=task.start,
            height=crew.row_height * 0.86,
            color=crew.color,
            edgecolor=style.GROUND,
            linewidth=1,
        )
        ax.text(
            (task.start + task.end) / 2,
            middle,
            str(number),
            ha="center",
            va="center_baseline",
            fontsize=8.5,
            color="white",
        )
    below = 0.0 if len(crew.moments) == 1 else 1.1
    for when, what in crew.moments:
        foot = top - crew.height - below
        ax.plot([when, when], [top, foot], color=style.INK, linestyle=":", lw=1.6)
        ax.text(
            when + 0.12,
            foot + 0.1 if below else top - crew.height / 2,
            what,
            va="baseline" if below else "center",
            fontsize=10,
            color=style.INK,
            linespacing=1.35,
        )
