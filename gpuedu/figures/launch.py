"""How much of the time a launch takes, by how much work the kernel does."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from gpuedu.figures import style
from gpuedu.figures.decades import write_decade
from gpuedu.units import format_quantity


def plot_launch_share(
    elements: Sequence[float],
    share: Sequence[float],
    marked: Sequence[tuple[float, float]],
    *,
    source: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw the launch's share of the time against the number of elements.

    Args:
        elements: sizes of the work.
        share: the launch's share of the whole time at each size, between 0 and 1.
        marked: (size, share asked for) as the learner's function gave them; those beyond the axis
            are left out.
        source: where the numbers come from.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.2) if ax is None else ax
    ax.plot(elements, [100 * part for part in share], color=style.BLUE, linewidth=2)
    shown = [point for point in marked if min(elements) <= point[0] <= max(elements)]
    for size, asked in shown:
        ax.plot([size], [100 * asked], "o", color=style.RED, markersize=8, clip_on=False)
        ax.annotate(
            f"{100 * asked:.3g}% from {_short(size)}",
            (size, 100 * asked),
            xytext=(9, 5),
            textcoords="offset points",
            fontsize=9.5,
            color=style.INK,
        )
    ax.set_xscale("log")
    ax.set_xlim(min(elements), max(elements))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(lambda value, _: write_decade(value))
    ax.set_ylim(0, 105)
    style.name_axes(
        ax,
        title="A small kernel is mostly launch",
        x="elements (each step is a factor of ten)",
        y="launch, % of the whole time",
    )
    style.note_source(ax, source)
    points = "; ".join(f"{100 * asked:.3g}% at {_short(size)} elements" for size, asked in shown)
    return style.describe(
        ax,
        "The launch's share of the time against the size of the work. "
        f"Marked: {points or 'nothing that lies on the axis'}.",
    )


def _short(size: float) -> str:
    """A number of elements with a letter, as the ticks have it: 27M."""
    return format_quantity(size, "").replace(" ", "")
