"""Play an exercise in a process of its own, which can be ended even inside compiled code.

One worker is kept warm between checks, so that only the first pays for its start. It is a fresh
interpreter, never a fork: a fork of a process that has run parallel code can hang.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

from gpuedu.allowance import Allowance
from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Case, Exercise
from gpuedu.exercises.guard import TOO_LONG, Outcome, Problem
from gpuedu.interrupts import unbroken

START_LIMIT_S = 60.0


class Worker:
    """A process that plays cases of one exercise after another for this one."""

    @unbroken
    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "gpuedu.exercises.worker", str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # an interrupt of the notebook's kernel is ours to handle
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._channel = Connection(ours.detach())
        self.is_free = False
        """Whether it has answered, and nothing that it was asked still runs in it."""

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def ask(self, request: Any, limit_s: float) -> Any:
        """Send a request and wait; TimeoutError when the limit passes, EOFError when it died."""
        import cloudpickle

        self.is_free = False
        self._channel.send_bytes(cloudpickle.dumps(request))
        allowance = Allowance(limit_s, self.pid)
        while not self._channel.poll(max(allowance.left_s(), 0.0)):
            if allowance.left_s() <= 0:
                raise TimeoutError
        reply = cloudpickle.loads(self._channel.recv_bytes())
        self.is_free = not (isinstance(reply, Outcome) and reply.ends_check)
        return reply

    @unbroken
    def end(self) -> None:
        """End it and everything it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._channel.close()


_warm: list[Worker] = []


def _warm_worker() -> Worker:
    while _warm:
        worker = _warm.pop()
        if worker.is_alive():
            return worker
        worker.end()
    return Worker()


@atexit.register
def end_workers() -> None:
    """End the warm worker, if there is one."""
    while _warm:
        _warm.pop().end()


def play_isolated(
    exercise: Exercise, answers: Sequence[Any], cases: Sequence[Case]
) -> Iterator[Outcome]:
    """Play the cases in a worker; an Outcome for each case that was reached, as it is there."""
    worker = _warm_worker()
    try:
        yield from _play(worker, exercise, answers, cases)
    finally:
        if worker.is_free:
            _warm.append(worker)
        else:
            worker.end()


def _play(
    worker: Worker, exercise: Exercise, answers: Sequence[Any], cases: Sequence[Case]
) -> Iterator[Outcome]:
    import cloudpickle

    try:
        code = cloudpickle.dumps(tuple(answers))
    except Exception as fault:
        raise AnswerError(
            f"your function cannot be sent to the process that tries it: {fault}",
            remedy="keep open files, locks and generators out of it",
        ) from fault
    limit_s = exercise.play.time_limit_s
    worker.ask(("load", exercise.id, code), START_LIMIT_S)
    allowance = Allowance(limit_s, worker.pid)
    for case in cases:
        left_s = max(allowance.left_s(), 0.0)
        try:
            outcome = worker.ask(("play", dict(case.inputs), left_s), left_s + 0.5)
        except TimeoutError:
            outcome = Outcome(problem=_too_long(limit_s))
        except (EOFError, OSError):
            outcome = Outcome(problem=_died())
        yield outcome
        if outcome.ends_check:
            return


def _too_long(limit_s: float) -> Problem:
    return Problem(
        f"it did not finish within {limit_s:.3g} s, all cases together",
        TOO_LONG,
        ends_check=True,
    )


def _died() -> Problem:
    return Problem(
        "it ended the process that it was tried in",
        "Does it write outside an array, call `exit`, or use up the memory?",
        ends_check=True,
    )
