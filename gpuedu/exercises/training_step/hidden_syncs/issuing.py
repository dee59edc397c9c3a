"""A simulated device beside a training run: what the host issues, and what it waits for.

Every operation of PyTorch in the run is a launch on it, every hidden synchronization a wait; the
device takes the same time for each operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from gpuedu.clock import AsyncDevice, Interval, Timeline
from gpuedu.training.dispatch import DispatchWatch
from gpuedu.training.synchronizations import Synchronization, SynchronizationCounter

LAUNCH_S, KERNEL_S, FETCH_S = 5e-6, 6e-6, 10e-6
"""What an operation costs the host, what it costs the device, and how long a value is on its way.

Assumed, in the order of what GPUs take; the lesson says so.
"""
HOST, DEVICE = "host", "device"
_NAMES = {"launch": "issues", "kernel": "runs", "sync": ""}
_KINDS = {"launch": "launch", "kernel": "kernel", "sync": "wait"}


@dataclass(frozen=True)
class IssuedRun:
    """Some steps of a run: their timeline, from 0, and what was waited for in all of the run."""

    timeline: Timeline
    steps: int
    waits: int
    busy: float


class _Launches(DispatchWatch):
    """Launches a kernel on the device for each operation that computes."""

    def __init__(self, device: AsyncDevice) -> None:
        super().__init__()
        self._device = device

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        name = func.overloadpacket.__name__
        is_free = func.is_view or name.startswith(("empty", "_local_scalar", "detach", "is_"))
        if not is_free:
            self._device.launch()
        return func(*args, **(kwargs or {}))


def issue(
    train: Callable[..., Any], model: Any, optimizer: Any, batches: Any, *, first: int, steps: int
) -> IssuedRun:
    """Run ``train`` beside the device; the timeline shows ``steps`` steps from step ``first`` on.

    A step ends where the device has done what the optimizer issued. ``busy`` is the share of the
    shown time in which the device computes.
    """
    device = AsyncDevice([KERNEL_S], launch_s=LAUNCH_S, sync_s=FETCH_S)
    kinds: list[str] = []
    marks: list[float] = []

    def wait(found: Synchronization) -> None:
        kinds.append(found.kind)
        device.sync()

    def end_step(*_: Any) -> None:
        marks.append(max(event.end_s for event in device.events[-2:]))

    hook = optimizer.register_step_post_hook(end_step)
    try:
        with SynchronizationCounter(wait, stand_in=True) as counter, _Launches(device):
            train(model, optimizer, batches)
    finally:
        hook.remove()
    if len(marks) < first + steps:
        return IssuedRun(Timeline.of([]), 0, len(counter), 0.0)
    begin_s, end_s = marks[first - 1], marks[first + steps - 1]
    shown = Timeline.of(_intervals(device, kinds, begin_s, end_s))
    busy = shown.busy_s(DEVICE) / (end_s - begin_s)
    return IssuedRun(shown, steps, len(counter), busy)


def _intervals(
    device: AsyncDevice, kinds: list[str], begin_s: float, end_s: float
) -> Iterator[Interval]:
    """What host and device did between two moments; launches and kernels in a row are joined."""
    labels = iter(kinds)
    open_: dict[str, Interval] = {}
    for event in device.events:
        if event.kind not in _KINDS:
            continue
        lane = DEVICE if event.kind == "kernel" else HOST
        label = next(labels) if event.kind == "sync" else _NAMES[event.kind]
        start_s, stop_s = max(event.start_s, begin_s), min(event.end_s, end_s)
        if stop_s <= start_s:
            continue
        now = Interval(lane, _KINDS[event.kind], start_s - begin_s, stop_s - begin_s, label)
        last = open_.get(lane)
        if last and last.kind == now.kind != "wait" and now.start_s - last.end_s < 1e-9:
            now = Interval(lane, now.kind, last.start_s, now.end_s, label)
        elif last:
            yield last
        open_[lane] = now
    yield from open_.values()
