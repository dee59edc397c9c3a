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
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from gpuedu.allowance import Allowance
from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Case, Exercise
from gpuedu.exercises.guard import Outcome, Problem
from gpuedu.exercises.interruption import unbroken

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

        self._channel.send_bytes(cloudpickle.dumps(request))
        allowance = Allowance(limit_s, self.pid)
        while not self._channel.poll(max(allowance.left_s(), 0.0)):
            if allowance.left_s() <= 0:
                raise TimeoutError
        return cloudpickle.loads(self._channel.recv_bytes())

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


def play_isolated(exercise: Exercise, answers: Sequence[Any], cases: Sequence[Case]) -> list:
    """Play the cases in a worker; an Outcome for each case that was reached."""
    worker = _warm_worker()
    try:
        outcomes = _play(worker, exercise, answers, cases)
    except BaseException:
        worker.end()
        raise
    if outcomes and outcomes[-1].problem and outcomes[-1].problem.ends_check:
        worker.end()
    else:
        _warm.append(worker)
    return outcomes


def _play(
    worker: Worker, exercise: Exercise, answers: Sequence[Any], cases: Sequence[Case]
) -> list[Outcome]:
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
    outcomes: list[Outcome] = []
    for case in cases:
        left_s = max(allowance.left_s(), 0.0)
        try:
            outcomes.append(worker.ask(("play", dict(case.inputs), left_s), left_s + 0.5))
        except TimeoutError:
            outcomes.append(Outcome(problem=_too_long(limit_s)))
        except (EOFError, OSError):
            outcomes.append(Outcome(problem=_died()))
        if outcomes[-1].problem and outcomes[-1].problem.ends_check:
            break
    return outcomes


def _too_long(limit_s: float) -> Problem:
    return Problem(
        f"it did not finish within {limit_s:.3g} s, all cases together",
        "Is there a loop that never ends?",
        ends_check=True,
    )


def _died() -> Problem:
    return Problem(
        "it ended the process that it was tried in",
        "Does it write outside an array, call `exit`, or use up the memory?",
        ends_check=True,
    )
