"""A case is played again with functions that return what a learner's functions returned.

That is in the machine player, where no learner's code ever ran, and never in the judge: a record
may ask for any amount of work and memory, and for objects that no PyTorch kernel expects. If a play
asks for it, what a call did is sent as PyTorch operations, which are carried out.
"""

from __future__ import annotations

import contextlib
import copy
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.attesting import Look, attested_by
from gpuedu.exercises.contract import Play
from gpuedu.exercises.guard import Outcome, Problem, ToldProblemError, play_guarded
from gpuedu.exercises.likewise import is_likewise
from gpuedu.grading import chance
from gpuedu.grading.objects import found_in, functions_in, leave_all, methods_in, operands_of
from gpuedu.grading.parts import is_leaf, is_tensor
from gpuedu.grading.player.hooks import KINDS
from gpuedu.grading.raised import are_plain, raised_as
from gpuedu.grading.ranks import rank_here
from gpuedu.grading.rebuilding import Rebuilding, rebuild

if TYPE_CHECKING:
    from gpuedu.grading.player.operations.executor import OperationExecutor

_ANOTHER = "its functions were not called as the exercise calls them"
_MOST_SAID = 1_000
"""Characters of what an error of a learner's says."""


def play_again(play: Play, inputs: Mapping[str, Any], recorded: Any, limit_s: float) -> Outcome:
    """What a play returns with recorded results; an invalid record is a problem.

    Args:
        play: the exercise's; it notes nothing besides the results of the learner's functions.
        inputs: of the case.
        recorded: what ``gpuedu.grading.player.recording`` made of the calls, from a process that is
            not trusted.
        limit_s: for everything together.
    """

    def run() -> Any:
        record = _Record(play, recorded)
        generators = chance.kept() if play.draws else contextlib.nullcontext()
        with generators, attested_by(record.attest):
            observed = play.run(record.answers, copy.deepcopy(dict(inputs)))
        record.require_end()
        return observed

    return play_guarded(run, limit_s)


class _Record:
    """The answers of a record, which give what was recorded, call by call."""

    def __init__(self, play: Play, recorded: Any) -> None:
        values, calls = (_list(recorded.get(one)) for one in ("values", "calls"))
        if len(values) != len(play.answers):
            raise AnswerError("the answers did not arrive")
        self._play, self._is_another = play, False
        self._calls: defaultdict[Any, deque] = defaultdict(deque)
        for call in calls:
            rank = call.get("rank") if type(call) is dict else None
            self._calls[rank if type(rank) is int else None].append(call)
        self._last: dict[int, Any] = {}
        self._executor = _executor_of(play)
        self._attested = deque(_list(recorded.get("attested", [])))
        self.answers = [
            self._function(at) if wanted.kind == "function" else rebuild(values[at])
            for at, wanted in enumerate(play.answers)
        ]

    def attest(self, _: Look) -> Any:
        """What was seen beside the learner's code, as their process says."""
        if not self._attested or not self._play.attests:
            self._is_another = True
            raise AnswerError(_ANOTHER)
        seen = rebuild(self._attested.popleft())
        if not _is_told(seen):
            self._is_another = True
            raise AnswerError("what was observed beside it arrived in an unknown form")
        return seen

    def _function(self, number: int, around: Any = (), *, is_hook: bool = False) -> Callable:
        """Answer ``number``, or a function that the learner's made or handed on."""

        def recorded(*arguments: Any, **named: Any) -> Any:
            on_rank = rank_here()
            calls = self._calls[on_rank[1] if on_rank else None]
            is_next = calls and type(calls[0]) is dict and calls[0].get("answer") == number
            if is_hook and not is_next:  # it was taken off its tensor before
                return None
            if not is_next:
                self._is_another = True  # a play may go on after an error
                raise AnswerError(_ANOTHER)
            call = self._as_told(number, calls.popleft())
            within = (*arguments, *named.values()), around
            try:
                replayed = _Call(self._play, within, self._function, self._executor)
                given, fault = replayed.play(call)
            except AnswerError:  # what was done with other values need not fit these
                self._is_another |= not is_likewise()
                raise
            if fault is not None:
                raise fault
            return given

        return recorded

    def _as_told(self, number: int, call: Any) -> Any:
        """What a function did in a call; what it did in its last one, where it should do that."""
        if is_likewise() and self._executor is not None:
            return self._last.get(number, call)
        self._last[number] = call
        return call

    def require_end(self) -> None:
        """Raise AnswerError where more was recorded than the play has called, or something else."""
        if any(self._calls.values()) or self._attested or self._is_another:
            raise AnswerError(_ANOTHER)


