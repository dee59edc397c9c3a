"""What stands in for ``concurrent.futures``: a pool of threads, and their future results."""

from __future__ import annotations

import concurrent.futures as real
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gpuedu.clock.processes import Abandoned, current
from gpuedu.clock.standins.queues import Empty, Queue
from gpuedu.clock.standins.threads import Thread
from gpuedu.clock.standins.waiting import Deadline, WaitQueue

__all__ = ["CancelledError", "Future", "ThreadPoolExecutor", "TimeoutError", "as_completed"]

CancelledError = real.CancelledError
TimeoutError = real.TimeoutError


class Future:
    """The result of a call that another thread makes."""

    def __init__(self, what: str = "a call") -> None:
        self._state = "pending"
        self._result: Any = None
        self._fault: BaseException | None = None
        self._called: list[Callable[[Future], Any]] = []
        self._waiting = WaitQueue(lambda: f"the result of {what}")

    def done(self) -> bool:
        """True if there is a result, an exception or a cancellation."""
        current().clock.glance()
        return self._is_over()

    def running(self) -> bool:
        """True if a thread is working on it."""
        return self._state == "running"

    def cancelled(self) -> bool:
        """True if it was cancelled before a thread took it."""
        return self._state == "cancelled"

    def cancel(self) -> bool:
        """Take it back if no thread has it yet; returns whether that was possible."""
        if self._state == "pending":
            self._finish("cancelled")
        return self.cancelled()

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result; raises what the call raised, TimeoutError, CancelledError."""
        fault = self.exception(timeout)
        if fault is not None:
            raise fault
        return self._result

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the end, and return what the call raised, or None."""
        if not self._waiting.wait_until(self._is_over, timeout):
            raise TimeoutError
        if self.cancelled():
            raise CancelledError
        return self._fault

    def add_done_callback(self, fn: Callable[[Future], Any]) -> None:
        """Call ``fn(self)`` at the end, or now if it has already ended."""
        if self._is_over():
            fn(self)
        else:
            self._called.append(fn)

    def _is_over(self) -> bool:
        return self._state in ("finished", "cancelled")

    def _work(self, call: Callable[[], Any]) -> None:
        if self._is_over():
            return
        self._state = "running"
        try:
            self._result = call()
        except Abandoned:
            raise
        except BaseException as fault:
            self._fault = fault
        self._finish("finished")

    def _finish(self, state: str) -> None:
        self._state = state
        self._waiting.wake_all()
        for fn in self._called:
            fn(self)


class ThreadPoolExecutor:
    """At most ``max_workers`` threads that carry out calls in order."""

    def __init__(
        self,
        max_workers: int | None = None,
        thread_name_prefix: str = "",
        initializer: Callable[..., Any] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._most = max_workers or 4
        self._prefix = thread_name_prefix or "ThreadPoolExecutor-0"
        self._initialize = (lambda: initializer(*initargs)) if initializer else (lambda: None)
        self._calls = Queue()
        self._idle = 0
        self._threads: list[Thread] = []
        self._is_shut = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Let a thread call ``fn``; RuntimeError after ``shutdown``."""
        if self._is_shut:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future(getattr(fn, "__name__", "a call"))
        self._calls.put((future, lambda: fn(*args, **kwargs)))
        if self._idle < self._calls._qsize() and len(self._threads) < self._most:
            name = f"{self._prefix}_{len(self._threads)}"
            self._threads.append(Thread(target=self._serve, name=name, daemon=True))
            self._threads[-1].start()
        return future

    def _serve(self) -> None:
        self._initialize()
        while True:
            self._idle += 1
            call = self._calls.get()
            self._idle -= 1
            if call is None:
                return
            call[0]._work(call[1])

    def map(
        self, fn: Callable[..., Any], *iterables: Iterable[Any], timeout: float | None = None
    ) -> Iterator[Any]:
        """``fn`` of the items, in order; all calls are handed over at once."""
        futures = [self.submit(fn, *items) for items in zip(*iterables, strict=False)]

        def results() -> Iterator[Any]:
            try:
                for future in futures:
                    yield future.result(timeout)
            finally:
                for future in futures:
                    future.cancel()

        return results()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more calls; wait for those that were taken, or cancel those that are waiting."""
        if not self._is_shut:
            self._is_shut = True
            if cancel_futures:
                for future, _ in list(self._calls.queue):
                    future.cancel()
            for _ in self._threads:
                self._calls.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def __enter__(self) -> ThreadPoolExecutor:
        return self

    def __exit__(self, *exception: object) -> None:
        self.shutdown()


def as_completed(futures: Iterable[Future], timeout: float | None = None) -> Iterator[Future]:
    """The futures in the order in which they end; TimeoutError after ``timeout`` seconds."""
    waiting = list(dict.fromkeys(futures))
    ended = Queue()
    for future in waiting:
        future.add_done_callback(ended.put)
    deadline = Deadline(timeout)
    for _ in waiting:
        try:
            yield ended.get(timeout=deadline.left_s)
        except Empty as late:
            raise TimeoutError from late
