"""Pictures of the whole catalog: what devices compute and read, and what a watt gives."""

from __future__ import annotations

from typing import Any

from gpuedu.figures.caption import Caption
from gpuedu.figures.points import Point, Ratio, plot_points
from gpuedu.hardware.catalog import Device, devices
from gpuedu.units import GB, TERA, format_quantity

_RATIOS = (1, 10, 100, 300)


def draw_catalog() -> Any:
    """The 16-bit peak of every device against its memory bandwidth."""
    points = [
        Point(one.name, one.bandwidth_bytes_per_s / GB, rate / TERA, kind_of(one))
        for one in devices()
        if (rate := best_16_bit(one))
    ]
    fewest = min(points, key=lambda one: one.y / one.x)
    most = max(points, key=lambda one: one.y / one.x)
    caption = Caption(
        title="FLOP/s against bandwidth: most devices keep to a few ratios",
        x="memory bandwidth",
        y="dense 16-bit peak (fp32 where there is none)",
        source="Data sheets, each number with its source in the catalog. Dotted: the same "
        "FLOP for each byte.",
        alt=f"{len(points)} devices by bandwidth and dense 16-bit peak, from {fewest.name} with "
        f"{fewest.y * TERA / fewest.x / GB:.0f} FLOP for each byte to {most.name} with "
        f"{most.y * TERA / most.x / GB:.0f}.",
    )
    return plot_points(
        points,
        [Ratio(f"{one} FLOP/B", one * GB / TERA) for one in _RATIOS],
        caption=caption,
        kinds=KINDS,
        format_x=lambda gb: format_quantity(gb * GB, "B/s"),
        format_y=lambda tflop: format_quantity(tflop * TERA, "FLOP/s"),
    )


def draw_per_watt() -> Any:
    """The 16-bit peak for each watt, by year."""
    points = [
        Point(one.name, float(one.year), rate / TERA / one.power_w, kind_of(one))
        for one in devices()
        if one.year and one.power_w and (rate := best_16_bit(one))
    ]
    first, last = min(points, key=lambda one: one.x), max(points, key=lambda one: one.y)
    caption = Caption(
        title="What one watt computes, by year of launch",
        x="year of launch",
        y="dense 16-bit TFLOP/s for each watt",
        source="Data sheets: peak by the power of board or chip. Real work reaches less of both.",
        alt=f"{len(points)} devices by year and dense 16-bit TFLOP/s for each watt: {first.name} "
        f"{first.y:.2g} in {first.x:.0f}, the best {last.name} {last.y:.2g} in {last.x:.0f}.",
    )
    return plot_points(
        points,
        caption=caption,
        kinds=KINDS,
        format_x=lambda year: f"{year:.0f}",
        format_y=lambda value: f"{value:g}",
        is_x_linear=True,
    )


def best_16_bit(device: Device) -> float:
    """The dense peak of bf16 or fp16, or fp32's where the device has no 16-bit one; 0 for none."""
    found = device.flop_per_s
    narrow = [found[name] for name in ("bf16", "fp16") if name in found]
    return max(narrow, default=found.get("fp32", 0.0))


KINDS = ("consumer", "professional", "data center", "AMD", "TPU", "Apple", "CPU")
"""In the order of their looks, the same in every picture."""


def kind_of(device: Device) -> str:
    """What kind of device it is, as the pictures tell them apart."""
    if device.kind in ("CPU", "TPU"):
        return device.kind
    return device.kind if device.vendor == "NVIDIA" else device.vendor