class _Call:
    """One call of a learner's function, with what it did told.

    Args:
        play: the exercise's.
        within: the arguments of the call, and what else it could leave something in.
        function: gives the learner's function of a number, which it handed to one of the play's.
        executor: carries out operations of PyTorch, where they are told.
    """

    def __init__(
        self,
        play: Play,
        within: tuple[tuple, Any],
        function: Callable[..., Callable],
        executor: OperationExecutor | None,
    ) -> None:
        self._play, self._function, self._executor = play, function, executor
        self._gave: list[Any] = []
        self._within = *within, self._gave
        self._faults: dict[int, BaseException] = {}
        methods = methods_in(within[0]) if play.lends else []
        self._functions = [getattr(one, name) for one, name in methods]
        if play.lends:
            self._functions[:0] = functions_in(within[0])

    def play(self, call: Mapping[str, Any]) -> tuple[Any, BaseException | None]:
        """Call and leave what the function did: what it gave, and what it raised.

        Raises:
            AnswerError: that is told in a form that none has.
        """
        for number, act in enumerate(_list(call.get("acts", []))):
            self._act(number, act)
        _ask(call)
        rebuilding = self._leave(call)
        for hook in _list(call.get("hooks", [])) if self._play.calls_later else ():
            self._hang(hook)
        if "raised" in call:
            return None, self._raised(call["raised"])
        if self._play.calls_later and type(call.get("made")) is int:
            return self._function(call["made"], self._within), None
        return rebuilding.value(call.get("given")), None

    def _hang(self, told: Any) -> None:
        """Hang a function of the learner's on a tensor, as theirs did."""
        at, kind, number = told if type(told) is list and len(told) == 3 else (None, "", None)
        found = found_in(self._within)
        tensor = found[at] if type(at) is int and 0 <= at < len(found) else None
        if not (is_tensor(tensor) and kind in KINDS and type(number) is int):
            raise AnswerError(_ANOTHER)
        try:
            getattr(tensor, kind)(self._function(number, self._within, is_hook=True))
        except RuntimeError as fault:  # it is no tensor to hang that on
            raise AnswerError(_ANOTHER) from fault

    def _leave(self, told: Mapping[str, Any]) -> Rebuilding:
        """Have in arguments, and in generators, what the function left until then."""
        found, executor = found_in(self._within), self._executor
        if executor is not None:
            executor.begin(*operands_of(self._within[0], found))
            executor.execute(told.get("program"))
        rebuilding = Rebuilding(found, executor and executor.made)
        before = [one.grad for one in found if is_tensor(one)] if executor else []
        leave_all(found, _list(told.get("left")), rebuilding)
        for tensor, grad in zip(filter(is_tensor, found), before, strict=bool(executor)):
            if tensor.grad is not None and tensor.grad is not grad:
                _tell_hooks(tensor)
        if self._play.draws and "chance" in told:
            chance.put(told["chance"])
        return rebuilding

    def _act(self, number: int, act: Any) -> None:
        """Call a function of the play's as the learner's did."""
        if type(act) is not dict:
            raise AnswerError(_ANOTHER)
        _ask(act)
        rebuilding, function = self._leave(act), act.get("function")
        names, told = _list(act.get("names")), _list(act.get("arguments"))
        is_one = type(function) is int and 0 <= function < len(self._functions)
        if not is_one or len(names) > len(told) or not all(type(one) is str for one in names):
            raise AnswerError(_ANOTHER)
        given = [self._given(one, rebuilding) for one in told]
        arguments, last = given[: len(given) - len(names)], given[len(given) - len(names) :]
        named = dict(zip(names, last, strict=True))
        try:
            self._gave.append(self._functions[function](*arguments, **named))
        except (Exception, KeyboardInterrupt) as fault:
            if type(fault) is KeyboardInterrupt:  # a person's: a case makes others
                raise
            self._faults[number] = fault

    def _given(self, told: Any, rebuilding: Rebuilding) -> Any:
        """What a function of the play's is called with."""
        if type(told) is list and len(told) == 2 and told[0] == "function":
            return self._function(told[1], self._within)
        return rebuilding.value(told)

    def _raised(self, told: Any) -> BaseException:
        """The error of a function of the play's, if it was that, or one that stands for theirs."""
        told = told if type(told) is dict else {}
        number, args, says = (told.get(name) for name in ("act", "args", "says"))
        fault = self._faults.get(number) if type(number) is int else None
        if fault is not None:
            return fault
        is_said = type(says) is str and says
        problem = Problem(says[:_MOST_SAID] if is_said else "it raised an error")
        theirs = raised_as(ToldProblemError, told.get("kinds"), problem)
        theirs.args = tuple(args) if are_plain(args) else ()
        return theirs


def _is_told(seen: Any) -> bool:
    """Whether it is of numbers and texts alone, which nobody has to compute with for long."""
    if type(seen) is dict:
        return all(map(_is_told, (*seen, *seen.values())))
    return all(map(_is_told, seen)) if type(seen) in (list, tuple) else is_leaf(seen)


def _tell_hooks(tensor: Any) -> None:
    """Call the play's hooks that wait for a gradient, which no backward of ours has made."""
    hooks = getattr(tensor, "_post_accumulate_grad_hooks", None) or {}
    for hook in list(hooks.values()):
        hook(tensor)


def _ask(told: Mapping[str, Any]) -> None:
    """On a simulated rank, ask of the network what the learner's function did."""
    on_rank = rank_here()
    if on_rank:
        from gpuedu.multi.light.performing import perform

        perform(*on_rank, told.get("network"))


def _executor_of(play: Play) -> OperationExecutor | None:
    if not play.by_operations:
        return None
    from gpuedu.grading.player.operations.executor import OperationExecutor

    return OperationExecutor()


def _list(value: Any) -> list:
    if type(value) is not list:
        raise AnswerError("the answers did not arrive")
    return value
