"""Programs of launches and waits, each with the host's time above the device's."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from gpuedu.clock import DeviceEvent
from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_LOOKS = {
    "launch": (style.ORANGE, None, "host prepares and launches"),
    "sync": (style.FAINT, "///", "host waits"),
    "kernel": (style.BLUE, None, "kernel"),
}


def plot_queues(
    programs: Sequence[tuple[str, Sequence[DeviceEvent]]],
    *,
    caption: Caption,
    ax: Axes | None = None,
) -> Axes:
    """Draw what host and device did in each program, on one time axis in milliseconds.

    Args:
        programs: a name and its events, from top to bottom.
        caption: title, name of the axis, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.5 + 0.85 * len(programs)) if ax is None else ax
    ticks: list[tuple[float, str]] = []
    for place, (name, events) in enumerate(programs):
        top = 2.6 * (len(programs) - place)
        rows = {"host": top, "device": top - 0.75}
        ticks += [(y, side) for side, y in rows.items()]
        look = {"fontsize": 9.5, "color": style.INK, "fontweight": "bold"}
        ax.annotate(name, (0, top + 0.42), (3, 0), textcoords="offset points", **look)
        for event in events:
            _draw_event(ax, event, rows)
    ends = [event.end_s for _, events in programs for event in events]
    ax.set_xlim(0, 1e3 * max(ends, default=1.0))
    ax.set_ylim(2.6 - 1.25, 2.6 * len(programs) + 1.75)
    ax.set_yticks([y for y, _ in ticks], [side for _, side in ticks])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(visible=False)
    handles = [
        Patch(facecolor=color, hatch=hatch, label=says, edgecolor=style.GROUND)
        for color, hatch, says in _LOOKS.values()
    ]
    ax.legend(
        handles=handles,
        loc="upper left",
        ncols=len(handles),
        frameon=False,
        fontsize=9.5,
        borderaxespad=0.1,
        handlelength=1.4,
    )
    return write_caption(ax, caption)


def _draw_event(ax: Axes, event: DeviceEvent, rows: dict[str, float]) -> None:
    if event.kind not in _LOOKS:
        return
    color, hatch, _ = _LOOKS[event.kind]
    ax.barh(
        rows["device" if event.kind == "kernel" else "host"],
        event.duration_s * 1e3,
        left=event.start_s * 1e3,
        height=0.6,
        color=color,
        hatch=hatch,
        edgecolor=style.GROUND,
        linewidth=1,
    )
