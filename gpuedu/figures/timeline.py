"""Host and device on one time axis, and what a stopwatch saw of it."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from gpuedu.clock import DeviceEvent
from gpuedu.figures import style

_ROWS = {"host": 1.0, "device": 0.0}
_COLORS = {"launch": style.ORANGE, "sync": style.FAINT, "kernel": style.BLUE}
_SAYS = {"launch": "launch", "sync": "host waits", "kernel": "kernel"}


def plot_timeline(
    events: Sequence[DeviceEvent],
    watched_s: Sequence[tuple[float, float]],
    *,
    warmup: int,
    ax: Axes | None = None,
) -> Axes:
    """Draw what host and device did, with the intervals that the learner's watch ran shaded.

    Args:
        events: launches, kernels and waits, in seconds of the simulated clock.
        watched_s: start and stop of each interval between two readings of the clock.
        warmup: how many of the first kernels are earlier work or warm-up; they are hatched.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(2.6) if ax is None else ax
    for start_s, end_s in watched_s:
        ax.axvspan(start_s * 1e3, end_s * 1e3, ymin=0.02, ymax=0.82, color=style.GREEN, alpha=0.16)
    kernels = 0
    for event in events:
        if event.kind not in _COLORS:
            continue
        is_kernel = event.kind == "kernel"
        ax.barh(
            _ROWS["device" if is_kernel else "host"],
            event.duration_s * 1e3,
            left=event.start_s * 1e3,
            height=0.5,
            color=_COLORS[event.kind],
            edgecolor=style.GROUND if is_kernel else _COLORS[event.kind],
            hatch="///" if is_kernel and kernels < warmup else None,
            linewidth=0.8,
        )
        kernels += is_kernel
    _name_parts(ax, events, watched_s, warmup)
    style.name_axes(
        ax,
        title="What your watch saw",
        x="simulated time (ms); launches are drawn longer than real ones",
    )
    ax.set_yticks(list(_ROWS.values()), list(_ROWS))
    ax.set_ylim(-0.45, 2.0)
    ax.set_xlim(0, 1e3 * max(event.end_s for event in events))
    ax.grid(visible=False)
    return style.describe(
        ax,
        f"Timeline of host and device: {kernels} kernels, the first {warmup} of them earlier work "
        f"or warm-up; the watch ran in {len(watched_s)} intervals, shaded.",
    )


def _name_parts(
    ax: Axes, events: Sequence[DeviceEvent], watched_s: Sequence[tuple[float, float]], warmup: int
) -> None:
    """A line of keys above the bars: each a sample in its color with its name."""
    keys = [("kernel", style.BLUE, None), ("launch", style.ORANGE, None)]
    if warmup:
        keys.insert(0, ("earlier work, warm-up", style.BLUE, "///"))
    if any(event.kind == "sync" for event in events):
        keys.append(("host waits", style.FAINT, None))
    if watched_s:
        keys.append(("watch runs", "#d6efe7", None))
    handles = [
        Patch(facecolor=color, hatch=hatch, label=name, edgecolor=style.GROUND)
        for name, color, hatch in keys
    ]
    ax.legend(
        handles=handles,
        loc="upper left",
        ncols=len(keys),
        frameon=False,
        fontsize=9.5,
        borderaxespad=0.1,
        handlelength=1.2,
        columnspacing=1.2,
    )
