"""What processes on a virtual clock share: places to take, and channels to send items through.

For generators, which yield the moments that these return; a thread waits for one with
``clock.wait(moment)``. First come, first served.

>>> from gpuedu.clock import VirtualClock
>>> clock = VirtualClock()
>>> disk, box = Resource(clock, "disk"), Channel(clock, "box", places=1)
>>> def reader():
...     for item in "ab":
...         yield from disk.use(2.0, "read", label=item)
...         yield box.put(item)
>>> def trainer():
...     for _ in range(2):
...         item = yield box.get()
...         yield clock.after(3.0)
>>> _ = clock.start(reader(), "reader"), clock.start(trainer(), "trainer")
>>> clock.run()
8.0
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any

from gpuedu.clock.moments import Moment
from gpuedu.clock.virtual import VirtualClock


class Resource:
    """``places`` that can be taken: an engine, a disk, the cores of a processor."""

    def __init__(self, clock: VirtualClock, name: str, places: int = 1) -> None:
        if places < 1:
            raise ValueError(f"a resource needs at least one place, got {places}")
        self.name, self.places = name, places
        self._clock, self._free = clock, places
        self._queue: deque[Moment] = deque()

    def acquire(self) -> Moment:
        """A moment that happens when a place is yours."""
        moment = self._clock.moment(f"{self.name} (all {self.places} taken)")
        if self._free:
            self._free -= 1
            moment.happen()
        else:
            self._queue.append(moment)
        return moment

    def release(self) -> None:
        """Give a place back: it goes to the process that has waited longest."""
        if self._queue:
            self._queue.popleft().happen()
        elif self._free == self.places:
            raise ValueError(f"{self.name}: a place was given back that nobody had taken")
        else:
            self._free += 1

    def use(
        self, time_s: float, kind: str = "work", *, lane: str | None = None, label: str = ""
    ) -> Generator[Moment, Any, None]:
        """Take a place, hold it for ``time_s`` seconds, give it back; recorded on ``lane``.

        The lane is the resource's name by default. Use: ``yield from resource.use(...)``.
        """
        yield self.acquire()
        began_s = self._clock.now()
        yield self._clock.after(time_s)
        self._clock.record(lane or self.name, kind, began_s, self._clock.now(), label)
        self.release()


class Channel:
    """Items that some put in and others take out, in order.

    ``places`` items fit in at a time; None is no limit, and 0 means that each ``put`` waits for
    its ``get``.
    """

    def __init__(self, clock: VirtualClock, name: str, places: int | None = None) -> None:
        self.name, self.places = name, places
        self._clock = clock
        self._items: deque[Any] = deque()
        self._getters: deque[Moment] = deque()
        self._putters: deque[tuple[Moment, Any]] = deque()

    def put(self, item: Any) -> Moment:
        """A moment that happens when the item is in."""
        moment = self._clock.moment(
            f"room in {self.name} ({len(self._items)} of {self.places} places taken)"
        )
        if self._getters:
            self._getters.popleft().happen(item)
            moment.happen()
        elif self.places is None or len(self._items) < self.places:
            self._items.append(item)
            moment.happen()
        else:
            self._putters.append((moment, item))
        return moment

    def get(self) -> Moment:
        """A moment that happens when there is an item; that is its value."""
        moment = self._clock.moment(f"an item from {self.name}")
        if self._items:
            moment.happen(self._items.popleft())
            if self._putters:
                done, item = self._putters.popleft()
                self._items.append(item)
                done.happen()
        elif self._putters:
            done, item = self._putters.popleft()
            done.happen()
            moment.happen(item)
        else:
            self._getters.append(moment)
        return moment

    def __len__(self) -> int:
        """How many items it has."""
        return len(self._items)
