"""time-to-accuracy: its picture."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.response_surface import (
    Surface,
)
from gpuedu.exercises.batch_and_learning_rate.time_to_accuracy.searching import (
    Grid,
    Point,
    Search,
    Tries,
    try_search,
)
from gpuedu.exercises.compare import show
from gpuedu.experiments import read_results
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.training import plot_surface

BUDGET = 20


SHOWN = {
    "Knee near 8": Surface("momentum", 8).grid,
    "Knee near 512": Surface("momentum", 512).grid,
}


def draw_search(search: Search) -> Any:
    """The learner's runs, numbered, on the times of one training on two devices."""
    found = {name: try_search(search, grid, BUDGET) for name, grid in SHOWN.items()}
    told = [f"{name}: {_told(SHOWN[name], tries)}" for name, tries in found.items()]
    source = (
        "Numbers: runs in order, shades: times the best. Steps from training with SGD with "
        "momentum on digits,\ntimes of a step modeled. "
        f"{read_results('steps-to-accuracy').source}"
    )
    caption = Caption(
        title="",
        x="learning rate",
        y="batch",
        source=source,
        alt="Two grids of seconds to an accuracy, by batch and learning rate, of one training on "
        f"two devices. {'. '.join(told)}.",
    )
    axes = style.new_axes(4.0, columns=2)
    for place, (ax, (name, tries)) in enumerate(zip(axes, found.items(), strict=True)):
        own = replace(caption, title=f"{name}: {_outcome(SHOWN[name], tries)}")
        _draw(ax, SHOWN[name], tries, own, has_legend=place == 0)
    return axes[0]


def _draw(ax: Any, grid: Grid, tries: Tries, caption: Caption, *, has_legend: bool) -> None:
    batches, rates = grid.batches, grid.rates

    def place(point: Point) -> tuple[int, int]:
        return batches.index(point[0]), rates.index(point[1])

    plot_surface(
        [[grid.seconds((batch, rate)) for rate in rates] for batch in batches],
        [place(point) for point in tries.points],
        None if tries.chosen is None else place(tries.chosen),
        names=([f"{batch:,}" for batch in batches], [show(rate) for rate in rates]),
        caption=caption,
        has_legend=has_legend,
        ax=ax,
    )
    ax.tick_params(axis="x", labelsize=8.5)  # for names as long as 0.00391


def _outcome(grid: Grid, tries: Tries) -> str:
    """How many times the best time, in few letters."""
    if tries.chosen is None:
        return f"refused run {BUDGET + 1}"
    ratio = grid.seconds(tries.chosen) / grid.seconds(grid.best)
    return f"{ratio:.2f}x the best" if math.isfinite(ratio) else "never there"


def _told(grid: Grid, tries: Tries) -> str:
    count = len(tries.points)
    runs = f"{count} run{'' if count == 1 else 's'}"
    if tries.chosen is None:
        return f"{runs}, nothing chosen, {_outcome(grid, tries)}"
    batch, rate = tries.chosen
    best = f"the best is batch {grid.best[0]} with rate {show(grid.best[1])}"
    return f"{runs}, chosen batch {batch} with rate {show(rate)}, {_outcome(grid, tries)}; {best}"


PICTURE = draw_search
