"""Streams and events. The machine runs everything at once, so a stream never has to wait.

What this simplifies: a launch is done when it returns, on every stream; streams have no order among
them that a program could see; an event's time is this machine's.
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpuedu.simt.host.errors import CudaValueError, SimulatedTimeWarning

if TYPE_CHECKING:
    import asyncio

_handles = itertools.count(0x1000)


class Stream:
    """A queue of work for the device. ``handle`` is its number; 0 is the default stream."""

    def __init__(self, handle: int, kind: str = "stream", *, external: bool = False) -> None:
        self.handle = handle
        self.external = external
        self._kind = kind

    def __int__(self) -> int:
        return self.handle

    def __repr__(self) -> str:
        return f"<{self._kind} {self.handle}: the machine runs its work at once>"

    def synchronize(self) -> None:
        """Wait for the stream's work: it is done."""

    @contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """Wait for the stream's work when the block ends."""
        yield self
        self.synchronize()

    def add_callback(self, callback: Callable[[Stream, int, Any], None], arg: Any = None) -> None:
        """Call ``callback(stream, status, arg)`` when the work so far is done: now."""
        callback(self, 0, arg)

    def async_done(self) -> asyncio.Future[Stream]:
        """An awaitable for the end of the work so far."""
        import asyncio  # it brings sockets, which few launches need

        done = asyncio.get_running_loop().create_future()
        done.set_result(self)
        return done


class Event:
    """A point in a stream's work.

    What this simplifies: ``record`` takes the host's clock at once, for the work before it is done.
    """

    def __init__(self, timing: bool = True) -> None:
        self._timing = timing
        self._recorded_s: float | None = None

    def record(self, stream: Any = 0) -> None:
        """Note the time."""
        self._recorded_s = time.perf_counter()

    def query(self) -> bool:
        """Whether the work before the event is done: always."""
        return True

    def synchronize(self) -> None:
        """Wait for the event: it has happened."""

    def wait(self, stream: Any = 0) -> None:
        """Make a stream wait for the event: it has happened."""

    def elapsed_time(self, evtend: Event) -> float:
        """Milliseconds from this event to ``evtend``, as this machine took; warns of that.

        Raises:
            CudaValueError: An event was not recorded, or was made with ``timing=False``.
        """
        if self._recorded_s is None or evtend._recorded_s is None:
            raise CudaValueError(
                "elapsed_time of an event that was not recorded", remedy="call event.record()"
            )
        if not (self._timing and evtend._timing):
            raise CudaValueError(
                "elapsed_time of an event without timing", remedy="cuda.event(timing=True)"
            )
        warnings.warn(
            "this is the time of the SIMT machine on this CPU: it says nothing about a GPU",
            SimulatedTimeWarning,
            stacklevel=2,
        )
        return (evtend._recorded_s - self._recorded_s) * 1e3


def stream() -> Stream:
    """A new stream."""
    return Stream(next(_handles))


def default_stream() -> Stream:
    """The default stream."""
    return Stream(0, "default stream")


def legacy_default_stream() -> Stream:
    """The legacy default stream (CUDA's handle 1)."""
    return Stream(1, "legacy default stream")


def per_thread_default_stream() -> Stream:
    """The per-thread default stream (CUDA's handle 2)."""
    return Stream(2, "per-thread default stream")


def external_stream(ptr: int) -> Stream:
    """A stream that another library made; ``ptr`` is its handle."""
    return Stream(ptr, "external stream", external=True)


def event(timing: bool = True) -> Event:
    """A new event."""
    return Event(timing)


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Milliseconds between two events, as ``Event.elapsed_time``."""
    return evtstart.elapsed_time(evtend)


def synchronize() -> None:
    """Wait for all work: it is done."""
