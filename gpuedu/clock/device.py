"""A simulated asynchronous device: a host, one queue, and a clock that only these two move.

Time is judged by it instead of a stopwatch, so a verdict is exact and never flaky.

What it simplifies: one stream, kernels run one after another in the order of their launches, the
queue never fills up, and a launch, a synchronization and a reading of the clock each cost the host
a fixed time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class DeviceEvent:
    """Something that took time, in seconds; ``kind`` is launch, kernel, sync or now."""

    kind: str
    start_s: float
    end_s: float

    @property
    def duration_s(self) -> float:
        """How long it took."""
        return self.end_s - self.start_s


class AsyncDevice:
    """A device whose kernels take the times that ``kernel_times_s`` yields, one after another.

    Args:
        kernel_times_s: durations of the kernels in launch order, in seconds; the last one repeats.
        launch_s: what a launch costs the host; the kernel itself runs later.
        sync_s: what a synchronization costs the host beyond the waiting.
        now_s: what reading the clock costs the host.
        busy_s: work that is already queued when the simulation starts.

    >>> device = AsyncDevice([1e-3], launch_s=1e-5)
    >>> device.launch(); f"{device.now():.6f}"   # the host goes on before the kernel is done
    '0.000010'
    >>> device.sync(); f"{device.now():.6f}"
    '0.001010'
    """

    def __init__(
        self,
        kernel_times_s: list[float],
        *,
        launch_s: float = 5e-6,
        sync_s: float = 0.0,
        now_s: float = 0.0,
        busy_s: float = 0.0,
    ) -> None:
        if not kernel_times_s or min(kernel_times_s) < 0:
            raise ValueError("kernel_times_s needs at least one duration, none negative")
        self._times = self._repeat_last(kernel_times_s)
        self._launch_s, self._sync_s, self._now_s = launch_s, sync_s, now_s
        self.host_s = 0.0
        self._free_at_s = busy_s
        self.events: list[DeviceEvent] = [DeviceEvent("kernel", 0.0, busy_s)] if busy_s else []

    @staticmethod
    def _repeat_last(times_s: list[float]) -> Iterator[float]:
        yield from times_s
        while True:
            yield times_s[-1]

    def _spend(self, kind: str, duration_s: float) -> None:
        self.events.append(DeviceEvent(kind, self.host_s, self.host_s + duration_s))
        self.host_s += duration_s

    def launch(self) -> None:
        """Queue a kernel and return at once, as a kernel launch does."""
        self._spend("launch", self._launch_s)
        start_s = max(self.host_s, self._free_at_s)
        self._free_at_s = start_s + next(self._times)
        self.events.append(DeviceEvent("kernel", start_s, self._free_at_s))

    def sync(self) -> None:
        """Wait until every queued kernel is done."""
        self._spend("sync", max(self._free_at_s - self.host_s, 0.0) + self._sync_s)

    def now(self) -> float:
        """The host's clock in seconds."""
        self._spend("now", self._now_s)
        return self.host_s
