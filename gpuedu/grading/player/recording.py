"""What a learner's functions gave while a case was played, as plain values.

A play that notes nothing beside the results of the learner's functions is played twice: here, where
their calls are recorded, and again by the judge, with functions that give what was recorded. What
is judged was then made by the course's code alone, and has the form that the play gives it: all
that a learner's process can send are other results.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gpuedu.exercises.contract import Play
from gpuedu.grading.objects import Before
from gpuedu.grading.ranks import rank_here
from gpuedu.grading.results import Describing, describe


class Recorder:
    """Stands between a play and a learner's answers.

    Args:
        play: the exercise's.
        answers: the learner's.

    Attributes:
        answers: to hand to the play: values as they are, functions with their calls recorded.
    """

    def __init__(self, play: Play, answers: Sequence[Any]) -> None:
        self._remarks = play.remarks
        self._calls: list[list] = []
        self._values: list[list | None] = []
        self.answers: list[Any] = []
        for number, (wanted, given) in enumerate(zip(play.answers, answers, strict=True)):
            is_function = wanted.kind == "function"
            self._values.append(None if is_function else describe(given))
            self.answers.append(self._recorded(number, given) if is_function else given)

    def told(self, observed: Mapping[str, Any] = MappingProxyType({})) -> dict[str, list]:
        """``values`` of the answers that are no functions, and ``calls`` of the others in order.

        And ``remarks``, those of what the play ``observed`` that the learner's process is believed.

        A call is the number of the answer, what it gave (None where it raised), what it left in
        each object in its arguments (None where that is as it was), and, of a call on a simulated
        rank, the rank and what it asked of the network.
        """
        remarks = [observed.get(name) is True for name in self._remarks]
        return {"values": self._values, "calls": self._calls, "remarks": remarks}

    def _recorded(self, number: int, function: Callable) -> Callable:
        @functools.wraps(function, assigned=("__name__",), updated=())
        def recorded(*arguments: Any, **named: Any) -> Any:
            call: list = [number, None, [], None]
            self._calls.append(call)
            on_rank = rank_here()
            acts = on_rank[0].acts[on_rank[1]] if on_rank else None
            began = len(acts.rows) if acts else 0
            before = Before((*arguments, *named.values()))
            given: tuple = ()
            try:
                given = (function(*arguments, **named),)
            finally:
                if on_rank and acts:
                    call[3] = [on_rank[1], *acts.told(began)]
                describing = Describing(before.found)
                call[2] = before.told(describing)
                call[1] = describing.value(given[0]) if given else None
            return given[0]

        return recorded
