"""What fits on a multiprocessor: blocks in its slots for warps, and how that changes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.end_labels import EndLabel, write_end_labels
from gpuedu.figures.kernels.cells import draw_cell, lay_out, sheet, write
from gpuedu.lens.fit import Fit, FitCurve

_LEFT, _SLOTS = 0.6, 32
_BLOCK_COLOURS = (style.BLUE, style.SKY)
_DASHES = ("-", "--", ":", "-.")
SOURCE = "Computed from the limits of the device (CUDA's occupancy rules), not measured."


def plot_occupancy(fits: Sequence[Fit], *, ax: Axes | None = None) -> Axes:
    """Draw one multiprocessor of each device: its slots for warps, filled block by block.

    A cell is room for one warp; it carries the number of the block that is in it.

    Args:
        fits: The same launch on several devices, at least one.
        ax: where to draw; a new figure by default.
    """
    heights = [2.0 + _rows(fit) for fit in fits]
    ax = (
        sheet(sum(heights), _SLOTS, _LEFT)
        if ax is None
        else lay_out(ax, sum(heights), _SLOTS, _LEFT)
    )
    top = 0.0
    for fit, height in zip(fits, heights, strict=True):
        _draw_fit(ax, fit, top)
        top += height
    one = fits[0]
    return write_caption(
        ax,
        Caption(
            title=f"Blocks of {one.threads_per_block} threads on one multiprocessor (SM)",
            alt=" ".join(f"{fit}." for fit in fits),
            source=f"A cell is room for one warp; the number is the block in it. "
            f"{one.registers_per_thread} registers a thread, "
            f"{one.shared_bytes_per_block:,} bytes of shared memory a block.\n{SOURCE}",
        ),
    )


def plot_occupancy_curves(
    curves: Sequence[FitCurve], *, x: str, device: str, source: str = SOURCE, ax: Axes | None = None
) -> Axes:
    """Draw occupancy in steps against registers, block size or another quantity.

    Args:
        curves: Each is named at its right end.
        x: Name of what is varied, such as "registers a thread".
        device: What the limits are of.
        source: How the shares came about.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(3.4) if ax is None else ax
    ends = []
    for place, curve in enumerate(curves):
        colour = style.CYCLE[place % len(style.CYCLE)]
        percent = [100 * share for share in curve.shares]
        dashes = _DASHES[place % len(_DASHES)]
        ax.step(curve.values, percent, where="post", color=colour, linewidth=2, linestyle=dashes)
        ends.append(EndLabel(curve.values[-1], percent[-1], curve.name, colour))
    values = [value for curve in curves for value in curve.values]
    ax.set_xlim(min(values), max(values))
    ax.set_ylim(0, 105)
    told = "; ".join(
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
            alt=f"Occupancy against {x} on {device}. {told}.",
            source=f"{source} 0%: the launch is refused.",
        ),
    )
    write_end_labels(ax, ends)
    return ax


def _rows(fit: Fit) -> int:
    return -(-fit.occupancy.max_warps // _SLOTS) if fit.occupancy else 1


def _draw_fit(ax: Axes, fit: Fit, top: float) -> None:
    write(ax, 0, top + 0.4, fit.device, size_pt=10, weight="bold")
    if fit.occupancy is None:
        write(ax, 0, top + 1.6, f"refused: {fit.refusal}", colour=style.RED, size_pt=9.5)
        return
    own = fit.occupancy
    says = (
        f"{own.warps_per_sm} of {own.max_warps} warps ({own.fraction:.0%}), limited by {fit.limits}"
    )
    write(ax, _SLOTS, top + 0.4, says, size_pt=9.5, ha="right")
    warps_per_block = own.warps_per_sm // own.blocks_per_sm
    for slot in range(own.max_warps):
        row, column = divmod(slot, _SLOTS)
        block = slot // warps_per_block
        is_full = slot < own.warps_per_sm
        draw_cell(
            ax,
            column,
            top + 1.0 + row,
            colour=_BLOCK_COLOURS[block % 2] if is_full else style.GROUND,
            text=str(block) if is_full else "",
        )
