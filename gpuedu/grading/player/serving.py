"""What a player does: run the learner's cells, and play cases that the judge sends.

If an exercise is about kernels there are two players. The learner's cells run in the first; what
they define goes to the second as text, and there, where none of the learner's Python has run, the
kernels are played on the machine. Plain functions stay in the first and are called from the second.
What they see of a device, ``cp``, is there too: see ``gpuedu.grading.player.device``.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gpuedu.clock.lending import AFAR
from gpuedu.errors import AnswerError
from gpuedu.exercises import registry
from gpuedu.exercises.contract import Play
from gpuedu.exercises.guard import (
    Outcome,
    Problem,
    ToldProblemError,
    play_guarded,
    without_cause,
)
from gpuedu.exercises.isolation import be_player
from gpuedu.exercises.placeholder import has_placeholder
from gpuedu.exercises.registry import load_play
from gpuedu.grading.parts import refuse_fused
from gpuedu.grading.player.channel import Channel
from gpuedu.grading.player.device.faults import describe_fault
from gpuedu.grading.player.device.iterators import Iterators, iterable_of
from gpuedu.grading.player.device.link import Link
from gpuedu.grading.player.device.modules import install
from gpuedu.grading.player.device.server import DeviceServer, LeftItError
from gpuedu.grading.player.recording import Recorder
from gpuedu.grading.player.serialization import (
    describe_answer,
    describe_argument,
    rebuild_answer,
    rebuild_argument,
)
from gpuedu.grading.raised import are_plain, kinds_of, raised_as
from gpuedu.grading.rebuilding import write_back
from gpuedu.grading.replaying import play_again
from gpuedu.grading.wire import WireError, pack

MOST_SHOWN = 4_000
"""How many characters of a learner's output are kept for the card."""


def serve(channel: Channel) -> None:
    """Answer the judge until it is gone."""
    be_player()
    player = _Player(channel)
    doing = {
        "load": player.load,
        "describe": player.describe,
        "rebuild": player.rebuild,
        "play": player.play,
        "again": player.again,
        "call": player.call,
        "device": player.device,
    }
    while True:
        try:
            request = player.receive()
        except EOFError:
            return
        _send(channel, doing[request["do"]](request))


def _send(channel: Channel, reply: Mapping[str, Any]) -> None:
    try:
        channel.send(reply)
    except WireError as fault:  # what a play or a learner's function gave is not plain
        channel.send(_reply(Outcome(problem=Problem(f"its result cannot be judged: {fault}"))))


