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
from gpuedu.errors import AnswerError

MOST_MOMENTS = 100_000
MOST_THREADS = 100
"""In one run of a play."""
MOST_PASSED = 10_000
"""Looks, sleeps and waits in vain that one message tells of."""
_AHEAD_S = 10.0
"""How far ahead a thread is told of, where nothing is due."""
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
        """The moment's value, the time, and that until which nobody else goes on."""
        return [self._clock.wait(self._known(number)), *self._free()]

    def _free(self) -> list[float]:
        """The time, and that until which nobody but the calling thread goes on."""
        now_s = self._clock.now()
        return [now_s, min(self._clock.next_due_s(), now_s + _AHEAD_S)]

    def _pass(self, told: list) -> list[float]:
        """What a thread did by itself, each with how often: for what it let how much time pass."""
        counts = [one[-1] if type(one) is list and len(one) == 4 else None for one in told]
        if not all(type(count) is int and count > 0 for count in counts):
            raise AnswerError("a message to the clock has no known form")
        if sum(counts) > MOST_PASSED:
            raise AnswerError(f"more than {MOST_PASSED:,} looks were told of at once")
        for kind, what, time_s, count in told:
            if type(what) is not str or type(time_s) is not float or kind not in _PASSED:
                raise AnswerError("a message to the clock has no known form")
            for _ in range(count):
                self._pass_one(_PASSED[kind], what[:_MOST_TOLD], _time(time_s))
        return self._free()

    def _pass_one(self, kind: str | None, what: str, time_s: float) -> None:
        if not self._clock.pass_alone(time_s, what, kind):
            self._clock.wait(self._clock.after(time_s, what), kind=kind)

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


_NUMBER, _TIME, _VALUE, _TEXT, _LIST = (int,), (int, float), (bool, type(None)), (str,), (list,)
_PASSED = {"look": None, "sleep": "sleep", "wait": "wait"}
"""As what it is recorded on the timeline."""
_ACTS: Mapping[str, tuple[Callable[..., Any], tuple]] = {
    "now": (LentClock._free, ()),
    "moment": (LentClock._moment, (_TEXT,)),
    "alarm": (LentClock._alarm, (_NUMBER, _TIME, _VALUE)),
    "happen": (LentClock._happen, (_NUMBER, _VALUE)),
    "happened": (LentClock._happened, (_NUMBER,)),
    "wait": (LentClock._wait, (_NUMBER,)),
    "pass": (LentClock._pass, (_LIST,)),
    "thread": (LentClock._thread, (_TEXT,)),
}
"""What may be asked for, and of which types its arguments are."""


def clock_of_caller() -> VirtualClock:
    """The clock that the calling thread is on."""
    return current().clock
