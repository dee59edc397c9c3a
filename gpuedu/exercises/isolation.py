"""Run something in a separate process, which can be ended even inside compiled code, or die.

Answers that are compiled are played in one; in another, Triton's compiler reads kernels (see
``gpuedu.exercises.kernels.taking``). One worker of each kind is kept warm between checks, so that
only the first pays for its start. It is a fresh interpreter, never a fork: a fork of a process that
has run parallel code can hang.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any

from gpuedu.allowance import Allowance
from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Case, Exercise
from gpuedu.exercises.guard import TOO_LONG, Outcome, Problem
from gpuedu.interrupts import unbroken

START_LIMIT_S = 60.0
ENDING_LIMIT_S = 10.0
"""Between the end of its connection and its own."""
PLAYS = "gpuedu.exercises.worker"


class Worker:
    """A process that answers one request after another for this one.

    Args:
        module: What it runs, with the number of its end of a socket as its argument.
        keeps_words: Whether what it writes is kept for ``last_words``, and not shown.
    """

    @unbroken
    def __init__(self, module: str = PLAYS, *, keeps_words: bool = False) -> None:
        self.module = module
        self._words = tempfile.TemporaryFile() if keeps_words else None  # noqa: SIM115
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # an interrupt of the notebook's kernel is ours to handle
                stdin=subprocess.DEVNULL,
                stdout=self._words,
                stderr=self._words,
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
        if self._words is not None:
            self._words.seek(0)  # the place at which it writes, too
            self._words.truncate()
        self._channel.send_bytes(cloudpickle.dumps(request))
        allowance = Allowance(limit_s, self.pid)
        while not self._channel.poll(max(allowance.left_s(), 0.0)):
            if allowance.left_s() <= 0:
                raise TimeoutError
        reply = cloudpickle.loads(self._channel.recv_bytes())
        self.is_free = not (isinstance(reply, Outcome) and reply.ends_check)
        return reply

    def status(self) -> int:
        """How it ended, if it has, as ``subprocess`` reports it: below 0, the signal's number."""
        return self._process.wait(ENDING_LIMIT_S)

    def last_words(self) -> str:
        """What it wrote since it was last asked."""
        if self._words is None:
            return ""
        self._words.seek(0)
        return self._words.read().decode(errors="replace")

    @unbroken
    def end(self) -> None:
        """End it and everything it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._channel.close()
        if self._words is not None:
            self._words.close()


_warm: list[Worker] = []
_is_player: list[bool] = [False]


def be_player() -> None:
    """From now on this process is a grader's player, whose end the grader reports."""
    _is_player[0] = True


def is_player() -> bool:
    """Whether this process is a grader's player: then it starts no process for safety."""
    return _is_player[0]


@contextlib.contextmanager
def warm_worker(module: str = PLAYS, *, keeps_words: bool = False) -> Iterator[Worker]:
    """A worker that runs a module; it is kept for next time if nothing is left running in it."""
    worker = _kept(module) or Worker(module, keeps_words=keeps_words)
    try:
        yield worker
    finally:
        if worker.is_free:
            _warm.append(worker)
        else:
            worker.end()


def _kept(module: str) -> Worker | None:
    for worker in [one for one in _warm if one.module == module]:
        _warm.remove(worker)
        if worker.is_alive():
            return worker
        worker.end()
    return None


@atexit.register
def end_workers() -> None:
    """End the warm workers, if there are any."""
    while _warm:
        _warm.pop().end()


def play_isolated(
    exercise: Exercise, answers: Sequence[Any], cases: Sequence[Case]
) -> Iterator[Outcome]:
    """Play the cases in a worker; an Outcome for each case that was reached, as it is there."""
    with warm_worker() as worker:
        yield from _play(worker, exercise, answers, cases)


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
        "it ended the process that it ran in",
        "Does it write outside an array, call `exit`, or use up the memory?",
        ends_check=True,
    )
