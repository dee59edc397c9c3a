"""The workers of a data loader, on a virtual clock: how many batches a second reach the device?

The model follows ``torch.utils.data.DataLoader`` with batches in order: batch i is handed to worker
i modulo ``workers``, ``prefetch`` batches for each worker are under way at a time, and a new one is
handed out when the main process has taken one. Without workers, the main process does everything
itself.

What it simplifies: a worker's batch reaches the main process at no cost, every worker starts at
once, and the main process does nothing else while it copies and steps.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.clock.moments import Moment
from gpuedu.clock.resources import Channel, Resource
from gpuedu.clock.timeline import Timeline
from gpuedu.clock.virtual import VirtualClock

Times = float | Sequence[float]
"""Seconds: one number for every batch, or one for each in turn, repeated from the start."""


@dataclass(frozen=True)
class Loading:
    """The stages of a batch, in seconds, and what the workers share.

    Attributes:
        read_s: from the disk, which serves ``disk_channels`` batches at a time.
        decode_s: on a core; there are ``cores`` of them, or one per worker for None.
        copy_s: to the device, by the main process.
        step_s: the training step, for which the main process waits.
    """

    read_s: Times
    decode_s: Times
    step_s: Times
    copy_s: Times = 0.0
    disk_channels: int = 1
    cores: int | None = None


@dataclass(frozen=True)
class LoadingRun:
    """``taken_s`` is when the main process had each batch, ``done_s`` when its step was done."""

    timeline: Timeline
    taken_s: tuple[float, ...]
    done_s: tuple[float, ...]

    @property
    def batches_per_s(self) -> float:
        """Steps a second over the second half of the run, where its start no longer matters."""
        half = len(self.done_s) // 2
        return (len(self.done_s) - half) / (self.done_s[-1] - self.done_s[half - 1])

    @property
    def waited_s(self) -> float:
        """How long the main process waited for batches, the first included."""
        return round(sum(one.duration_s for one in self.timeline.on("main", "wait")), 9)


def simulate_loading(
    loading: Loading, workers: int, *, batches: int = 64, prefetch: int = 2
) -> LoadingRun:
    """Run ``batches`` batches through the stages with this many workers.

    Lanes of the timeline: "main", "worker 0" and so on, "compute". ValueError for fewer than 2
    batches, fewer than 0 workers, or a prefetch below 1.

    >>> loading = Loading(read_s=2e-3, decode_s=10e-3, step_s=4e-3)
    >>> [round(simulate_loading(loading, workers).batches_per_s) for workers in range(5)]
    [62, 83, 167, 250, 250]
    """
    if batches < 2 or workers < 0 or prefetch < 1:
        raise ValueError(
            f"{batches=} (at least 2), {workers=} (at least 0), {prefetch=} (at least 1)"
        )
    return _Loader(loading, workers, batches, prefetch).run()


class _Loader:
    def __init__(self, loading: Loading, workers: int, batches: int, prefetch: int) -> None:
        self.loading, self.batches = loading, batches
        self.clock = clock = VirtualClock()
        self.disk = Resource(clock, "disk", loading.disk_channels)
        self.cores = Resource(clock, "cores", loading.cores or max(workers, 1))
        self.orders = [Channel(clock, f"orders of worker {one}") for one in range(workers)]
        self.made = [clock.moment(f"batch {one}") for one in range(batches)]
        self.ordered = 0
        self.ahead = prefetch * workers
        self.taken_s: list[float] = []
        self.done_s: list[float] = []

    def run(self) -> LoadingRun:
        for one, orders in enumerate(self.orders):
            name = f"worker {one}"
            self.clock.start(self.work(orders, name), name, is_server=True)
        self.clock.start(self.train(), "main")
        self.clock.run()
        return LoadingRun(self.clock.timeline, tuple(self.taken_s), tuple(self.done_s))

    def order(self) -> None:
        """Hand the next batch out to the worker whose turn it is."""
        if self.orders and self.ordered < self.batches:
            self.orders[self.ordered % len(self.orders)].put(self.ordered)
            self.ordered += 1

    def work(self, orders: Channel, lane: str) -> Generator[Moment, Any, None]:
        while True:
            batch = yield orders.get()
            yield from self.make(batch, lane)
            self.made[batch].happen()

    def make(self, batch: int, lane: str) -> Generator[Moment, Any, None]:
        label = f"batch {batch}"
        read_s, decode_s = _at(self.loading.read_s, batch), _at(self.loading.decode_s, batch)
        yield from self.disk.use(read_s, "read", lane=lane, label=label)
        yield from self.cores.use(decode_s, "work", lane=lane, label=label)

    def train(self) -> Generator[Moment, Any, None]:
        clock = self.clock
        for _ in range(self.ahead):
            self.order()
        for batch in range(self.batches):
            label = f"batch {batch}"
            if self.orders:
                began_s = clock.now()
                yield self.made[batch]
                if clock.now() > began_s:
                    clock.record("main", "wait", began_s, clock.now(), label)
            else:
                yield from self.make(batch, "main")
            self.taken_s.append(clock.now())
            self.order()
            for lane, kind, times in (
                ("main", "copy", self.loading.copy_s),
                ("compute", "kernel", self.loading.step_s),
            ):
                began_s = clock.now()
                yield clock.after(_at(times, batch))
                if clock.now() > began_s:
                    clock.record(lane, kind, began_s, clock.now(), label)
            self.done_s.append(clock.now())


def _at(times: Times, batch: int) -> float:
    return times if isinstance(times, (int, float)) else times[batch % len(times)]
