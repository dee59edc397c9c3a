"""Pictures of the lesson welcome, most of them made from the learner's own code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuedu.exercises.welcome.places import draw_places
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption
from gpuedu.hardware import device
from gpuedu.hardware.bandwidth import measure_bandwidth
from gpuedu.units import GB, format_quantity

_SHEETS = ("t4", "rtx-4090", "a100-80gb", "h200-sxm")


def plot_rates(measured: Mapping[str, float], here: str, title: str, source: str) -> Any:
    """Measured rates in bytes per second, and below them what data sheets print for GPUs."""
    bars = [
        Bar(name, rate / GB, format_quantity(rate, "B/s"), style.BLUE)
        for name, rate in measured.items()
    ]
    for entry in map(device, _SHEETS):
        rate = entry.bandwidth_bytes_per_s
        text = f"{format_quantity(rate, 'B/s')} (data sheet)"
        bars.append(Bar(entry.name, rate / GB, text, style.QUIET, "///"))
    caption = Caption(
        title=title,
        x="GB/s (1 GB = 1e9 bytes; each step is a factor of ten)",
        source=source,
        alt=f"Memory bandwidth on a log axis, measured on {here} and printed in data sheets: "
        + ", ".join(f"{bar.name} {bar.text}" for bar in bars),
    )
    return plot_bars(bars, caption=caption)


def draw_machine() -> Any:
    """This machine's memory beside that of GPUs."""
    here = measure_bandwidth()
    return plot_rates(
        {"this machine": here.bytes_per_s},
        "this machine",
        "How fast can memory feed the arithmetic?",
        f"this machine: measured now, a copy of {here.size_bytes / 1e6:.0f} MB on one core; "
        "GPUs (hollow): the peak that the data sheet prints",
    )


PICTURES = {
    "welcome/machine": draw_machine,
    "welcome/places": draw_places,
}
