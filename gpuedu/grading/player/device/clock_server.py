"""A simulated clock on which a learner's threads take part, from another process.

Each thread there has one here, which is on the clock, and does what the other asks for. Only one of
all runs at a time, so whatever arrives is asked by the thread that was told to go on last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.clock import Moment, VirtualClock
from gpuedu.clock.processes import current
from gpuedu.clock.virtual import GLANCE_S
from gpuedu.errors import AnswerError

MOST_MOMENTS = 100_000
MOST_THREADS = 100
"""In one run of a play."""
MOST_GLANCES = 10_000
"""In one message."""
_MOST_TOLD = 200
"""Characters of a name."""


class LentClock:
    """A clock of a play's, as a learner's process may use it.

    Args:
        clock: the play's; who makes this is on it.
        live: what the thread of a number does here.
    """

    def __init__(self, clock: VirtualClock, live: Callable[[int], None]) -> None:
        self._clock, self._live = clock, live
        self._moments: dict[int, Moment] = {}
        self._threads = 0
        self.items: list[Any] = []
        self.left: Any = None

    def act(self, name: str, args: Any) -> Any:
        """One thing that a thread asks for.

        Raises:
            AnswerError: it is nothing that can be asked for, or too much of it.
            DeadlockError: it waits for what never comes.
        """
        act, kinds = _ACTS.get(name, (None, ()))
        if act is None or type(args) is not list or len(args) != len(kinds):
            raise AnswerError("a message to the clock has no known form")
        if not all(type(one) in kind for one, kind in zip(args, kinds, strict=True)):
            raise AnswerError("a message to the clock has no known form")
        return act(self, *args)

    def _now(self) -> float:
        return self._clock.now()

    def _moment(self, what: str) -> int:
        if len(self._moments) >= MOST_MOMENTS:
            raise AnswerError(f"threads waited more than {MOST_MOMENTS:,} times")
        number = len(self._moments)
        self._moments[number] = self._clock.moment(what[:_MOST_TOLD])
        return number

    def _known(self, number: int) -> Moment:
        if number not in self._moments:
            raise AnswerError("a message to the clock has no known form")
        return self._moments[number]

    def _alarm(self, number: int, delay_s: float, value: bool | None) -> None:
        self._clock.alarm(self._known(number), _time(delay_s), value)

    def _happen(self, number: int, value: bool | None) -> bool:
        return self._known(number).happen(value)

    def _happened(self, number: int) -> bool:
        return self._known(number).happened

    def _wait(self, number: int) -> list:
        """The moment's value, and whether time has passed."""
        began_s = self._clock.now()
        value = self._clock.wait(self._known(number))
        return [value, self._clock.now() > began_s]

    def _sleep(self, time_s: float) -> None:
        self._clock.wait(self._clock.after(_time(time_s), "its sleep to end"), kind="sleep")

    def _glance(self, count: int) -> list:
        """So many looks; how many can follow before anybody else goes on, and the time."""
        for _ in range(min(count, MOST_GLANCES)):
            self._clock.wait(self._clock.after(GLANCE_S), kind=None)
        left_s = self._clock.next_due_s() - self._clock.now()
        return [max(int(min(left_s / GLANCE_S, MOST_GLANCES)) - 1, 0), self._clock.now()]

    def _thread(self, name: str) -> int:
        if self._threads >= MOST_THREADS:
            raise AnswerError(f"more than {MOST_THREADS} threads were started in one run")
        self._threads += 1
        number = self._threads
        self._clock.start_thread(lambda: self._live(number), name[:_MOST_TOLD])
        return number


def _time(time_s: float) -> float:
    if not math.isfinite(time_s):
        raise AnswerError(f"a time to wait must be finite and not negative, got {time_s!r}")
    return float(time_s)


_NUMBER, _TIME, _VALUE, _TEXT = (int,), (int, float), (bool, type(None)), (str,)
_ACTS: Mapping[str, tuple[Callable[..., Any], tuple]] = {
    "now": (LentClock._now, ()),
    "moment": (LentClock._moment, (_TEXT,)),
    "alarm": (LentClock._alarm, (_NUMBER, _TIME, _VALUE)),
    "happen": (LentClock._happen, (_NUMBER, _VALUE)),
    "happened": (LentClock._happened, (_NUMBER,)),
    "wait": (LentClock._wait, (_NUMBER,)),
    "sleep": (LentClock._sleep, (_TIME,)),
    "glance": (LentClock._glance, (_NUMBER,)),
    "thread": (LentClock._thread, (_TEXT,)),
}
"""What may be asked for, and of which types its arguments are."""


def clock_of_caller() -> VirtualClock:
    """The clock that the calling thread is on."""
    return current().clock