class _Player:
    """The state of one: the exercise, and the answers or what stands for them."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._play: Play | None = None
        self._answers: list[Any] = []
        self._device: Link | None = None
        self._iterators: Iterators | None = None
        self._machine = DeviceServer(self._say)

    def receive(self) -> Any:
        """The next request."""
        return self._channel.receive() if self._device is None else self._device.receive()

    def load(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run the cells and take the answers; what is wrong with them is told, never raised."""
        self._play = load_play(request["exercise"])
        registry.GIVEN_FIGURES.update(request.get("measured", {}))
        if self._play.on_machine:
            self._device = install(self._channel)
            self._iterators = Iterators(self._device)
        outcome = play_guarded(
            lambda: run_cells(request["cells"], request["arguments"]), request["limit_s"]
        )
        if outcome.problem is not None:
            return {"state": "broken", **_reply(outcome)}
        self._answers = outcome.observed
        reply = {
            "state": "ready",
            "blanks": [has_placeholder(one) for one in self._answers],
            "given": [one is ... for one in self._answers],
        }
        if not any(reply["given"]):
            try:
                require_answers(self._play, self._answers)
            except AnswerError as refusal:
                problem = [refusal.message, refusal.remedy, False]
                return {**reply, "state": "refused", "problem": problem}
        return {**reply, "problem": None}

    def describe(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answers as text and plain values."""
        outcome = play_guarded(
            lambda: [describe_answer(one, self._device) for one in self._answers],
            request["limit_s"],
        )
        return _reply(outcome)

    def rebuild(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Put answers together from what another player told of them."""
        self._play = load_play(request["exercise"])

        def build() -> list[Any]:
            there = self._call_there, self._machine
            found = [
                rebuild_answer(one, at, *there, compiles=self._play.compiles)
                for at, one in enumerate(request["answers"])
            ]
            require_answers(self._play, found)  # whatever was said where they were made
            for one, told in zip(found, request["answers"], strict=True):
                if told["kind"] == "function":
                    setattr(one, AFAR, self._machine.lend_clock)
            return found

        outcome = play_guarded(build, request["limit_s"])
        self._answers = outcome.observed or []
        return _reply(Outcome(problem=outcome.problem))

    def play(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One case: what it gives, or the calls that were made, to play it again from."""
        inputs, play, answers = request["inputs"], self._play, self._answers
        if not play.is_repeatable:
            return _reply(play_guarded(lambda: play.run(answers, inputs), request["limit_s"]))
        recorder = Recorder(play, answers)
        outcome = play_guarded(lambda: recorder.play(inputs), request["limit_s"])
        if outcome.problem is None:
            return _reply(replace(outcome, observed=recorder.told()))
        return _reply(
            outcome if outcome.ends_check else replace(outcome, observed=_sendable(recorder))
        )

    def again(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One case once more, with what another player recorded of it: what it gives."""
        play = load_play(request["exercise"])
        refuse_fused()
        how = request["inputs"], request["recorded"], request["limit_s"]
        return _reply(play_again(play, *how))

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One of the learner's functions, for a play in another player.

        Arrays come back too, as the function left them; kernels that it made, as text. What it let
        go of on the device is told with the reply, so that nothing of it is there afterwards.
        """
        if "iterator" in request:
            return self._reply_of(lambda: self._iterators.ask(*request["iterator"]), request)
        encoded, clock = request["arguments"], request["clock"]
        function = self._answers[request["answer"]]
        arguments: list[Any] = []

        def run() -> dict[str, Any]:
            self._iterators.enter(clock, function)
            arguments.extend(rebuild_argument(one, self._device) for one in encoded)
            given = function(*arguments)
            pairs = zip(arguments, encoded, strict=True)
            back = [self._told_back(one, told) for one, told in pairs]
            told = self._iterators.describe(given) if clock else None
            return {"given": told or describe_answer(given, self._device), "arguments": back}

        return self._reply_of(run, request, arguments)

    def _reply_of(
        self, run: Callable[[], Any], request: Mapping[str, Any], kept: list[Any] | None = None
    ) -> dict[str, Any]:
        """What was done, or the error that it let out; ``kept`` is let go of before it is told."""
        raised: dict[str, Any] = {}

        def guarded() -> Any:
            try:
                return self._settled(run)
            except BaseException as fault:
                known = self._known(fault)
                if known is None:
                    raised.update(self._describe_raised(fault))
                    raise
                return known

        reply = {**_reply(play_guarded(guarded, request["limit_s"])), **raised}
        if kept is not None:
            kept.clear()
        return {**reply, "freed": self._device.freed()}

    def _settled(self, run: Callable[[], Any]) -> Any:
        """Do something, and let a play's clock know of all looks at it."""
        try:
            return run()
        finally:
            if self._device.clock is not None:
                self._device.clock.settle()

    def _known(self, fault: BaseException | None) -> dict[str, int] | None:
        """An error that the play itself raised, or gave as an item; None for any other."""
        if fault is None:
            return None
        number, item = self._device.number_of(fault), self._device.item_number(fault)
        if number is not None:
            return {"fault": number}
        return None if item is None else {"item_fault": item}

    def _describe_raised(self, fault: BaseException) -> dict[str, Any]:
        """An error of the learner's own: its classes, and what it was raised from."""
        told: dict[str, Any] = {
            "raised": kinds_of(fault),
            "args": list(fault.args) if are_plain(fault.args) else None,
        }
        known = self._known(fault.__cause__) or self._known(fault.__context__)
        return {**told, "raised_from": known}

    def _told_back(self, argument: Any, told: Mapping[str, Any]) -> dict[str, Any]:
        """After the call: what is on the device has not moved; a list of it may be another."""
        if told["kind"] != "device":
            return describe_argument(argument)
        changeable = argument if type(argument) in (list, dict) else None
        return describe_argument(changeable, self._device)

    def device(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One thing that the learner's cells ask of the device while they are run."""
        return {"answer": self._machine.answer(request["device"]), "done": True}

    def _say(self, message: Mapping[str, Any]) -> Any:
        """Say something to the learner's player and get the next message from there."""
        try:
            self._channel.send(message)
        except (WireError, ValueError) as fault:
            if "answer" not in message:
                raise
            fault_message = describe_fault(AnswerError(f"what it returned cannot be sent: {fault}"))
            self._channel.send({"answer": {"fault": fault_message}})
        return self._channel.receive()["said"]

    def _call_there(self, answer: int, arguments: Sequence[Any]) -> Any:
        """Call a function of the learner's where it is, and do what it asks of the device."""
        sent = [describe_argument(one, self._machine) for one in arguments]
        clock = self._machine.clock_number if self._machine.clock is not None else 0
        asked = {"answer": answer, "arguments": sent, "clock": clock}
        return self._asked_there(asked, lambda told: self._given_back(answer, arguments, told))

    def _ask_iterator(self, what: str, number: int) -> Mapping[str, Any]:
        """Ask for an item of an iterator that a learner's function made."""

        def given_back(observed: Any) -> Mapping[str, Any]:
            item = observed.get("item")
            return {**observed, "item": object() if item is None else self._machine.item(item)}

        return self._asked_there({"iterator": [what, number]}, given_back)

    def _asked_there(self, asked: Mapping[str, Any], take: Callable[[Any], Any]) -> Any:
        """Have something done where the learner's code is, and what it gave; or its error."""
        reply = self._say({"call": asked})
        while type(reply) is dict and "device" in reply:
            try:
                answer = self._machine.answer(reply["device"])
                self._machine.require_there()
                reply = self._say({"answer": answer})
            except LeftItError as left:
                reply = left.reply
        try:
            if reply["problem"] is not None:
                raise self._problem_of(reply)
            observed = reply["observed"]
            if "fault" in observed:
                raise self._machine.fault(observed["fault"])
            if "item_fault" in observed:
                raise self._machine.item_fault(observed["item_fault"])
            given = take(observed)
            print(str(reply["printed"])[:MOST_SHOWN], end="")
            return given
        finally:
            self._machine.free(reply.get("freed"))
            self._machine.forget_faults()

    def _problem_of(self, reply: Mapping[str, Any]) -> BaseException:
        """What a learner's function let out, as the play may look for it."""
        classes = reply.get("raised")
        kind = classes[0] if type(classes) is list and classes else None
        on_clock = self._machine.clock is not None
        copied = self._machine.copy_of(kind, reply.get("args")) if on_clock else None
        if copied is not None:
            return copied
        problem = told_problem(without_cause(Problem(*reply["problem"])), classes)
        known = reply.get("raised_from")
        if type(known) is dict and "fault" in known:
            problem.__cause__ = self._machine.fault(known["fault"])
        elif type(known) is dict:
            problem.__cause__ = self._machine.item_fault(known.get("item_fault"))
        return problem

    def _given_back(self, answer: int, arguments: Sequence[Any], observed: Any) -> Any:
        """What a learner's function gave."""
        for mine, theirs in zip(arguments, observed["arguments"], strict=True):
            write_back(mine, rebuild_argument(theirs, self._machine))
        given = observed["given"]
        if self._machine.clock is not None and type(given) is dict and "iterator" in given:
            return iterable_of(given, self._ask_iterator)
        return rebuild_answer(given, answer, _no_function, self._machine)


def told_problem(problem: Problem, classes: Any) -> ToldProblemError:
    """A problem that is caught as what it was over there, if that is a Python exception.

    >>> problem = Problem("it raised KeyError")
    >>> isinstance(told_problem(problem, [["builtins", "KeyError"]]), KeyError)
    True
    """
    return raised_as(ToldProblemError, classes, problem)


def _sendable(recorder: Recorder) -> dict[str, Any] | None:
    """What was recorded until a play failed; None where that cannot be sent."""
    try:
        told = recorder.told()
        pack(told)
    except (WireError, ValueError):
        return None
    return told


def _no_function(_answer: int, _arguments: Sequence[Any]) -> Any:
    raise AnswerError("a function that a function made cannot be called here")


def run_cells(cells: Sequence[tuple[str, str]], arguments: Sequence[str]) -> list[Any]:
    """Run cells, each a name and its source, and evaluate what ``check`` is handed."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for name, source in cells:
        filename = f"<{name}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        exec(compile(source, filename, "exec", dont_inherit=True), namespace)
    return [eval(argument, namespace) for argument in arguments]


def require_answers(play: Play, answers: Sequence[Any]) -> None:
    """Raise AnswerError if one is of the wrong kind."""
    for answer, given in zip(play.answers, answers, strict=True):
        answer.require(given)


def _reply(outcome: Outcome) -> dict[str, Any]:
    problem = outcome.problem
    told = None if problem is None else [problem.message, problem.cause, problem.ends_check]
    return {"observed": outcome.observed, "problem": told, "printed": outcome.printed[:MOST_SHOWN]}
