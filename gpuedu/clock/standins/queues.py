"""What stands in for ``queue``: bounded and unbounded queues between threads."""

from __future__ import annotations

import heapq
import queue as real
from collections import deque
from typing import Any

from gpuedu.clock.processes import current
from gpuedu.clock.standins.waiting import WaitQueue

__all__ = ["Empty", "Full", "LifoQueue", "PriorityQueue", "Queue", "SimpleQueue"]

Empty, Full = real.Empty, real.Full
# Since Python 3.13 a queue can be shut down; on an older one it cannot here either.
if hasattr(real, "ShutDown"):
    ShutDown: type[Exception] = real.ShutDown
    __all__ += ["ShutDown"]


class Queue:
    """First in, first out; ``put`` waits while there are ``maxsize`` items (0: no limit).

    A ``get`` wakes a thread that waits in ``put`` and goes on, as the real one does: until the
    calling thread itself waits, the place is free and ``empty()`` may be true, though an item is
    about to come.
    """

    def __init__(self, maxsize: int = 0) -> None:
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self.most_items = 0
        self.is_shutdown = False
        self._init(maxsize)
        self._getters = WaitQueue(lambda: "an item of an empty queue")
        self._putters = WaitQueue(
            lambda: f"room in a queue ({self._qsize()} of {self.maxsize} places taken)"
        )
        self._joiners = WaitQueue(
            lambda: f"{self.unfinished_tasks} items of a queue to be marked as done"
        )

    # What the kinds of queue differ in, with the names of the real one, so that subclasses work.

    def _init(self, maxsize: int) -> None:
        self.queue: Any = deque()

    def _qsize(self) -> int:
        return len(self.queue)

    def _put(self, item: Any) -> None:
        self.queue.append(item)

    def _get(self) -> Any:
        return self.queue.popleft()

    def _has_room(self) -> bool:
        return self.maxsize <= 0 or self._qsize() < self.maxsize

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """Add an item; Full if there is no room in time, ShutDown after ``shutdown``."""
        ready = self._putters.wait_until(
            lambda: self.is_shutdown or self._has_room(), _limit(block, timeout)
        )
        if self.is_shutdown:
            raise ShutDown
        if not ready:
            raise Full
        self._put(item)
        self.unfinished_tasks += 1
        self.most_items = max(self.most_items, self._qsize())
        self._getters.wake()

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """Take an item; Empty if there is none in time, ShutDown if none will come."""
        ready = self._getters.wait_until(
            lambda: self.is_shutdown or self._qsize() > 0, _limit(block, timeout)
        )
        if self.is_shutdown and not self._qsize():
            raise ShutDown
        if not ready:
            raise Empty
        item = self._get()
        self._putters.wake()
        return item

    def put_nowait(self, item: Any) -> None:
        """Add an item, or raise Full at once."""
        self.put(item, block=False)

    def get_nowait(self) -> Any:
        """Take an item, or raise Empty at once."""
        return self.get(block=False)

    def qsize(self) -> int:
        """How many items it has."""
        current().clock.glance()
        return self._qsize()

    def empty(self) -> bool:
        """True if it has none."""
        return self.qsize() == 0

    def full(self) -> bool:
        """True if ``put`` would wait."""
        current().clock.glance()
        return not self._has_room()

    def task_done(self) -> None:
        """Mark one item that was taken as done; ValueError for more than were put."""
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1
        if not self.unfinished_tasks:
            self._joiners.wake_all()

    def join(self) -> None:
        """Wait until every item has been marked as done."""
        self._joiners.wait_until(lambda: not self.unfinished_tasks)

    if hasattr(real, "ShutDown"):

        def shutdown(self, immediate: bool = False) -> None:
            """Refuse what is put from now on, and wake who waits; ``immediate``: drop all items."""
            self.is_shutdown = True
            while immediate and self._qsize():
                self._get()
                self.unfinished_tasks = max(self.unfinished_tasks - 1, 0)
            for waiting in (self._joiners, self._getters, self._putters):
                waiting.wake_all()


class LifoQueue(Queue):
    """Last in, first out."""

    def _init(self, maxsize: int) -> None:
        self.queue = []

    def _get(self) -> Any:
        return self.queue.pop()


class PriorityQueue(Queue):
    """The smallest item first."""

    def _init(self, maxsize: int) -> None:
        self.queue = []

    def _put(self, item: Any) -> None:
        heapq.heappush(self.queue, item)

    def _get(self) -> Any:
        return heapq.heappop(self.queue)


class SimpleQueue(Queue):
    """First in, first out, without a limit."""

    def __init__(self) -> None:
        super().__init__()


def _limit(block: bool, timeout: float | None) -> float | None:
    if not block:
        return 0.0
    if timeout is not None and timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")
    return timeout
