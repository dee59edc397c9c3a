"""Pictures of the lesson cupy that belong to none of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.clock import AsyncDevice, DeviceEvent
from gpuedu.exercises.cupy.recorded import draw_recorded_cupy
from gpuedu.exercises.cupy.stay_on_device.picture import draw_journey
from gpuedu.figures.caption import Caption
from gpuedu.figures.queues import plot_queues


def draw_asynchrony() -> Any:
    """Four steps of a loop: with a value asked for in each, and with one at the end."""
    programs = [
        ("float(loss) in each step", _loop_events(wait_each=True)),
        ("float(loss) after the last step", _loop_events(wait_each=False)),
    ]
    ends = [1e3 * events[-1].end_s for _, events in programs]
    caption = Caption(
        title="If you ask for a value, you wait, and then the device waits for you",
        x="simulated time (ms); a step: 1 ms to prepare on the host, a kernel of 1.5 ms",
        source="A simulated device with one queue. Not a measurement.",
        alt=f"Two timelines of host and device, four steps each. With a wait in each step host and "
        f"device take turns, {ends[0]:.1f} ms; with one wait at the end the kernels follow each "
        f"other, {ends[1]:.1f} ms.",
    )
    return plot_queues(programs, caption=caption)


def _loop_events(*, wait_each: bool) -> Sequence[DeviceEvent]:
    device = AsyncDevice([1.5e-3], launch_s=1e-3)
    for _ in range(4):
        device.launch()
        if wait_each:
            device.sync()
    if not wait_each:
        device.sync()
    return device.events


PICTURES = {
    "cupy/detours": draw_journey,
    "cupy/asynchrony": draw_asynchrony,
    "cupy/recorded": draw_recorded_cupy,
}
