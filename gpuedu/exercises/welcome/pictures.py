"""Pictures of the lesson welcome, most of them made from the learner's own code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuedu.clock import AsyncDevice
from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import number, whole_number
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption
from gpuedu.figures.launch import plot_launch_share
from gpuedu.figures.timeline import plot_timeline
from gpuedu.hardware import device
from gpuedu.hardware.bandwidth import measure_bandwidth
from gpuedu.units import GB, format_quantity

_SHEETS = ("t4", "rtx-4090", "a100-80gb", "h200-sxm")
_TIMED = {
    "warmup": 2,
    "repeats": 4,
    "busy_s": 1.5e-3,
    "launch_s": 2e-4,
    "kernel_times_s": [4e-3, 3e-3, 1.1e-3, 1.0e-3, 2.4e-3, 1.1e-3],
}
LAUNCH_S, ELEMENTS_PER_S = 5e-6, 4800e9 / 8


def _plot_rates(measured: Mapping[str, float], here: str, title: str, source: str) -> Any:
    """Measured rates in bytes per second, and below them what data sheets print of GPUs."""
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
        x="GB/s (1 GB = 1e9 bytes; each step is ten times)",
        source=source,
        alt=f"Bar chart of memory bandwidth, measured on {here} and printed in data sheets: "
        + ", ".join(f"{bar.name} {bar.text}" for bar in bars),
    )
    return plot_bars(bars, caption=caption)


def draw_machine() -> Any:
    """This machine's memory beside that of GPUs."""
    here = measure_bandwidth()
    return _plot_rates(
        {"this machine": here.bytes_per_s},
        "this machine",
        "How fast can memory feed the arithmetic?",
        f"this machine: measured now, a copy of {here.size_bytes / 1e6:.0f} MB on one core; "
        "GPUs (hatched): the peak that the data sheet prints",
    )


class _WatchedDevice(AsyncDevice):
    """A device that also keeps when the clock was read."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.read_at_s: list[float] = []

    def now(self) -> float:
        """The host's clock; the reading is kept."""
        self.read_at_s.append(super().now())
        return self.read_at_s[-1]


def draw_honest_timer(median_time_s: Callable[..., float]) -> Any:
    """What the learner's watch saw of a device that was busy when it began."""
    watched = _WatchedDevice(
        _TIMED["kernel_times_s"], launch_s=_TIMED["launch_s"], busy_s=_TIMED["busy_s"]
    )
    median_time_s(watched.launch, watched.sync, _TIMED["warmup"], _TIMED["repeats"], watched.now)
    readings = watched.read_at_s
    if not readings:
        raise AnswerError("your watch never read `now()`, so it saw nothing")
    spans = list(zip(readings[::2], readings[1::2], strict=False))
    return plot_timeline(watched.events, spans, warmup=_TIMED["warmup"] + 1)


def draw_bandwidth(bandwidth_gb_per_s: Callable[..., float], times: Mapping[str, Any]) -> Any:
    """The four kernels on this machine, by the learner's formula."""
    if "copy" not in times:
        raise AnswerError(
            "there are no times to draw", remedy='run `times = measure("bandwidth")` first'
        )
    rates = {}
    for kernel in ("copy", "scale", "add", "triad"):
        got = bandwidth_gb_per_s(kernel, times["n"], times["itemsize"], times[kernel])
        rates[kernel] = number(got, "the bandwidth") * GB
    if not all(map(math.isfinite, rates.values())):
        raise AnswerError("the bandwidth is not a finite number")
    where = times["device"]
    return _plot_rates(
        rates,
        where,
        f"Your formula, on {where}",
        f"solid: {times['n']:,} float32 elements timed on {where}, turned into a rate by your "
        "function; hatched: data sheets",
    )


def draw_launch_bound(
    launch_share: Callable[..., float], elements_for_share: Callable[..., int]
) -> Any:
    """The share by size from the learner's first function, points from the second."""
    sizes = np.geomspace(1e4, 1e10, 61)
    shares = [
        number(launch_share(LAUNCH_S, ELEMENTS_PER_S, float(size)), "the share") for size in sizes
    ]
    marked = [
        (max(whole_number(elements_for_share(LAUNCH_S, ELEMENTS_PER_S, share)), 1), share)
        for share in (0.5, 0.1, 0.01)
    ]
    return plot_launch_share(
        sizes,
        shares,
        marked,
        source="computed by your functions: a 5 µs launch, float32 copied at 4,800 GB/s (H200 data "
        "sheet)",
    )


PICTURES = {
    "welcome/machine": draw_machine,
    "honest-timer": draw_honest_timer,
    "bandwidth": draw_bandwidth,
    "launch-bound": draw_launch_bound,
}
