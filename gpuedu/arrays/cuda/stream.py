"""``cp.cuda.Stream`` and ``Event``: used as on a GPU, but with nothing to wait for.

What this simplifies: work is done as soon as it is asked for, on every stream; an event's time is
this computer's (see ``gpuedu.simt.host.streams``).
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from gpuedu.arrays.lists import missing
from gpuedu.simt.host import streams

_current: ContextVar[Stream | None] = ContextVar("current", default=None)


class Stream:
    """A queue of work. ``ptr`` is its handle; ``with`` makes it current.

    Args:
        null: The default stream.
        non_blocking: It does not wait for the default stream.
        ptds: The default stream of this thread.
        priority: Lower numbers go first.
    """

    null: Stream
    ptds: Stream
    device_id = 0

    def __init__(
        self,
        null: bool = False,
        non_blocking: bool = False,
        ptds: bool = False,
        priority: int | None = None,
    ) -> None:
        if null:
            self.ptr = 0
        elif ptds:
            self.ptr = streams.per_thread_default_stream().handle
        else:
            self.ptr = streams.stream().handle
        self.is_non_blocking = non_blocking
        self.priority = priority or 0
        self._before: list[Any] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and other.ptr == self.ptr

    def __hash__(self) -> int:
        return hash(self.ptr)

    def __repr__(self) -> str:
        return f"<Stream {self.ptr} (device 0)>"

    def __enter__(self) -> Stream:
        self._before.append(_current.set(self))
        return self

    def __exit__(self, *_fault: object) -> None:
        _current.reset(self._before.pop())

    def use(self) -> Stream:
        """Make the stream current until another is used."""
        _current.set(self)
        return self

    @property
    def done(self) -> bool:
        """Whether the stream's work is done: always."""
        return True

    def synchronize(self) -> None:
        """Wait for the stream's work: it is done."""

    def record(self, event: Event | None = None) -> Event:
        """Record an event, a new one unless one is given."""
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Wait for an event: it has happened."""

    def add_callback(self, callback: Callable[..., Any], arg: Any) -> None:
        """Call ``callback(stream, status, arg)`` when the work so far is done: now."""
        callback(self, 0, arg)

    def launch_host_func(self, callback: Callable[..., Any], arg: Any) -> None:
        """Call ``callback(arg)`` when the work so far is done: now."""
        callback(arg)

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.cuda.Stream", name)


class ExternalStream(Stream):
    """A stream that another library made, by its handle."""

    def __init__(self, ptr: int, device_id: int = -1) -> None:
        super().__init__()
        self.ptr = ptr


Stream.null, Stream.ptds = Stream(null=True), Stream(ptds=True)


class Event:
    """A point in a stream's work."""

    def __init__(
        self, block: bool = False, disable_timing: bool = False, interprocess: bool = False
    ) -> None:
        self.timing = streams.Event(timing=not disable_timing)

    @property
    def done(self) -> bool:
        """Whether the work before it is done: always."""
        return True

    def record(self, stream: Stream | None = None) -> None:
        """Note the time."""
        self.timing.record()

    def synchronize(self) -> None:
        """Wait for the event: it has happened."""


def get_current_stream(device_id: int = -1) -> Stream:
    """The stream that work goes to."""
    return _current.get() or Stream.null


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Milliseconds between two events, as this computer took; warns of that.

    Raises:
        CudaValueError: An event was not recorded, or was made with ``disable_timing``.
    """
    return start_event.timing.elapsed_time(end_event.timing)
