"""A simulated clock that a learner's threads take part in, from another process.

Each thread there has one here, which is on the clock and does what the other asks for. Only one of
them runs at a time, so whatever arrives comes from the thread that was last told to go on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuedu.clock import Moment, VirtualClock
from gpuedu.clock.processes import current
from gpuedu.errors import AnswerError

MOST_MOMENTS = 100_000
MOST_THREADS = 100
"""In one run of a play."""
MOST_PASSED = 10_000
"""Looks, sleeps and vain waits that one message reports."""
_AHEAD_S = 10.0
"""How far ahead a thread is told of, where nothing is due."""
_MOST_TOLD = 200
"""Characters of a name."""


class LentClock:
    """A play's clock, as a learner's process may use it.

    Args:
        clock: the play's; the maker of this is on it.
        live: what the thread with a number does here.
    """

    def __init__(self, clock: VirtualClock, live: Callable[[int], None]) -> None:
        self._clock, self._live = clock, live
        self._moments: list[Moment] = []
        self._threads = 0
        self.items: list[Any] = []
        self.left: Any = None

    def act(self, name: str, args: Any) -> Any:
        """One thing that a thread asks for.

        Raises:
            AnswerError: it cannot be asked for, or it is too much.
            DeadlockError: it waits for something that never comes.
        """
        act, kinds = _ACTS.get(name, (None, ()))
        if act is None or type(args) is not list or len(args) != len(kinds):
            raise AnswerError("a message to the clock has no known form")
        if not all(type(one) in kind for one, kind in zip(args, kinds, strict=True)):
            raise AnswerError("a message to the clock has no known form")
        return act(self, *args)

    def _wait(self, what: str, limit_s: float | None) -> list:
        """Wait for a new moment: its value, the time, and that until which nobody else goes on."""
        if len(self._moments) >= MOST_MOMENTS:
            raise AnswerError(f"threads waited more than {MOST_MOMENTS:,} times")
        limit_s = None if limit_s is None else _time(limit_s)
        moment = self._clock.moment(what[:_MOST_TOLD])
        self._moments.append(moment)
        return [self._clock.wait(moment, limit_s=limit_s), *self._free()]

    def _known(self, number: int) -> Moment:
        if not 0 <= number < len(self._moments):
            raise AnswerError("a message to the clock has no known form")
        return self._moments[number]

    def _happen(self, number: int, value: bool | None) -> bool:
        return self._known(number).happen(value)

    def _happened(self, number: int) -> bool:
        return self._known(number).happened

    def _free(self) -> list[float]:
        """The time, and that until which nobody but the calling thread goes on."""
        now_s = self._clock.now()
        return [now_s, min(self._clock.next_due_s(), now_s + _AHEAD_S)]

    def _pass(self, passed: list, order: np.ndarray) -> list[float]:
        """What a thread did by itself: for what it let how much time pass, and in which order."""
        known = [self._passed(one) for one in passed]
        numbers = order.tolist() if order.dtype == np.int32 and order.ndim == 1 else [None]
        if not all(type(one) is int and 0 <= one < len(known) for one in numbers):
            raise AnswerError("a message to the clock has no known form")
        if len(numbers) > MOST_PASSED:
            raise AnswerError(f"more than {MOST_PASSED:,} looks were reported at once")
        for one in numbers:
            self._pass_one(*known[one])
        return self._free()

    @staticmethod
    def _passed(told: Any) -> tuple[str | None, str, float]:
        kind, what, time_s = told if type(told) is list and len(told) == 3 else (None, None, None)
        if not (type(kind) is type(what) is str and type(time_s) is float and kind in _PASSED):
            raise AnswerError("a message to the clock has no known form")
        return _PASSED[kind], what[:_MOST_TOLD], _time(time_s)

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
    if not 0 <= time_s < math.inf:
        raise AnswerError(f"a time to wait must be finite and not negative, got {time_s!r}")
    return time_s


_NUMBER, _TIME, _VALUE, _TEXT = (int,), (float, type(None)), (bool, type(None)), (str,)
_LIST, _ARRAY = (list,), (np.ndarray,)
_PASSED = {"look": None, "sleep": "sleep", "wait": "wait"}
"""As what it is recorded on the timeline."""
_ACTS: Mapping[str, tuple[Callable[..., Any], tuple]] = {
    "now": (LentClock._free, ()),
    "happen": (LentClock._happen, (_NUMBER, _VALUE)),
    "happened": (LentClock._happened, (_NUMBER,)),
    "wait": (LentClock._wait, (_TEXT, _TIME)),
    "pass": (LentClock._pass, (_LIST, _ARRAY)),
    "thread": (LentClock._thread, (_TEXT,)),
}
"""What may be asked for, and of which types its arguments are."""


def clock_of_caller() -> VirtualClock:
    """The clock that the calling thread is on."""
    return current().clock
