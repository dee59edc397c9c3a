"""Jobs on the nodes of a cluster: a row for each node, a block for each job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_ROW_IN, _HEIGHT = 0.22, 0.86
_LETTER_H = 0.011
"""How wide a letter of a block's name is, as a share of the whole time."""


@dataclass(frozen=True)
class JobBlock:
    """A job on some nodes, from one hour to another; ``is_yours`` makes it stand out."""

    name: str
    nodes: tuple[int, ...]
    start_h: float
    end_h: float
    is_yours: bool = False


@dataclass(frozen=True)
class Cluster:
    """Jobs of one cluster, with a line above them that says what they show."""

    says: str
    nodes: int
    jobs: tuple[JobBlock, ...]


def plot_cluster_jobs(
    clusters: Sequence[Cluster], *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw clusters below each other, on one time axis in hours from 0.

    Args:
        clusters: each with its nodes numbered from 0, at the top.
        caption: title, name of the time axis, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    rows = sum(one.nodes + 2 for one in clusters)
    ax = style.new_axes(1.3 + _ROW_IN * rows) if ax is None else ax
    end_h = max((job.end_h for one in clusters for job in one.jobs), default=1.0)
    top, ticks = 0.0, []
    for one in clusters:
        look = {"fontsize": 10, "color": style.INK, "fontweight": "bold", "va": "center"}
        ax.annotate(one.says, (0, top), (4, 0), textcoords="offset points", **look)
        for job in one.jobs:
            _draw_job(ax, job, top + 1, end_h)
        ticks += [(top + 1 + node, str(node + 1)) for node in range(one.nodes)]
        top += one.nodes + 2
    ax.set_xlim(0, 1.02 * end_h)
    ax.set_ylim(top - 1.4, -0.8)
    ax.set_yticks(*zip(*ticks, strict=True))
    ax.tick_params(axis="y", length=0, labelcolor=style.INK, labelsize=8.5)
    ax.xaxis.get_major_locator().set_params(integer=True, nbins=12)
    ax.grid(visible=False)
    return write_caption(ax, caption)


def _draw_job(ax: Axes, job: JobBlock, top: float, end_h: float) -> None:
    face = style.BLUE if job.is_yours else style.FAINT
    for node in job.nodes:
        look = {"color": face, "edgecolor": style.GROUND, "linewidth": 0.8}
        ax.barh(top + node, job.end_h - job.start_h, left=job.start_h, height=_HEIGHT, **look)
    if job.end_h - job.start_h < end_h * _LETTER_H * (len(job.name) + 1):
        return
    color = style.GROUND if job.is_yours else style.INK
    middle = top + job.nodes[(len(job.nodes) - 1) // 2]
    look = {"ha": "center", "va": "center", "fontsize": 9, "color": color}
    ax.text((job.start_h + job.end_h) / 2, middle, job.name, **look)
