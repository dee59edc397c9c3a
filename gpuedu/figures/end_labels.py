"""Names written at the right end of curves, pushed apart where the curves end close together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

GAP_PT = 2.0


@dataclass(frozen=True)
class EndLabel:
    """A text beside the point (x, y) in data coordinates."""

    x: float
    y: float
    text: str
    color: str


def spread(wanted: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Centers as close to ``wanted`` as possible without overlap, in the same order.

    Neighbors that would overlap become one group, centered on what its members wanted.

    >>> spread([0.0, 1.0, 30.0], [10.0, 10.0, 10.0])
    [-4.5, 5.5, 30.0]
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    groups: list[tuple[float, list[int]]] = []
    for index in order:
        low, members = wanted[index] - heights[index] / 2, [index]
        while groups and groups[-1][0] + sum(heights[i] for i in groups[-1][1]) > low:
            members = groups.pop()[1] + members
            low = _lowest_edge(members, wanted, heights)
        groups.append((low, members))
    centers = [0.0] * len(wanted)
    for low, members in groups:
        for index in members:
            centers[index] = low + heights[index] / 2
            low += heights[index]
    return centers


def _lowest_edge(
    members: Sequence[int], wanted: Sequence[float], heights: Sequence[float]
) -> float:
    """Where a stack of labels begins, so that on average each is where it wants to be."""
    below, total = 0.0, 0.0
    for index in members:
        total += wanted[index] - heights[index] / 2 - below
        below += heights[index]
    return total / len(members)


def write_end_labels(ax: Axes, labels: Sequence[EndLabel], size_pt: float = 9.5) -> None:
    """Write the labels to the right of their points. Call it when scales and limits are set."""
    if not labels:
        return
    figure = ax.figure
    figure.draw_without_rendering()
    pt_per_px = 72 / figure.dpi
    places = [ax.transData.transform((label.x, label.y))[1] * pt_per_px for label in labels]
    heights = [size_pt * 1.25 * (1 + label.text.count("\n")) + GAP_PT for label in labels]
    for label, place, center in zip(labels, places, spread(places, heights), strict=True):
        ax.annotate(
            label.text,
            (label.x, label.y),
            xytext=(7, center - place),
            textcoords="offset points",
            va="center",
            ha="left",
            fontsize=size_pt,
            color=label.color,
            annotation_clip=False,
            linespacing=1.2,
        )
