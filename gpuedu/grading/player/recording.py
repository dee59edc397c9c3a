"""What a learner's functions gave while a case was played, as plain values.

A play that notes nothing beside the results of the learner's functions is played twice: here, where
their calls are recorded, and again by the judge, with functions that give what was recorded. What
is judged was then made by the course's code alone, and has the form that the play gives it: all
that a learner's process can send are other results.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

from gpuedu.exercises.contract import Play
from gpuedu.grading import chance
from gpuedu.grading.objects import Before, functions_in, is_function
from gpuedu.grading.player.hooks import wrapping
from gpuedu.grading.raised import kinds_of
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
        self._play = play
        self._calls: list[dict] = []
        self._functions_made: Counter[int | None] = Counter()
        self._values: list[list | None] = []
        self.answers: list[Any] = []
        for number, (wanted, given) in enumerate(zip(play.answers, answers, strict=True)):
            is_function = wanted.kind == "function"
            self._values.append(None if is_function else describe(given))
            self.answers.append(self._recorded(number, given) if is_function else given)

    def told(self, observed: Mapping[str, Any] = MappingProxyType({})) -> dict[str, list]:
        """``values`` of the answers that are no functions, and ``calls`` of the others in order.

        And ``remarks``, those of what the play ``observed`` that the learner's process is believed.

        A call is a dict: the number of the ``answer``; what was ``given``, or else ``raised``; what
        it ``left`` in each object in its arguments, None where that is as it was. Where the play
        lends functions, ``acts`` are the calls of these, each with what was left before it; where
        it draws random numbers, ``chance`` are the states of the generators that were moved; where
        it calls later, ``made`` is the number of the function that was given, and ``hooks`` say
        which function hangs on which object. Of a
        call on a simulated rank, the ``rank`` is told and what it asked of the ``network``.
        """
        remarks = [observed.get(name) is True for name in self._play.remarks]
        return {"values": self._values, "calls": self._calls, "remarks": remarks}

    def _recorded(self, number: int, function: Callable, around: tuple = ()) -> Callable:
        """A function with its calls recorded; it may change what is ``around`` it, too."""

        @functools.wraps(function, assigned=("__name__",), updated=())
        def recorded(*arguments: Any, **named: Any) -> Any:
            call = _Call(self._play, number, (*around, *arguments, *named.values()))
            self._calls.append(call.told)
            arguments = tuple(map(call.lent, arguments))
            named = {name: call.lent(one) for name, one in named.items()}
            wrap = functools.partial(self._hook, call)
            watched = wrapping(wrap) if self._play.calls_later else nullcontext()
            try:
                with watched:
                    given = function(*arguments, **named)
            except BaseException as fault:
                call.end(raised=fault)
                raise
            call.end(given)
            return self._made(call, given)

        return recorded

    def _made(self, call: _Call, given: Any) -> Any:
        """What a function gave; where that is a function that is called later, with its calls."""
        if not self._play.calls_later or not is_function(given):
            return given
        call.told["made"] = number = self._next_number()
        return self._recorded(number, given, call.arguments)

    def _hook(self, call: _Call, tensor: Any, kind: str, hook: Callable) -> Callable:
        """A hook that a call hangs on a tensor, recorded if that is one of its arguments."""
        at = call.number_of(tensor)
        if at is None:
            return hook
        number = self._next_number()
        call.told.setdefault("hooks", []).append([at, kind, number])
        return self._recorded(number, hook, call.arguments)

    def _next_number(self) -> int:
        """Of functions that the learner's make on this rank, after those of the answers."""
        on_rank = rank_here()
        rank = None if on_rank is None else on_rank[1]
        self._functions_made[rank] += 1
        return len(self.answers) + self._functions_made[rank] - 1


class _Call:
    """One call on its way.

    Attributes:
        arguments: by position and by name, and before them what is around the function.
        told: of it, as ``Recorder.told`` says.
    """

    def __init__(self, play: Play, answer: int, arguments: tuple) -> None:
        self.told: dict[str, Any] = {"answer": answer}
        self._play, self.arguments = play, arguments
        self._gave: list[Any] = []
        self._faults: dict[int, BaseException] = {}
        self._functions = functions_in(arguments) if play.lends else []
        self._is_over = False
        self._network = None
        on_rank = rank_here()
        if on_rank is not None:
            world, self.told["rank"] = on_rank
            self._network = world.acts[on_rank[1]].since_now()
        self._begin()

    def _begin(self) -> None:
        """From here on what is left is what the learner's function left."""
        self._before = Before((self.arguments, self._gave))
        self._chance = chance.states() if self._play.draws else {}

    def _left(self) -> tuple[dict[str, Any], Describing]:
        """What was left since then."""
        describing = Describing(self._before.found)
        told = {"left": self._before.told(describing)}
        if self._play.draws and (moved := chance.changed(self._chance)):
            told["chance"] = moved
        return told, describing

    def number_of(self, thing: Any) -> int | None:
        """Which of the objects in the arguments something is."""
        return next((at for at, one in enumerate(self._before.found) if one is thing), None)

    def lent(self, argument: Any) -> Any:
        """An argument; a function of the play's with its calls recorded."""
        if not any(argument is one for one in self._functions):
            return argument

        @functools.wraps(argument, assigned=("__name__",), updated=())
        def called(*arguments: Any, **named: Any) -> Any:
            if self._is_over:
                return argument(*arguments, **named)
            act = self._act(argument, arguments, named)
            try:
                gave = argument(*arguments, **named)
            except BaseException as fault:
                self._faults[act] = fault
                raise
            else:
                self._gave.append(gave)
                return gave
            finally:
                self._begin()

        return called

    def _act(self, function: Callable, arguments: tuple, named: Mapping[str, Any]) -> int:
        """Note a call of a lent function; its number."""
        act, describing = self._left()
        act["function"] = next(at for at, one in enumerate(self._functions) if one is function)
        act["arguments"] = list(map(describing.value, arguments))
        act["named"] = {name: describing.value(one) for name, one in named.items()}
        acts = self.told.setdefault("acts", [])
        acts.append(act)
        return len(acts) - 1

    def end(self, given: Any = None, raised: BaseException | None = None) -> None:
        """Note what it left, and what it gave or raised."""
        self._is_over = True
        if self._network is not None:
            self.told["network"] = self._network()
        told, describing = self._left()
        self.told |= told
        if raised is None:
            self.told["given"] = describing.value(given)
            return
        act = next((at for at, fault in self._faults.items() if fault is raised), None)
        self.told["raised"] = {"act": act, "kinds": kinds_of(raised)}
        self._faults.clear()
