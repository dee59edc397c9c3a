"""How full a multiprocessor is, as something varies."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.end_labels import EndLabel, write_end_labels
from gpuedu.lens.fit import FitCurve

_DASHES = ("-", "--", ":", "-.")
SOURCE = "Computed from the limits of the device (CUDA's occupancy rules), not measured."


def plot_occupancy_curves(
    curves: Sequence[FitCurve], *, x: str, device: str, source: str = SOURCE, ax: Axes | None = None
) -> Axes:
    """Draw occupancy in steps against registers, block size or another quantity.

    Args:
        curves: Each is named at its right end.
        x: Name of what is varied, such as "registers a thread".
        device: The device whose limits these are.
        source: How the shares came about.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.4) if ax is None else ax
    ends = []
    for place, curve in enumerate(curves):
        color = style.CYCLE[place % len(style.CYCLE)]
        percent = [100 * share for share in curve.shares]
        dashes = _DASHES[place % len(_DASHES)]
        ax.step(curve.values, percent, where="post", color=color, linewidth=2, linestyle=dashes)
        ends.append(EndLabel(curve.values[-1], percent[-1], curve.name, color))
    values = [value for curve in curves for value in curve.values]
    ax.set_xlim(min(values), max(values))
    ax.set_ylim(0, 105)
    text = "; ".join(
        f"{curve.name}: {100 * curve.shares[0]:.0f}% at {curve.values[0]}, "
        f"{100 * curve.shares[-1]:.0f}% at {curve.values[-1]}"
        for curve in curves
    )
    write_caption(
        ax,
        Caption(
            title=f"How full a multiprocessor of the {device} is",
            x=x,
            y="warps in use, % of the room",
            alt=f"Occupancy against {x} on {device}. {text}.",
            source=f"{source} 0%: the launch is refused.",
        ),
    )
    write_end_labels(ax, ends)
    return ax
