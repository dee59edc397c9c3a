"""transfer-size: fitted times as its picture; pinned memory and recorded times beside it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.clock import Kernel, Link, StreamDevice, Timeline, VirtualClock
from gpuedu.exercises.feed_the_gpu.transfer_size.copy_times import SHOWN, SIZES, CopyCost, scattered
from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Lines
from gpuedu.exercises.plain import numbers
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.figures.lanes import plot_lane_groups
from gpuedu.units import MS, US, format_quantity, format_size, format_time

_SEED, _REPEATS = 2, 3
BATCHES, BATCH_BYTES = 4, 40_000_000
PREPARE_S, STEP_S = 4 * MS, 3 * MS
LANES = ("host", "copy to device", "compute")


def draw_fit(fit: Callable[..., Any]) -> Any:
    """The given times as dots, and the learner's line through them."""
    sizes = np.array([float(size) for size in SIZES for _ in range(_REPEATS)])
    times = np.array(scattered(np.random.default_rng(_SEED), SHOWN, sizes.tolist()))
    latency_s, rate = (float(n) for n in numbers(fit(sizes.copy(), times.copy()), 2, "the fit"))
    cost = CopyCost(latency_s, rate)
    across = np.geomspace(SIZES[0], SIZES[-1], 60).tolist()
    line = [cost.time_s(size) / US if rate else math.nan for size in across]
    said = f"{_time(latency_s)} and {format_quantity(rate, 'B/s')}"
    curves = [
        Curve("given times", tuple(sizes), tuple(times / US), style.ORANGE, dots=True),
        Curve("the fit", tuple(across), tuple(line), style.BLUE, has_marks=False),
    ]
    caption = Caption(
        title=f"Times of copies, and a fit: {said}",
        x="bytes",
        y="time (µs)",
        source="Times: 10 µs and 20 GB/s, each off by 6 to 12% at random; made up, not measured.",
        alt=f"Times of copies from 1 KiB to 64 MiB on logarithmic axes, from about 10 µs up to "
        f"about {max(times) / US:,.0f} µs, and the fitted line, {said}: {_told(line)}.",
    )
    return plot_curves(curves, caption=caption)


def _told(line: list[float]) -> str:
    if not math.isfinite(line[0]):
        return "it gives no times"
    below = sum(value <= 0 for value in line)
    ends = f"from {line[0]:,.4g} µs to {line[-1]:,.4g} µs"
    return f"{ends}, not drawn where it is negative" if below else ends


def _time(time_s: float) -> str:
    return format_time(time_s) if time_s > 0 else f"{time_s / US:.3g} µs"


def draw_pinned() -> Any:
    """A loop that sends its batches in three ways, on the simulated clock."""
    ways = [
        ("ordinary (pageable) memory", False, True),
        ("pinned memory", True, True),
        ("pinned memory, non_blocking=True", True, False),
    ]
    groups, told = [], []
    for name, pinned, waits in ways:
        timeline = send_batches(pinned=pinned, waits=waits)
        said = f"{name}: {timeline.end_s / MS:.0f} ms"
        told.append(said)
        groups.append((said, timeline))
    link = Link()
    caption = Caption(
        title="Pinned memory is copied faster, and need not be waited for",
        x="simulated time",
        source=f"Simulated: batches of {BATCH_BYTES / 1e6:g} MB at "
        f"{link.pageable_bytes_per_s / 1e9:g} GB/s (pageable), "
        f"{link.pinned_bytes_per_s / 1e9:g} GB/s (pinned); "
        f"{PREPARE_S / MS:g} ms of work on the host, {STEP_S / MS:g} ms on the device.",
        alt="Timelines of host, copies and kernels for four batches. " + "; ".join(told) + ". "
        "Only in the last one does the host prepare the next batch while the copy runs; there the "
        "device is never idle, and a copy waits for the step before it.",
    )
    return plot_lane_groups(groups, caption=caption, lanes=LANES)


def send_batches(*, pinned: bool, waits: bool) -> Timeline:
    """Prepare a batch, copy it, launch a step; ``waits``: the host waits for every copy."""
    with VirtualClock() as clock:
        device = StreamDevice(clock, launch_s=0.0)
        x = device.buffer(BATCH_BYTES, "x")
        for i in range(BATCHES):
            clock.work(PREPARE_S, "work", lane="host", label=f"batch {i}")
            batch = device.host_buffer(BATCH_BYTES, f"batch {i}", pinned=pinned)
            device.copy(x, batch)
            if waits:
                device.default_stream.synchronize()
            device.launch(Kernel(f"step {i}", STEP_S), reads=[x])
        device.synchronize()
    return clock.timeline


_RECORDED = Lines(
    "host-device-copies",
    "One copy to the device",
    "copies by size",
    {memory: {"memory": memory, "direction": "to device"} for memory in ("pinned", "pageable")},
    field="size_bytes",
    x="size",
    y="time (µs)",
    unit="µs",
    value=lambda row: row["median"] / US,
    format_x=format_size,
)


def draw_recorded_copies() -> Any:
    """Times of copies by size as recorded on GPUs; a sentence where there are none."""
    return draw_recorded("Copies by size", "copies by size", (_RECORDED,))


PICTURE = draw_fit
