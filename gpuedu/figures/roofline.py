"""Kernels under the roofs of a device: what share of its peak their counts allow, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.decades import write_decade
from gpuedu.figures.roofline_labels import (
    COLORS,
    PlottedKernel,
    name_roofs,
    number_marks,
    percent,
    write_labels,
)
from gpuedu.hardware.roofline import ARITHMETIC, DEVICE_MEMORY, L1, Roofs
from gpuedu.lens.roofline import RooflinePoint
from gpuedu.units import TERA, format_quantity

COMPUTED = "Computed from counts and the data sheet, not measured."
_KEY = (
    "Circle: FLOP for each byte through L1. Square: for each byte of device memory, at best. "
    "Filled: the roof that limits.\nAt most: the share of the fp32 peak that this roof allows. "
)


@dataclass(frozen=True)
class MeasuredRate:
    """What the kernel of this name reached on a device, recorded there or by the learner."""

    name: str
    flop_per_s: float
    device: str
    is_own: bool = False


def plot_roofline(
    points: Sequence[RooflinePoint],
    roofs: Roofs,
    *,
    measured: Sequence[MeasuredRate] = (),
    caption: Caption | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw each kernel at the rate that its counts allow, between the two intensities it has.

    A kernel without floating-point operations, or without traffic, has no place on these axes and
    is named below them.

    Args:
        points: up to nine kernels, numbered in this order; each name occurs once.
        roofs: of the device that they are compared with.
        measured: rates on that device, by the name of the kernel.
        caption: title, source, alternative text; ``roofline_caption`` gives the default.
        ax: where to draw; a new figure by default.
    """
    rates = {rate.name: rate for rate in measured if rate.flop_per_s > 0}
    kernels = [
        _place(number, point, roofs, rates.get(point.name))
        for number, point in enumerate(points, start=1)
        if _has_place(point)
    ]
    ax = style.new_axes(max(4.2, 2.2 + 0.36 * len(kernels))) if ax is None else ax
    write_caption(ax, caption or roofline_caption(points, roofs, measured))
    reached = [rates[k.name].flop_per_s / TERA for k in kernels if k.name in rates]
    _set_axes(ax, kernels, roofs, reached)
    _draw_roofs(ax, roofs)
    name_roofs(ax, kernels, roofs)
    for kernel in kernels:
        _draw_kernel(ax, kernel)
        if kernel.name in rates:
            _draw_measured(ax, kernel, rates[kernel.name])
    if kernels:
        write_labels(ax, kernels)
        number_marks(ax, kernels)
    return ax


def roofline_caption(
    points: Sequence[RooflinePoint], roofs: Roofs, measured: Sequence[MeasuredRate] = ()
) -> Caption:
    """The default texts of ``plot_roofline``; ``dataclasses.replace`` changes one of them."""
    rates = {rate.name: rate for rate in measured}
    said = " ".join(_say(point, roofs, rates.get(point.name)) for point in points)
    absent = [point.name for point in points if not _has_place(point)]
    source = f"{_KEY}{COMPUTED}"
    for device, is_own in dict.fromkeys((rate.device, rate.is_own) for rate in measured):
        source += f"\n{'Star' if is_own else 'Cross'}: measured on {_whose(device, is_own)}."
    if absent:
        source += f"\nNot on these axes, without FLOP or without traffic: {', '.join(absent)}."
    alt = (
        f"Roofline of the {roofs.device} on logarithmic axes: FLOP/s over FLOP/byte, with a flat "
        f"roof at {format_quantity(roofs.flop_per_s, 'FLOP/s')} and two slanted ones, L1 at "
        f"{format_quantity(roofs.l1_bytes_per_s, 'B/s')} and device memory at "
        f"{format_quantity(roofs.memory_bytes_per_s, 'B/s')}. {said} {COMPUTED}"
    )
    title = f"Under the roofs of the {roofs.device}"
    return Caption(title=title, alt=alt, source=source, x="FLOP/byte", y="TFLOP/s")


def _marks(point: RooflinePoint) -> tuple[tuple[str, float], ...]:
    """The roofs under which it has traffic, and its intensity there."""
    both = ((L1, point.l1_intensity), (DEVICE_MEMORY, point.memory_intensity))
    return tuple((roof, intensity) for roof, intensity in both if intensity)


def _has_place(point: RooflinePoint) -> bool:
    return bool(_marks(point))


def _place(
    number: int, point: RooflinePoint, roofs: Roofs, rate: MeasuredRate | None
) -> PlottedKernel:
    reached = ""
    if rate is not None:
        share = percent(rate.flop_per_s / roofs.flop_per_s)
        reached = f"; {'yours' if rate.is_own else 'measured'} {share}"
    return PlottedKernel(
        number=number,
        name=point.name,
        marks=_marks(point),
        y=point.attainable_flop_per_s(roofs) / TERA,
        limit=point.limit(roofs),
        share=point.attainable_share(roofs),
        reached=reached,
    )


