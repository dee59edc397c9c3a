"""Pictures of the lesson welcome, most of them made from the learner's own code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuedu.clock import AsyncDevice
from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import number, whole_number
from gpuedu.figures.bandwidth import plot_rates
from gpuedu.figures.launch import plot_launch_share
from gpuedu.figures.timeline import plot_timeline
from gpuedu.hardware import device
from gpuedu.hardware.bandwidth import measure_bandwidth

_SHEETS = ("t4", "rtx-4090", "a100-80gb", "h200-sxm")
_TIMED = {
    "warmup": 2,
    "repeats": 4,
    "busy_s": 1.5e-3,
    "launch_s": 2e-4,
    "kernel_times_s": [4e-3, 3e-3, 1.1e-3, 1.0e-3, 2.4e-3, 1.1e-3],
}
LAUNCH_S, ELEMENTS_PER_S = 5e-6, 4800e9 / 8


def _data_sheet_rates() -> dict[str, float]:
    return {device(key).name: device(key).bandwidth_bytes_per_s for key in _SHEETS}


def draw_machine() -> Any:
    """This machine's memory beside that of GPUs."""
    here = measure_bandwidth()
    return plot_rates(
        {"this machine": here.bytes_per_s},
        _data_sheet_rates(),
        title="How fast can memory feed the arithmetic?",
        source=f"this machine: measured now, a copy of {here.size_bytes / 1e6:.0f} MB; "
        "GPUs: the peak that the data sheet prints",
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
        rates[kernel] = max(number(got, "the bandwidth"), 1e-6) * 1e9
    if not all(map(math.isfinite, rates.values())):
        raise AnswerError("the bandwidth is not a finite number")
    where = times["device"]
    return plot_rates(
        rates,
        {name: rate for name, rate in _data_sheet_rates().items() if name != where},
        title=f"Your formula, on {where}",
        source=f"filled: timed on {where}, {times['n']:,} float32 elements, turned into a rate by "
        "your function; hatched: the data sheet's peak",
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
        source="computed by your functions: a 5 us launch, float32 copied at 4,800 GB/s (H200 data "
        "sheet)",
    )


PICTURES = {
    "welcome/machine": draw_machine,
    "honest-timer": draw_honest_timer,
    "bandwidth": draw_bandwidth,
    "launch-bound": draw_launch_bound,
}
