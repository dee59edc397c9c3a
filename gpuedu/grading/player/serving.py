"""What a player does: run the learner's cells, and play cases that the judge sends.

Where an exercise is about kernels there are two players. In the first the learner's cells run; what
they define goes to the second as text, and there, where none of the learner's Python has run, the
kernels are played on the machine. Plain functions stay in the first and are called from the second.
"""

from __future__ import annotations

import linecache
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Play
from gpuedu.exercises.guard import Outcome, Problem, ToldProblemError, play_guarded
from gpuedu.exercises.placeholder import has_placeholder
from gpuedu.exercises.registry import load_play
from gpuedu.grading.player.capsules import (
    describe_answer,
    describe_argument,
    rebuild_answer,
    rebuild_argument,
)
from gpuedu.grading.player.channel import Channel
from gpuedu.grading.wire import WireError

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

    def load(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run the cells and take the answers; what is wrong with them is told, never raised."""
        self._play = load_play(request["lesson"], request["exercise"])
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
            lambda: [describe_answer(one) for one in self._answers], request["limit_s"]
        )
        return _reply(outcome)

    def rebuild(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Put answers together from what another player told of them."""
        self._play = load_play(request["lesson"], request["exercise"])

        def build() -> list[Any]:
            told = request["answers"]
            return [rebuild_answer(one, at, self._call_there) for at, one in enumerate(told)]

        outcome = play_guarded(build, request["limit_s"])
        self._answers = outcome.observed or []
        return _reply(Outcome(problem=outcome.problem))

    def play(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One case."""
        inputs = request["inputs"]
        return _reply(
            play_guarded(lambda: self._play.run(self._answers, inputs), request["limit_s"])
        )

    def call(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """One of the learner's functions, for a play in another player.

        Arrays come back too, as the function left them; kernels that it made, as text.
        """
        arguments = [rebuild_argument(one) for one in request["arguments"]]
        function = self._answers[request["answer"]]

        def run() -> dict[str, Any]:
            given = function(*arguments)
            back = [describe_argument(one) for one in arguments]
            return {"given": describe_answer(given), "arguments": back}

        return _reply(play_guarded(run, request["limit_s"]))

    def _call_there(self, answer: int, arguments: Sequence[Any]) -> Any:
        """Call a function of the learner's where it is, by way of the judge."""
        sent = [describe_argument(one) for one in arguments]
        self._channel.send({"call": {"answer": answer, "arguments": sent}})
        reply = self._channel.receive()
        if reply["problem"] is not None:
            raise ToldProblemError(Problem(*reply["problem"]))
        for mine, theirs in zip(arguments, reply["observed"]["arguments"], strict=True):
            _write_back(mine, rebuild_argument(theirs))
        return rebuild_answer(reply["observed"]["given"], answer, _no_function)


def _no_function(_answer: int, _arguments: Sequence[Any]) -> Any:
    raise AnswerError("a function that a function made cannot be called here")


def _write_back(mine: Any, theirs: Any) -> None:
    """What the learner's function did to an array that it was given."""
    is_array = type(mine) is np.ndarray and type(theirs) is np.ndarray
    if is_array and mine.flags.writeable and mine.shape == theirs.shape:
        mine[...] = theirs.astype(mine.dtype, copy=False)


def run_cells(cells: Sequence[tuple[str, str]], arguments: Sequence[str]) -> list[Any]:
    """Run cells, of which each is a name and its source, and evaluate what ``check`` is handed."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for name, source in cells:
        filename = f"<{name}>"
        lines = source.splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)
        exec(compile(source, filename, "exec"), namespace)
    return [eval(argument, namespace) for argument in arguments]


def require_answers(play: Play, answers: Sequence[Any]) -> None:
    """Raise AnswerError where one is of the wrong kind."""
    for answer, given in zip(play.answers, answers, strict=True):
        answer.require(given)


def _reply(outcome: Outcome) -> dict[str, Any]:
    problem = outcome.problem
    told = None if problem is None else [problem.message, problem.cause, problem.ends_check]
    return {"observed": outcome.observed, "problem": told, "printed": outcome.printed[:MOST_SHOWN]}
