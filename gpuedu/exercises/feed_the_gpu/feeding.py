"""A loader that feeds a device through a queue, on the simulated clock.

The loader makes one batch after the other and puts each into a queue of ``depth`` places, waiting
while it is full. The device takes a batch, computes its step, takes the next. Taking and putting
cost nothing.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.clock import Timeline, VirtualClock
from gpuedu.clock.moments import Moment
from gpuedu.clock.resources import Channel

STANDS = "in the queue"
"""The kind of an interval in which a batch waits to be taken."""


@dataclass(frozen=True)
class Feeding:
    """What was simulated: when each step was done, in seconds, and who did what when."""

    done_s: tuple[float, ...]
    timeline: Timeline

    @property
    def stall_share(self) -> float:
        """Share of the time until the last step was done in which the device had nothing to do."""
        return 1 - self.timeline.busy_s("device") / self.done_s[-1]


def feed(loads_s: Sequence[float], computes_s: Sequence[float], depth: int) -> Feeding:
    """Run the loader and the device side by side; ``depth`` is at least 1.

    Lanes of the timeline: "loader", "queue" (each batch while it stands there) and "device".

    >>> feed([2.0, 2.0, 9.0], [3.0, 3.0, 3.0], depth=1).done_s
    (5.0, 8.0, 16.0)
    """
    clock = VirtualClock()
    queue = Channel(clock, "the queue", depth)
    done_s: list[float] = []
    entered_s: list[float] = []

    def load() -> Generator[Moment, Any, None]:
        for batch, time_s in enumerate(loads_s):
            yield from _spend(clock, "loader", "read", time_s, batch)
            yield from _wait(clock, "loader", queue.put(batch))
            entered_s.append(clock.now())

    def compute() -> Generator[Moment, Any, None]:
        for time_s in computes_s:
            batch = yield from _wait(clock, "device", queue.get())
            taken_s = clock.now()
            if batch < len(entered_s) and taken_s > entered_s[batch]:
                clock.record("queue", STANDS, entered_s[batch], taken_s, str(batch))
            yield from _spend(clock, "device", "kernel", time_s, batch)
            done_s.append(clock.now())

    clock.start(load(), "loader")
    clock.start(compute(), "device")
    clock.run()
    return Feeding(tuple(done_s), clock.timeline)


def feed_in_turn(loads_s: Sequence[float], computes_s: Sequence[float]) -> Feeding:
    """The same without a queue: load, compute, load, compute."""
    clock = VirtualClock()
    done_s: list[float] = []

    def work() -> Generator[Moment, Any, None]:
        for batch, (load_s, compute_s) in enumerate(zip(loads_s, computes_s, strict=True)):
            yield from _spend(clock, "loader", "read", load_s, batch)
            yield from _spend(clock, "device", "kernel", compute_s, batch)
            done_s.append(clock.now())

    clock.start(work(), "loop")
    clock.run()
    return Feeding(tuple(done_s), clock.timeline)


def _spend(
    clock: VirtualClock, lane: str, kind: str, time_s: float, batch: int
) -> Generator[Moment, Any, None]:
    began_s = clock.now()
    yield clock.after(time_s)
    clock.record(lane, kind, began_s, clock.now(), str(batch))


def _wait(clock: VirtualClock, lane: str, moment: Moment) -> Generator[Moment, Any, Any]:
    began_s = clock.now()
    value = yield moment
    if clock.now() > began_s:
        clock.record(lane, "wait", began_s, clock.now())
    return value
