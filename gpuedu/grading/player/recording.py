"""What a learner's functions returned while a case was played, as plain values.

A play that notes nothing besides the results of the learner's functions is played twice: here,
where their calls are recorded, and again on the machine, with functions that return what was
recorded. What is judged then comes only from the course's code, in the form that the play gives it:
all a learner's process can do is send other results.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import MethodType
from typing import TYPE_CHECKING, Any

from gpuedu.exercises.attesting import Look, attested_by
from gpuedu.exercises.contract import Play
from gpuedu.exercises.guard import explain, without_cause
from gpuedu.grading import chance
from gpuedu.grading.describing import Describing, describe
from gpuedu.grading.objects import Before, functions_in, is_function, methods_in, operands_of
from gpuedu.grading.player.hooks import wrapping
from gpuedu.grading.raised import args_of, kinds_of
from gpuedu.grading.ranks import rank_here

if TYPE_CHECKING:
    from gpuedu.grading.player.operations.recorder import OperationRecorder


class Recorder:
    """Sits between a play and a learner's answers.

    Args:
        play: the exercise's.
        answers: the learner's.

    Attributes:
        answers: to hand to the play: values as they are, functions with their calls recorded.
    """

    def __init__(self, play: Play, answers: Sequence[Any]) -> None:
        self._play = play
        self._calls: list[dict] = []
        self._values: list[list | None] = []
        self._attested: list[list] = []
        self._opaque: dict[int, Any] = {}
        self._is_looking = False
        self._handed: Counter[int | None] = Counter()
        self._operations = _operations_of(play)
        self.answers: list[Any] = []
        for number, (wanted, given) in enumerate(zip(play.answers, answers, strict=True)):
            is_one = wanted.kind == "function"
            self._values.append(None if is_one else describe(given))
            self.answers.append(self._recorded(number, given) if is_one else given)

    def told(self) -> dict[str, list]:
        """``values`` of the answers that are not functions, and ``calls`` of the others in order.

        A call is a dict: the number of the ``answer``; what was ``given``, or else ``raised``; what
        it ``left`` in each object in its arguments, None if that is unchanged. Where the play lends
        functions, ``acts`` are the calls of these, each with what was left, and what the network
        was asked, before it; where it draws random numbers, ``chance`` are the states of the
        generators that were moved; where operations are recorded, they are the ``program``; where
        it calls later, ``made`` is the number of the function that was given, and ``hooks`` say
        which function is on which object. A call on a simulated rank has its ``rank``, and what it
        asked the ``network`` since its last act. ``attested`` are what the play asked for by
        ``attested``.
        """
        return {"values": self._values, "calls": self._calls, "attested": self._attested}

    def play(self, inputs: Mapping[str, Any]) -> Any:
        """What the play returns, while everything to be sent is recorded."""
        with attested_by(self._witness):
            return self._play.run(self.answers, inputs)

    def _witness(self, look: Look) -> Any:
        """What is seen; meanwhile no call is recorded."""
        self._is_looking = True
        try:
            seen = look()
        finally:
            self._is_looking = False
        self._attested.append(describe(seen))
        return seen

    def _recorded(self, number: int, function: Callable, around: Any = ()) -> Callable:
        @functools.wraps(function, assigned=("__name__",), updated=())
        def recorded(*arguments: Any, **named: Any) -> Any:
            if self._is_looking:
                return function(*arguments, **named)
            within = (*arguments, *named.values()), around
            own = self._hand, self._opaque, self._operations
            call = _Call(self._play, number, within, *own)
            self._calls.append(call.told)
            arguments = tuple(map(call.lent, arguments))
            named = {name: call.lent(one) for name, one in named.items()}
            try:
                with call.methods_lent(), call.hooks_noted(), call.operations_recorded():
                    given = function(*arguments, **named)
            except BaseException as fault:
                call.end(raised=fault)
                raise
            return call.end(given)

        return recorded

    def _hand(self, function: Callable, around: Any) -> tuple[int, Callable]:
        """A function of the learner's that is called later: its number on this rank; recorded."""
        on_rank = rank_here()
        rank = None if on_rank is None else on_rank[1]
        number = len(self.answers) + self._handed[rank]
        self._handed[rank] += 1
        return number, self._recorded(number, function, around)