def _set_axes(
    ax: Axes, kernels: Sequence[PlottedKernel], roofs: Roofs, measured: Sequence[float]
) -> None:
    peak, memory = roofs.flop_per_s / TERA, roofs.memory_bytes_per_s / TERA
    across = [roofs.l1_ridge, roofs.memory_ridge, *(x for k in kernels for _, x in k.marks)]
    # So low that the roof of device memory starts below the lowest kernel, with room for its name.
    floor = min([peak / 30, *(kernel.y for kernel in kernels), *measured]) / 2.4
    ax.set_xscale("log")
    ax.set_yscale("log")
    # So far to the left that the name of the L1 roof has room beside it, too.
    low = min(min(across) / 2, 0.9 * floor / memory, roofs.l1_ridge / 15)
    ax.set_xlim(low, max(across) * 2)
    ax.set_ylim(floor, max([peak, *measured]) * 2.2)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(LogLocator(base=10, numticks=9))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: write_decade(value)))
    ax.grid(axis="x", color=style.FAINT, linewidth=0.8)


def _draw_roofs(ax: Axes, roofs: Roofs) -> None:
    peak, (low, high), floor = roofs.flop_per_s / TERA, ax.get_xlim(), ax.get_ylim()[0]
    for name, bytes_per_s, ridge, dashes in (
        (L1, roofs.l1_bytes_per_s, roofs.l1_ridge, (1, 0)),
        (DEVICE_MEMORY, roofs.memory_bytes_per_s, roofs.memory_ridge, (6, 2)),
    ):
        start = max(low, floor * TERA / bytes_per_s)
        y = [start * bytes_per_s / TERA, peak]
        ax.plot([start, ridge], y, color=COLORS[name], lw=2, dashes=dashes, zorder=2)
    ax.plot([roofs.l1_ridge, high], [peak, peak], color=COLORS[ARITHMETIC], lw=2, zorder=2)


def _draw_kernel(ax: Axes, kernel: PlottedKernel) -> None:
    """Its marks, joined; a dotted line leads on to the label."""
    y, right = kernel.y, ax.get_xlim()[1]
    across = [x for _, x in kernel.marks]
    ax.plot(across, [y] * len(across), color=style.INK, lw=1.2, zorder=3)
    ax.plot([across[-1], right], [y, y], color=style.QUIET, lw=0.8, ls=":", zorder=1.6)
    for roof, x in kernel.marks:
        ax.plot(
            [x],
            [y],
            "o" if roof == L1 else "s",
            # A circle that falls on its square leaves the square's color in sight.
            markersize=7 if roof == L1 else 10,
            markeredgecolor=style.INK,
            markeredgewidth=1.4,
            markerfacecolor=COLORS[roof] if roof == kernel.limit else style.GROUND,
            zorder=4 if roof == L1 else 3.5,
        )


def _draw_measured(ax: Axes, kernel: PlottedKernel, rate: MeasuredRate) -> None:
    """Below the mark that limits: how far the kernel is from what its counts allow."""
    x = dict(kernel.marks).get(kernel.limit, kernel.marks[0][1])
    y = rate.flop_per_s / TERA
    ax.plot([x, x], [y, kernel.y], color=style.INK, lw=0.8, ls=":", zorder=2.5)
    ax.plot(
        [x],
        [y],
        "*" if rate.is_own else "X",
        markersize=11 if rate.is_own else 8,
        color=style.ORANGE,
        markeredgecolor=style.INK,
        markeredgewidth=0.8,
        zorder=5,
    )


def _say(point: RooflinePoint, roofs: Roofs, rate: MeasuredRate | None) -> str:
    if not _has_place(point):
        return f"{point.name}: without FLOP or without traffic, so not drawn."
    where = {L1: "through L1", DEVICE_MEMORY: "of device memory"}
    per = " and ".join(f"{x:.3g} FLOP/byte {where[roof]}" for roof, x in _marks(point))
    text = (
        f"{point.name}: {per}, at most "
        f"{format_quantity(point.attainable_flop_per_s(roofs), 'FLOP/s')} or "
        f"{percent(point.attainable_share(roofs))} of the peak, limited by {point.limit(roofs)}"
    )
    if rate is None:
        return f"{text}."
    reached = format_quantity(rate.flop_per_s, "FLOP/s")
    return f"{text}; measured on {_whose(rate.device, rate.is_own)}: {reached}."


def _whose(device: str, is_own: bool) -> str:
    return f"{device} (yours)" if is_own else device
