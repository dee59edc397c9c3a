"""Where threads wait for the same thing: the one piece that locks and queues are built from."""

from __future__ import annotations

from collections.abc import Callable

from gpuedu.clock.moments import Moment
from gpuedu.clock.processes import current


class Deadline:
    """A deadline ``timeout_s`` simulated seconds from now; None never passes."""

    def __init__(self, timeout_s: float | None) -> None:
        self._clock = current().clock
        self._end_s = None if timeout_s is None else self._clock.now() + max(timeout_s, 0.0)

    @property
    def left_s(self) -> float | None:
        """What is left, to the nanosecond that the clock counts in; None for no end."""
        if self._end_s is None:
            return None
        return max(round(self._end_s - self._clock.now(), 9), 0.0)

    @property
    def has_passed(self) -> bool:
        """True if nothing is left."""
        return self.left_s == 0.0


class WaitQueue:
    """Threads that wait, first come, first woken. ``what()`` says what they wait for now."""

    def __init__(self, what: Callable[[], str]) -> None:
        self._what = what
        self._moments: list[Moment] = []

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait to be woken; False if ``timeout_s`` passes first."""
        clock = current().clock
        if timeout_s is not None and clock.pass_alone(timeout_s, self._what()):
            return False
        moment = clock.moment(self._what())
        self._moments.append(moment)
        woken = clock.wait(moment, limit_s=timeout_s)
        if not woken:
            self._moments.remove(moment)
        return woken

    def wait_until(self, is_ready: Callable[[], bool], timeout_s: float | None = None) -> bool:
        """Wait until ``is_ready()``; False if it is not after ``timeout_s``.

        A woken thread looks again: another may have been faster, as with real threads.
        """
        deadline = Deadline(timeout_s)
        while not is_ready():
            if deadline.has_passed:
                current().clock.glance()
                return is_ready()
            self.wait(deadline.left_s)
        return True

    def wake(self, count: int = 1) -> None:
        """Wake the ``count`` threads that have waited longest."""
        for moment in list(self._moments):
            if count == 0:
                return
            # One whose time-out has come has no use for the call: it goes to the next.
            if moment.happen(True):
                self._moments.remove(moment)
                count -= 1

    def wake_all(self) -> None:
        """Wake everybody."""
        self.wake(len(self._moments))

    def __len__(self) -> int:
        """How many wait."""
        return sum(not moment.happened for moment in self._moments)