class _Call:
    """One call on its way.

    Args:
        play: the exercise's.
        answer: the number of the function that is called.
        within: the arguments that it gets, and what else it could leave something in.
        hand: see ``Recorder``.
        opaque: what was told as its type alone, until then.
        operations: records those of PyTorch, where the play asks for that.

    Attributes:
        told: of it, as ``Recorder.told`` says.
    """

    def __init__(
        self,
        play: Play,
        answer: int,
        within: tuple[tuple, Any],
        hand: Callable[[Callable, Any], tuple[int, Callable]],
        opaque: dict[int, Any],
        operations: OperationRecorder | None,
    ) -> None:
        self.told: dict[str, Any] = {"answer": answer}
        self._play, self._hand, self._opaque = play, hand, opaque
        self._operations = operations
        self._gave: list[Any] = []
        self._within = *within, self._gave
        self._faults: dict[int, BaseException] = {}
        self._functions = functions_in(within[0]) if play.lends else []
        self._methods = methods_in(within[0], opaque) if play.lends else []
        self._is_acting = self._is_over = False
        self._on_rank = rank_here()
        if self._on_rank is not None:
            self.told["rank"] = self._on_rank[1]
        self._begin()

    def _begin(self) -> None:
        """From here on what is left, and asked of the network, is the learner's function's."""
        self._network: Callable[[], list] | None = None
        if self._on_rank is not None:
            world, rank = self._on_rank
            self._network = world.acts[rank].since_now()
        is_watched = self._operations is not None
        with _unseen():
            self._before = Before(self._within, self._opaque, is_watched=is_watched)
            if self._operations is not None:
                self._operations.begin(*operands_of(self._within[0], self._before.found))
            self._chance = chance.states() if self._play.draws else {}

    def _left(self) -> tuple[dict[str, Any], Describing]:
        """What was left since then."""
        number_made = self._operations.number_of if self._operations else None
        with _unseen():
            describing = Describing(self._before.found, self._opaque, number_made)
            told = {"left": self._before.told(describing)}
            if self._play.draws and (moved := chance.changed(self._chance)):
                told["chance"] = moved
        return told, describing

    def lent(self, argument: Any) -> Any:
        """An argument; a function of the play's with its calls recorded."""
        numbers = (at for at, one in enumerate(self._functions) if one is argument)
        number = next(numbers, None)
        return argument if number is None else self._lent(number, argument)

    @contextmanager
    def methods_lent(self) -> Iterator[None]:
        """Have calls of the methods of objects recorded, too, such as optimizers' ``step``."""
        before = [vars(one).get(name) for one, name in self._methods]
        for at, (one, name) in enumerate(self._methods, len(self._functions)):
            setattr(one, name, _method(self._lent(at, getattr(one, name)), one))
        try:
            yield
        finally:
            for (one, name), own in zip(self._methods, before, strict=True):
                vars(one).pop(name, None)
                if own is not None:
                    setattr(one, name, own)

    @contextmanager
    def operations_recorded(self) -> Iterator[None]:
        """Have operations on tensors recorded, where the play asks for that."""
        with nullcontext() if self._operations is None else self._operations.recording():
            yield

    @contextmanager
    def hooks_noted(self) -> Iterator[None]:
        """Have hooks noted that are hung on objects in the arguments, and their calls recorded."""
        with wrapping(self._hook) if self._play.calls_later else nullcontext():
            yield

    def _hook(self, tensor: Any, kind: str, hook: Callable) -> Callable:
        at = next((at for at, one in enumerate(self._before.found) if one is tensor), None)
        if at is None:
            return hook
        number, recorded = self._hand(hook, self._within)
        self.told.setdefault("hooks", []).append([at, kind, number])
        return recorded

    def _lent(self, number: int, function: Callable) -> Callable:
        @functools.wraps(function, updated=())
        def lent(*arguments: Any, **named: Any) -> Any:
            if self._is_acting or self._is_over:
                return function(*arguments, **named)
            act, describing = self._left()
            arguments, named = self._handed(act, describing, arguments, named)
            acts = self.told.setdefault("acts", [])
            acts.append({"function": number, **act, **self._asked(), **self._program()})
            self._is_acting = True
            paused = nullcontext() if self._operations is None else self._operations.paused()
            try:
                with paused:
                    gave = function(*arguments, **named)
            except BaseException as fault:
                self._faults[len(acts) - 1] = fault
                raise
            else:
                self._gave.append(gave)
                return gave
            finally:
                self._is_acting = False
                self._begin()

        return lent

    def _handed(
        self, act: dict, describing: Describing, arguments: tuple, named: Mapping[str, Any]
    ) -> tuple[list, dict[str, Any]]:
        """Note what a lent function is called with; the same, with the calls of theirs recorded."""
        told = []
        given = [*arguments, *named.values()]
        for at, one in enumerate(given):
            if is_function(one):
                number, given[at] = self._hand(one, self._within)
                told.append(["function", number])
            else:
                with _unseen():
                    told.append(describing.value(one))
        act["arguments"], act["names"] = told, list(named)
        return given[: len(arguments)], dict(zip(named, given[len(arguments) :], strict=True))

    def end(self, given: Any = None, raised: BaseException | None = None) -> Any:
        """Note what it left, and what it gave or raised; what it gave, if a function recorded."""
        self._is_over = True
        self.told |= self._asked()
        told, describing = self._left()
        self.told |= told
        if raised is not None:
            act = next((at for at, fault in self._faults.items() if fault is raised), None)
            says = without_cause(explain(raised, self._play.time_limit_s)).message
            how = {"kinds": kinds_of(raised), "args": args_of(raised)}
            self.told["raised"] = {"act": act, **how, "says": says}
            self._faults.clear()
        elif self._play.calls_later and is_function(given):
            self.told["made"], given = self._hand(given, self._within)
        elif self._is_opaque():
            self.told["given"] = describing.opaque(given)
        else:
            with _unseen():
                self.told["given"] = describing.value(given)
        self.told |= self._program()
        return given

    def _is_opaque(self) -> bool:
        """Whether what it gives is the learner's own, and handed back to them alone."""
        number, answers = self.told["answer"], self._play.answers
        return number < len(answers) and answers[number].is_opaque

    def _asked(self) -> dict[str, Any]:
        """What was asked of the network since then, on a simulated rank."""
        return {} if self._network is None else {"network": self._network()}

    def _program(self) -> dict[str, Any]:
        """The operations since the call began, or since its last act; what is told is in it."""
        return {} if self._operations is None else {"program": self._operations.end()}


def _unseen() -> AbstractContextManager[None]:
    """What is done inside is not the learner's: no watch of a play sees it."""
    if "torch" not in sys.modules:
        return nullcontext()
    from gpuedu.training.dispatch import unwatched

    return unwatched()


def _operations_of(play: Play) -> OperationRecorder | None:
    if not play.by_operations:
        return None
    from gpuedu.grading.player.operations.recorder import OperationRecorder

    return OperationRecorder()


def _method(function: Callable, owner: Any) -> MethodType:
    """A function as a method of an object, which has one of that form already."""

    @functools.wraps(function)
    def method(_: Any, *arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    return MethodType(method, owner)
