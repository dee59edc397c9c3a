"""What a player does: run the learner's cells, and play cases that the judge sends.

Where an exercise is about kernels there are two players. In the first the learner's cells run; what
they define goes to the second as text, and there, where none of the learner's Python has run, the
kernels are played on the machine. Plain functions stay in the first and are called from the second.
What they see of a device, ``cp``, is there, too: see ``gpuedu.grading.player.device``.
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
from gpuedu.exercises.placeholder import has_placeholder
from gpuedu.exercises.registry import load_play
from gpuedu.grading.player.channel import Channel
from gpuedu.grading.player.device.faults import describe_fault
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
from gpuedu.grading.raised import kinds_of, raised_as
from gpuedu.grading.results import write_back
from gpuedu.grading.wire import WireError

if TYPE_CHECKING:
    from gpuedu.grading.player.operations.executor import OperationExecutor
    from gpuedu.grading.player.operations.recorder import OperationRecorder

MOST_SHOWN = 4_000
"""Characters of what a learner's code printed that are kept for its card."""


def serve(channel: Channel) -> None:
    """Answer the judge until it goes."""
    player = _Player(channel)
    doing = {
        "load": player.load,
        "describe": player.describe,
        "rebuild": player.rebuild,
        "play": player.play,
        "call": player.call,
        "device": player.device,
    }
    while True:
        try:
            request = channel.receive()
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
        self._machine = DeviceServer(self._say)
        self._recorder: OperationRecorder | None = None
        self._executor: OperationExecutor | None = None

    def load(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run the cells and take the answers; what is wrong with them is told, never raised."""
        self._play = load_play(request["exercise"])
        registry.GIVEN_FIGURES.update(request.get("measured", {}))
        if self._play.on_machine:
            self._device = install(self._channel)
        if self._play.by_operations:
            from gpuedu.grading.player.operations.recorder import OperationRecorder

            self._recorder = OperationRecorder()
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
        if self._play.by_operations:
            from gpuedu.grading.player.operations.executor import OperationExecutor

            self._executor = OperationExecutor()

        def build() -> list[Any]:
            there = self._call_there, self._machine
            found = [
                rebuild_answer(one, at, *there, compiles=self._play.compiles)
                for at, one in enumerate(request["answers"])
            ]
            require_answers(self._play, found)  # whatever was said where they were made
            return found

        outcome = play_guarded(build, request["limit_s"])
        self._answers = outcome.observed or []
        return _reply(Outcome(problem=outcome.problem))

    def play(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One case: what it gives, or the calls that were made, for the judge to play it again."""
        inputs, play, answers = request["inputs"], self._play, self._answers
        if not play.is_repeatable:
            return _reply(play_guarded(lambda: play.run(answers, inputs), request["limit_s"]))
        recorder = Recorder(play, answers)
        outcome = play_guarded(lambda: recorder.play(inputs), request["limit_s"])
        return _reply(outcome if outcome.problem else replace(outcome, observed=recorder.told()))

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One of the learner's functions, for a play in another player.

        Arrays come back too, as the function left them; kernels that it made, as text. What it let
        go of on the device is told with the reply, so that nothing of it is there afterwards. Where
        the function arrives by its operations, they are told, too.
        """
        encoded, recorder = request["arguments"], self._recorder
        if recorder is not None:
            arguments = recorder.take(encoded)
        else:
            arguments = [rebuild_argument(one, self._device) for one in encoded]
        function = self._answers[request["answer"]]
        raised: list[list[str]] = []

        def run() -> dict[str, Any]:
            try:
                with nullcontext() if recorder is None else recorder.watch(encoded):
                    given = function(*arguments)
            except BaseException as fault:
                number = self._device.number_of(fault) if self._device else None
                if number is None:
                    raised.extend(kinds_of(fault))
                    raise
                return {"fault": number}
            if recorder is not None:
                keeps = self._play.answers[request["answer"]].is_opaque
                return {"given": recorder.give(given, keeps=keeps), "arguments": recorder.left()}
            pairs = zip(arguments, encoded, strict=True)
            back = [self._told_back(one, told) for one, told in pairs]
            return {"given": describe_answer(given, self._device), "arguments": back}

        reply = {**_reply(play_guarded(run, request["limit_s"])), "raised": raised}
        arguments.clear()
        if recorder is not None:
            reply["steps"] = recorder.steps()
        return reply if self._device is None else {**reply, "freed": self._device.freed()}

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
            fault_message = describe_fault(AnswerError(f"what it gives cannot be sent: {fault}"))
            self._channel.send({"answer": {"fault": fault_message}})
        return self._channel.receive()["said"]

    def _call_there(self, answer: int, arguments: Sequence[Any]) -> Any:
        """Call a function of the learner's where it is, and do what it asks of the device."""
        if self._executor is not None:
            sent = self._executor.offer(arguments)
        else:
            sent = [describe_argument(one, self._machine) for one in arguments]
        reply = self._say({"call": {"answer": answer, "arguments": sent}})
        while type(reply) is dict and "device" in reply:
            try:
                reply = self._say({"answer": self._machine.answer(reply["device"])})
            except LeftItError as left:
                reply = left.reply
        try:
            return self._given_back(answer, arguments, reply)
        finally:
            self._machine.free(reply.get("freed"))
            self._machine.forget_faults()

    def _given_back(self, answer: int, arguments: Sequence[Any], reply: Mapping[str, Any]) -> Any:
        """What a learner's function gave, or raises what it let out."""
        if self._executor is not None:
            self._executor.execute(reply.get("steps"))
        if reply["problem"] is not None:
            raise told_problem(without_cause(Problem(*reply["problem"])), reply.get("raised"))
        observed = reply["observed"]
        if "fault" in observed:
            raise self._machine.fault(observed["fault"])
        if self._executor is not None:
            print(str(reply["printed"])[:MOST_SHOWN], end="")
            return self._executor.given_back(observed, arguments)
        for mine, theirs in zip(arguments, observed["arguments"], strict=True):
            write_back(mine, rebuild_argument(theirs, self._machine))
        given = rebuild_answer(observed["given"], answer, _no_function, self._machine)
        print(str(reply["printed"])[:MOST_SHOWN], end="")
        return given


def told_problem(problem: Problem, classes: Any) -> ToldProblemError:
    """A problem that is caught as what it was over there, where that is an exception of Python's.

    >>> problem = Problem("it raised KeyError")
    >>> isinstance(told_problem(problem, [["builtins", "KeyError"]]), KeyError)
    True
    """
    return raised_as(ToldProblemError, classes, problem)


def _no_function(_answer: int, _arguments: Sequence[Any]) -> Any:
    raise AnswerError("a function that a function made cannot be called here")


def run_cells(cells: Sequence[tuple[str, str]], arguments: Sequence[str]) -> list[Any]:
    """Run cells, of which each is a name and its source, and evaluate what ``check`` is handed."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for name, source in cells:
        filename = f"<{name}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        exec(compile(source, filename, "exec", dont_inherit=True), namespace)
    return [eval(argument, namespace) for argument in arguments]


def require_answers(play: Play, answers: Sequence[Any]) -> None:
    """Raise AnswerError where one is of the wrong kind."""
    for answer, given in zip(play.answers, answers, strict=True):
        answer.require(given)


def _reply(outcome: Outcome) -> dict[str, Any]:
    problem = outcome.problem
    told = None if problem is None else [problem.message, problem.cause, problem.ends_check]
    return {"observed": outcome.observed, "problem": told, "printed": outcome.printed[:MOST_SHOWN]}
