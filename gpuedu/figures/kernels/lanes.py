"""Which lanes of each warp are active while a block runs, step by step."""

from __future__ import annotations

from collections.abc import Collection

from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.kernels.accesses import COUNTED
from gpuedu.lens.lanes import Lane, LaneSteps, lane_steps
from gpuedu.trace.records import Place, Trace

_IDLE = "#f3d9a4"
_COLORS = ListedColormap([style.GROUND, _IDLE, style.BLUE, style.FAINT])
_KEYS = {
    Lane.ACTIVE: ("active", style.BLUE),
    Lane.IDLE: ("idle while its warp runs", _IDLE),
    Lane.AWAY: ("its warp skips the line", style.GROUND),
    Lane.ABSENT: ("no such thread", style.FAINT),
}
_PITCH, _FEW_STEPS = 1.14, 36


def plot_active_lanes(
    trace: Trace,
    block: int | None = None,
    *,
    places: Collection[Place] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the active lanes of a watched block's warps over its first steps.

    A step is one line of source, run by the warps that have an active lane; it says nothing about
    time. Each warp is a band of 32 lanes, lane 0 on top.

    Args:
        trace: The account of a launch, with watched steps.
        block: A watched block; the first by default.
        places: The lines that are drawn; all by default.
        ax: where to draw; a new figure by default.

    Raises:
        NothingWatchedError: The block was not watched.
    """
    found = lane_steps(trace, block, places=places)
    bands = len(found.warps)
    ax = style.new_axes(1.5 + 0.55 * bands) if ax is None else ax
    steps = len(found.places)
    for place, warp in enumerate(found.warps):
        top = place * _PITCH
        ax.imshow(
            found.state[place].T,
            cmap=_COLORS,
            vmin=0,
            vmax=3,
            extent=(0, steps, top + 1, top),
            aspect="auto",
            interpolation="nearest",
        )
        ax.annotate(
            f"{found.mean_lanes(warp):.1f} of 32",
            (steps, top + 0.5),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9.5,
            color=style.INK,
        )
    ax.set_xlim(0, steps)
    ax.set_ylim(bands * _PITCH, -0.62)
    ax.set_yticks([p * _PITCH + 0.5 for p in range(bands)], [f"warp {w}" for w in found.warps])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.spines["left"].set_visible(False)
    _mark_steps(ax, found)
    _draw_keys(ax, found)
    return write_caption(ax, _caption(trace, found))


def _mark_steps(ax: Axes, found: LaneSteps) -> None:
    """Few steps carry their source lines, many are only counted."""
    ax.grid(visible=False)
    steps = len(found.places)
    if steps <= _FEW_STEPS:
        ax.set_xticks([i + 0.5 for i in range(steps)], [str(p.line) for p in found.places])
        for step in range(1, steps):
            ax.axvline(step, color=style.GROUND, linewidth=0.8)
        ax.tick_params(axis="x", length=0, labelsize=8.5)


def _draw_keys(ax: Axes, found: LaneSteps) -> None:
    seen = [lane for lane in _KEYS if (found.state == lane).any()]
    handles = [
        ax.fill_between([], [], [], facecolor=color, edgecolor=style.QUIET, label=name)
        for name, color in (_KEYS[lane] for lane in seen)
    ]
    ax.legend(
        handles=handles,
        loc="upper left",
        ncols=len(seen),
        frameon=False,
        fontsize=9.5,
        borderaxespad=0.0,
        handlelength=1.2,
        columnspacing=1.4,
    )


def _caption(trace: Trace, found: LaneSteps) -> Caption:
    steps, launch = len(found.places), trace.launch
    is_all = steps == found.steps_in_all
    part = "" if is_all else f"The first {steps} of {found.steps_in_all:,} steps. "
    hidden = launch.warps_per_block - len(found.warps)
    more = f"{hidden} more warps are not shown. " if hidden else ""
    means = ", ".join(f"warp {w}: {found.mean_lanes(w):.1f}" for w in found.warps)
    few = steps <= _FEW_STEPS
    return Caption(
        title=f"{launch.kernel}: lanes at work",
        x="line of source, in the order in which they run" if few else "steps, a source line each",
        alt=f"Active lanes over {steps} steps of block {found.block}. On average of 32: {means}.",
        source=f"{part}{more}Lane 0 is at the top of its warp.\n{COUNTED} Block {found.block}.",
    )
