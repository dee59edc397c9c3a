"""A simulated device with streams, events and engines, on a virtual clock.

The host issues copies and kernels to streams. A stream runs its operations in order; operations of
different streams overlap where their engines allow: one engine copies to the device, one copies
back, one computes. What no event orders is a race, and is reported.

What it simplifies: a kernel fills the device, so one runs at a time; an engine takes operations in
the order in which they become ready; a copy between the device and ordinary (pageable) host memory
blocks the host until it is done; a stream's queue never fills up; no stream waits for the default
stream by itself, as streams made by PyTorch do not. The CUDA Runtime API (section "API
synchronization behavior") says when copies wait for the host: from pageable memory they may return
once the bytes are staged. All threads of the host count as one agent for races.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from numbers import Integral, Real
from typing import Any

from gpuedu.clock.buffers import DEVICE, HOST, Buffer, Kernel
from gpuedu.clock.engines import COMPUTE, TO_DEVICE, TO_HOST, engine_of, refuse_host_memory
from gpuedu.clock.moments import Moment
from gpuedu.clock.races import Known, Race, RaceDetector, Use, join
from gpuedu.clock.resources import Resource
from gpuedu.clock.transfers import Link
from gpuedu.clock.virtual import VirtualClock
from gpuedu.errors import AnswerError

_MOST_BYTES = 2**63
_BUFFER_WANTED = "this needs a buffer, made by `device.buffer(size_bytes)`"


class Stream:
    """A queue of the device; made by ``device.stream``."""

    def __init__(self, device: StreamDevice, name: str) -> None:
        self.name, self.device = name, device
        self.agent = f"stream {name!r}"
        self.known: Known = {}
        self.count = 0
        self.tail: Moment | None = None

    def wait_event(self, event: StreamEvent) -> None:
        """Hold back what is issued after this until ``event``, as last recorded, is done.

        An event that was never recorded holds nothing back, as on a real device.
        """
        _require(event, StreamEvent, "`wait_event` takes an event, made by `device.event()`")
        self.device.require_own(event)
        if event.done is not None:
            self.known = join(self.known, event.known)
            self.device.enqueue(self, wait_for=event.done)

    def synchronize(self) -> None:
        """Make the host wait until everything on this stream is done."""
        self.device.wait_on_host(self.tail, self.known)


class StreamEvent:
    """A mark in a stream; made by ``device.event``."""

    def __init__(self, device: StreamDevice) -> None:
        self.device = device
        self.done: Moment | None = None
        self.known: Known = {}

    def record(self, stream: Stream | None = None) -> None:
        """Mark everything issued to ``stream`` up to now (the default stream)."""
        stream = self.device.stream_or_default(stream)
        self.known = join(stream.known, self.device.host_known)
        self.done = self.device.enqueue(stream)

    def synchronize(self) -> None:
        """Make the host wait until what was marked is done; not at all if nothing was."""
        self.device.wait_on_host(self.done, self.known)

    def query(self) -> bool:
        """Whether what was marked is done; if so, the host knows it from then on."""
        self.device.clock.glance()
        is_done = self.done is None or self.done.happened
        if is_done:
            self.device.wait_on_host(None, self.known)
        return is_done


class StreamDevice:
    """The device. ``races`` are its races so far; times are on ``clock.timeline``.

    Args:
        clock: shared with the host's threads; the caller is the host.
        link: what copies cost.
        launch_s: what issuing an operation costs the host.

    >>> with VirtualClock() as clock:
    ...     link = Link(latency_s=0.0, pinned_bytes_per_s=1e9)
    ...     device = StreamDevice(clock, link=link, launch_s=0.0)
    ...     copying, computing = device.stream("copying"), device.stream("computing")
    ...     batch, x = device.host_buffer(10**6, "batch"), device.buffer(10**6, "x")
    ...     device.copy(x, batch, copying)
    ...     device.launch(Kernel("train", 2e-3), reads=[x], stream=computing)
    ...     device.synchronize()
    >>> clock.now(), [str(race.kind) for race in device.races]
    (0.002, ['read after write'])
    """

    def __init__(
        self, clock: VirtualClock, *, link: Link | None = None, launch_s: float = 5e-6
    ) -> None:
        self.clock, self.link = clock, link or Link()
        self._launch_s = launch_s
        self._engines = {name: Resource(clock, name) for name in (TO_DEVICE, TO_HOST, COMPUTE)}
        self._streams: list[Stream] = []
        self._names: dict[tuple[str, str], int] = {}
        self._detector = RaceDetector()
        self.host_known: Known = {}
        self._host_count = 0
        self.default_stream = self.stream("default")

    @property
    def races(self) -> tuple[Race, ...]:
        """The races among what was issued up to now."""
        return tuple(self._detector.races)

    def stream(self, name: str = "stream") -> Stream:
        """A new stream."""
        self._streams.append(Stream(self, self._unique("stream", name)))
        return self._streams[-1]

    def event(self) -> StreamEvent:
        """A new event, not yet recorded."""
        return StreamEvent(self)

    def buffer(self, size_bytes: int, name: str = "buffer") -> Buffer:
        """Memory of the device."""
        return Buffer(self._unique("buffer", name), _size(size_bytes), DEVICE, False, self)

    def host_buffer(
        self, size_bytes: int, name: str = "batch", *, pinned: bool = True, values: Any = None
    ) -> Buffer:
        """Memory of the host, page-locked (pinned) or not."""
        name = self._unique("buffer", name)
        return Buffer(name, _size(size_bytes), HOST, pinned, self, values)

    def copy(self, to: Buffer, source: Buffer, stream: Stream | None = None) -> None:
        """Copy ``source`` to ``to``, one of them on the host, in the order of ``stream``.

        With pinned host memory the host goes on at once; otherwise it waits for the copy.
        """
        self.require_own(to, source)
        engine = engine_of(to, source)
        stream = self.stream_or_default(stream)
        pinned = (to if to.place == HOST else source).pinned
        time_s = self.link.time_s(source.size_bytes, pinned=pinned)
        what = f"the copy of {source.name!r} to {to.name!r}"
        done = self._issue(stream, what, engine, time_s, "copy", [source], [to])
        to.values = source.values.copy() if hasattr(source.values, "copy") else source.values
        if not pinned:
            self.wait_on_host(done, stream.known)

    def launch(
        self,
        kernel: Kernel,
        *,
        reads: Sequence[Buffer] = (),
        writes: Sequence[Buffer] = (),
        stream: Stream | None = None,
    ) -> None:
        """Issue a kernel that reads and writes these buffers, in the order of ``stream``."""
        _require(kernel, Kernel, "`launch` takes a kernel first")
        self.require_own(*reads, *writes)
        refuse_host_memory(kernel, (*reads, *writes))
        stream = self.stream_or_default(stream)
        what = f"kernel {kernel.name!r}"
        self._issue(stream, what, COMPUTE, kernel.time_s, "kernel", reads, writes)
        if kernel.run is None:
            return
        # Values follow the order of issue: where there is no race, every legal run gives these.
        made = kernel.run(*(buffer.values for buffer in reads))
        for buffer, values in zip(writes, kernel.results(made, len(writes)), strict=True):
            buffer.values = values

    def synchronize(self) -> None:
        """Make the host wait until everything that was issued is done."""
        for stream in self._streams:
            stream.synchronize()

    # What buffers, streams and events call

    def stream_or_default(self, stream: Stream | None) -> Stream:
        """The stream, or the default one if there is none."""
        if stream is None:
            return self.default_stream
        _require(stream, Stream, "this needs a stream, made by `device.stream(name)`")
        self.require_own(stream)
        return stream

    def require_own(self, *things: Buffer | Stream | StreamEvent) -> None:
        """Raise AnswerError for a buffer, stream or event of another device, and for anything else.

        Something with a buffer's attributes is not a buffer: it could have another one's name.
        """
        for thing in things:
            _require(thing, (Buffer, Stream, StreamEvent), _BUFFER_WANTED)
            if thing.device is not self:
                raise AnswerError(
                    f"a {type(thing).__name__} of another device was used",
                    remedy="What one call makes belongs to that call's device: make it again "
                    "in this one.",
                )

    def use_on_host(
        self, what: str, *, reads: Sequence[Buffer] = (), writes: Sequence[Buffer] = ()
    ) -> None:
        """Note that the host itself uses buffers."""
        self._host_count += 1
        self.host_known[HOST] = self._host_count
        self._note(Use(what, HOST, self._host_count), self.host_known, reads, writes)

    def wait_on_host(self, done: Moment | None, known: Known) -> None:
        """Make the host wait for a moment; then it knows what was known there."""
        if done is not None:
            began_s = self.clock.now()
            self.clock.wait(done, kind=None)
            if self.clock.now() > began_s:
                self.clock.record(HOST, "wait", began_s, self.clock.now(), done.what)
        self.host_known = join(self.host_known, known)

    def enqueue(
        self,
        stream: Stream,
        what: str = "a mark",
        *,
        wait_for: Moment | None = None,
        doing: Generator[Moment, Any, Any] | None = None,
    ) -> Moment:
        """Add to the end of ``stream``: wait for a moment, do something, or only be done."""
        before, done = stream.tail, self.clock.moment(f"{what} on stream {stream.name!r}")

        def steps() -> Generator[Moment, Any, None]:
            for moment in (before, wait_for):
                if moment is not None:
                    yield moment
            if doing is not None:
                yield from doing
            done.happen()

        self.clock.start(steps(), what, is_server=True)
        stream.tail = done
        return done

    def _issue(
        self,
        stream: Stream,
        what: str,
        engine: str,
        time_s: float,
        kind: str,
        reads: Sequence[Buffer],
        writes: Sequence[Buffer],
    ) -> Moment:
        if self._launch_s:
            self.clock.work(self._launch_s, "launch", lane=HOST, label=what)
        stream.count += 1
        stream.known = join(stream.known, self.host_known, {stream.agent: stream.count})
        self._note(Use(what, stream.agent, stream.count), stream.known, reads, writes)
        label = f"{what} on {stream.name}"
        doing = self._engines[engine].use(time_s, kind, label=label)
        return self.enqueue(stream, what, doing=doing)

    def _note(
        self, use: Use, known: Known, reads: Sequence[Buffer], writes: Sequence[Buffer]
    ) -> None:
        self._detector.use(use, known, [one.name for one in reads], [one.name for one in writes])

    def _unique(self, kind: str, name: str) -> str:
        """Names tell buffers and streams apart: the second of a name gets a number."""
        name = told = str(name)
        while (kind, told) in self._names:
            self._names[kind, name] += 1
            told = f"{name} {self._names[kind, name]}"
        self._names[kind, told] = 1
        return told


def _size(size_bytes: Any) -> int | float:
    """The same as a number of Python's; AnswerError for what no memory has."""
    if not (isinstance(size_bytes, Real) and 0 <= size_bytes < _MOST_BYTES):
        raise AnswerError(f"a buffer cannot have {str(size_bytes)[:60]} bytes")
    return int(size_bytes) if isinstance(size_bytes, Integral) else float(size_bytes)


def _require(value: Any, kind: type | tuple[type, ...], wanted: str) -> None:
    """Raise AnswerError for what is not of this kind."""
    if not isinstance(value, kind):
        got = repr(value) if isinstance(value, str) else f"a {type(value).__name__}"
        raise AnswerError(f"{wanted}; got {got}")
