"""Whether Triton's own compiler takes a kernel, asked in a process of the compiler's own.

Its assertions end the process that they fail in, and in a notebook that would be the learner's.
A grader's player is a process that may end, which the grader tells of, so there the compiler reads
in place: another process would cost its start for each exercise of each submission, and it would
need a session of its own, which the sandbox refuses.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.compilers.errors import KernelCompileError
from gpuedu.errors import AnswerError
from gpuedu.exercises import isolation
from gpuedu.exercises.guard import Problem, ToldProblemError
from gpuedu.triton.compiled import typed
from gpuedu.triton.front_end import Types, read, refused
from gpuedu.triton.last_words import diagnostic, last_words
from gpuedu.triton.suspicions import suspicion
from gpuedu.triton.texts import trees

LIMIT_S = 5.0
"""For one kernel; what exercises ask for takes some 20 ms."""
READER = "gpuedu.triton.worker"
_OTHER_WORDS = "Write that line differently: which types and shapes does it put together?"
_TOO_MANY_LINES = "Has `tl.static_range` many turns? Each is compiled as lines of its own."


def require_taken(
    kernel: Any, told: Mapping[str, Any], threads: int, arguments: Sequence[Any]
) -> None:
    """Raise where Triton's compiler does not take a kernel of these arguments.

    Its front end alone reads the kernel: types, shapes, and what of Python it knows. The
    interpreter runs any Python, such as a tuple that grows from turn to turn.

    Args:
        kernel: As ``texts.rebuilt`` made it.
        told: What it was made of.
        threads: Of a program: 32 times ``num_warps``.
        arguments: As for a launch: NumPy arrays and numbers.

    Raises:
        AnswerError: the compiler refuses the kernel.
        ToldProblemError: it ended its process, or was ended; no further case is played.
    """
    kernel, types = typed(kernel, threads, arguments, {})
    try:
        if isolation.is_player():
            read(kernel, types)
        else:
            _read_elsewhere(kernel, told, types)
    except KernelCompileError as fault:
        raise AnswerError(fault.message, remedy=fault.remedy) from None


def _read_elsewhere(kernel: Any, told: Mapping[str, Any], types: Types) -> None:
    with isolation.warm_worker(READER, keeps_words=True) as worker:
        try:
            worker.ask(None, isolation.START_LIMIT_S)
            refusal = worker.ask((told, types), LIMIT_S)
        except TimeoutError:
            how = f"it was not done after {LIMIT_S:g} s"
            raise _gave_up(kernel, worker, how, _TOO_MANY_LINES) from None
        except (EOFError, OSError):
            status = worker.status()
            ending = signal.Signals(-status).name if status < 0 else f"status {status}"
            how = f"its process ended ({ending})"
            raise _gave_up(kernel, worker, how, _OTHER_WORDS) from None
        words = worker.last_words()
    if refusal is not None:
        message, line, remedy = refusal
        found = diagnostic(words) if line is None else None
        raise refused(kernel, found[1], found[0]) if found else AnswerError(message, remedy=remedy)


def _gave_up(kernel: Any, worker: isolation.Worker, how: str, cause: str) -> ToldProblemError:
    """The compiler itself gave up: on which line, how, and what it said last."""
    line, said = last_words(worker.last_words())
    place = f" in line {line}" if line else ""
    said = f". Its last words: {said}" if said else ""
    suspected = suspicion(trees(kernel))
    if suspected is not None:
        cause = str(suspected)
    message = f"Triton's compiler itself gave up on `{kernel.fn.__name__}`{place}: {how}{said}"
    return ToldProblemError(Problem(message, cause, ends_check=True))
