"""Runs of a pipeline of chunks on the simulated device: copy in, kernel, copy out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuedu.clock import Buffer, Kernel, Link, Race, Stream, StreamDevice, Timeline, VirtualClock
from gpuedu.clock.engines import COMPUTE, TO_DEVICE, TO_HOST
from gpuedu.exercises.given import left_as_given
from gpuedu.units import MS

LANES = ("host", TO_DEVICE, COMPUTE, TO_HOST)
LAUNCH_S = 5e-6
_RATE = 20e9
_CHUNK, _RESULT = "chunk", "result"
_FEW = 6
"""Numbers that stand for a chunk of any size."""

Pipeline = Callable[[StreamDevice, list[Buffer], list[Buffer], Kernel], object]


@dataclass(frozen=True)
class Work:
    """So many chunks; how long each takes to the device, in the kernel, and back, in seconds."""

    chunks: int
    up_s: float
    run_s: float
    down_s: float

    @property
    def in_turn_s(self) -> float:
        """One after the other."""
        return self.chunks * (self.up_s + self.run_s + self.down_s)

    @property
    def best_s(self) -> float:
        """The busiest engine never stops, between the first chunk's way in and the last one's out.

        >>> Work(5, 2.0, 3.0, 1.0).best_s
        18.0
        """
        stages = (self.up_s, self.run_s, self.down_s)
        return sum(stages) + (self.chunks - 1) * max(stages)


SHOWN = Work(5, 2 * MS, 3 * MS, 1 * MS)
ALIKE = Work(5, 2 * MS, 2 * MS, 2 * MS)
"""Where an order that costs nothing in the one may cost much."""


@dataclass(frozen=True)
class PipelineRun:
    """What was seen of a run.

    ``got`` are the results' values when the pipeline returned, and ``came_through`` whether its
    chunk went through the kernel into each; ``issued_s`` is when the host had issued the last
    operation, ``launching_s`` how long it issues all in all; ``device_bytes`` is what was allocated
    on the device, and ``streams`` on how many streams it was given anything.
    """

    got: tuple[Any, ...]
    came_through: tuple[bool, ...]
    races: tuple[Race, ...]
    timeline: Timeline
    issued_s: float
    launching_s: float
    device_bytes: int
    streams: int
    end_s: float

    @property
    def stages(self) -> tuple[tuple[tuple[float, float], ...], ...]:
        """Copies in, kernels, copies back in their order: start and end of each."""
        return tuple(
            tuple(
                (one.start_s, one.end_s)
                for one in sorted(self.timeline.on(lane), key=lambda one: one.start_s)
            )
            for lane in (TO_DEVICE, COMPUTE, TO_HOST)
        )


class Device(StreamDevice):
    """A device that counts what is allocated on it, numbers its kernels, and follows the chunks.

    Args:
        clock: the host's, too.
        kernel: that through which the chunks are to go.
        given: as for any device.
    """

    def __init__(self, clock: VirtualClock, kernel: Kernel, **given: Any) -> None:
        super().__init__(clock, **given)
        self.device_bytes: int | float = 0
        self._kernel, self._launched = kernel, 0
        self._holds: dict[str, tuple[str, int]] = {}

    @property
    def used_streams(self) -> int:
        """How many streams were given anything."""
        return sum(one.tail is not None for one in self._streams)

    def chunk(self, size_bytes: int, number: int, values: Any) -> Buffer:
        """A chunk on the host."""
        made = self.host_buffer(size_bytes, f"in {number}", values=values)
        self._holds[made.name] = (_CHUNK, number)
        return made

    def holds_result(self, buffer: Buffer, number: int) -> bool:
        """Whether in the buffer is what the kernel made of a chunk, and copies brought there."""
        return self._holds.get(buffer.name) == (_RESULT, number)

    def buffer(self, size_bytes: int, name: str = "buffer") -> Buffer:
        """Memory of the device."""
        made = super().buffer(size_bytes, name)
        self.device_bytes += made.size_bytes
        return made

    def copy(self, to: Buffer, source: Buffer, stream: Stream | None = None) -> None:
        """Copy ``source`` to ``to``."""
        super().copy(to, source, stream)
        self._now_holds([to], self._holds.get(source.name))

    def launch(self, kernel: Kernel, **given: Any) -> None:
        """Issue a kernel, as the kernel of the next chunk."""
        named = kernel
        if isinstance(kernel, Kernel):
            named = replace(kernel, name=f"{kernel.name} {self._launched}")
            self._launched += 1
        super().launch(named, **given)
        read = [self._holds.get(one.name) for one in given.get("reads", ())]
        kind, number = read[0] if len(read) == 1 and read[0] else ("", 0)
        is_result = kernel is self._kernel and kind == _CHUNK
        self._now_holds(given.get("writes", ()), (_RESULT, number) if is_result else None)

    def use_on_host(
        self, what: str, *, reads: Sequence[Buffer] = (), writes: Sequence[Buffer] = ()
    ) -> None:
        """The host itself uses buffers: what it writes went through no kernel."""
        super().use_on_host(what, reads=reads, writes=writes)
        self._now_holds(writes, None)

    def _now_holds(self, buffers: Sequence[Buffer], what: tuple[str, int] | None) -> None:
        for one in buffers:
            self._holds.pop(one.name, None)
            if what is not None:
                self._holds[one.name] = what


def run_pipeline(pipeline: Pipeline, work: Work, values: Sequence[np.ndarray]) -> PipelineRun:
    """Run it on chunks with these values; the kernel doubles them and adds one."""
    kernel = Kernel("kernel", work.run_s, _double_plus_one)
    with VirtualClock() as clock:
        link = Link(latency_s=0.0, pinned_bytes_per_s=_RATE)
        device = Device(clock, kernel, link=link, launch_s=LAUNCH_S)
        chunks = [
            device.chunk(chunk_bytes(work), i, value.copy()) for i, value in enumerate(values)
        ]
        results = [device.host_buffer(result_bytes(work), f"out {i}") for i in range(len(values))]
        given = {"chunks": list(chunks), "results": list(results)}
        with left_as_given("pipeline", **given):
            pipeline(device, *given.values(), kernel)
        got = tuple(result.read() for result in results)
        came_through = tuple(device.holds_result(one, i) for i, one in enumerate(results))
        device.synchronize()
    launches = clock.timeline.on("host", "launch")
    return PipelineRun(
        got,
        came_through,
        device.races,
        clock.timeline,
        max((one.end_s for one in launches), default=0.0),
        sum(one.duration_s for one in launches),
        device.device_bytes,
        device.used_streams,
        max((one.end_s for one in clock.timeline.intervals if one.lane != "host"), default=0.0),
    )


def _double_plus_one(x: Any) -> Any:
    """What the kernel computes; of a buffer that nothing was copied to, nothing."""
    return None if x is None else 2 * x + 1


def chunk_bytes(work: Work) -> int:
    """How large a chunk is that takes ``up_s``."""
    return round(work.up_s * _RATE)


def result_bytes(work: Work) -> int:
    """How large a result is that takes ``down_s``."""
    return round(work.down_s * _RATE)


def some_values(rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """A few whole numbers for each chunk."""
    return [rng.integers(0, 1000, _FEW) for _ in range(count)]


def run_in_turn(device: Any, chunks: Any, results: Any, kernel: Any) -> None:
    """A pipeline that does one thing after the other, on one stream."""
    x = device.buffer(chunks[0].size_bytes, "x")
    y = device.buffer(results[0].size_bytes, "y")
    for chunk, result in zip(chunks, results, strict=True):
        device.copy(x, chunk)
        device.launch(kernel, reads=[x], writes=[y])
        device.copy(result, y)
    device.synchronize()
