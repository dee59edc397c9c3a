"""The process in which an isolated exercise is played: ``python -m gpuedu.exercises.worker FD``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import cloudpickle

from gpuedu.exercises.guard import Outcome, explain, play_guarded
from gpuedu.exercises.registry import load_play


def serve(channel: Connection) -> None:
    """Answer ``load`` and ``play`` requests until the other side closes the channel."""
    load = play = None
    while True:
        try:
            request = cloudpickle.loads(channel.recv_bytes())
        except (EOFError, OSError):
            return
        if request[0] == "load":
            load, reply = request[1:], True
            play = None
        else:
            if play is None:
                play = _loaded(*load)
            _, inputs, limit_s = request
            reply = play_guarded(partial(play, inputs), limit_s)
        _answer(channel, reply)


def _loaded(exercise: str, code: bytes) -> Callable[[dict], Any]:
    """The exercise's play with the learner's objects in it; a fault in either shows on the card."""
    play = load_play(exercise)
    answers: list[Sequence[Any]] = []

    def run(inputs: dict) -> Any:
        if not answers:
            answers.append(cloudpickle.loads(code))
        return play.run(answers[0], inputs)

    return run


def _answer(channel: Connection, reply: Any) -> None:
    try:
        channel.send_bytes(cloudpickle.dumps(reply))
    except Exception as fault:
        channel.send_bytes(cloudpickle.dumps(Outcome(problem=explain(fault, 0.0))))


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
