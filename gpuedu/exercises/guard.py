"""Run the learner's code within a time limit and turn whatever happens into an Outcome."""

from __future__ import annotations

import builtins
import contextlib
import linecache
import re
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuedu.errors import AnswerError, GpueduError, MissingPackageError, TimeLimitExceeded
from gpuedu.exercises.capture import captured
from gpuedu.exercises.interruption import require_unheard
from gpuedu.exercises.modes import modes_left
from gpuedu.exercises.time_limit import call_learner, is_course_or_library, time_limit
from gpuedu.interrupts import unbroken
from gpuedu.needs import missing_of

TOO_LONG = (
    "Is there a loop that never ends, a wait for something that never comes, or far more work than "
    "is asked for?"
)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Of an object in memory, as Python shows it: another one in every run."""
_GENERATED = "<string>"
"""The file of code that a library makes, such as a dataclass's ``__init__``."""
_SHAPES = re.compile(
    r"must match the size of tensor|shapes cannot be multiplied|could not be broadcast"
)
"""What PyTorch and NumPy say of shapes that do not go together."""


@dataclass(frozen=True)
class Problem:
    """Why a case gave no result: what happened, where in the learner's code, what to think of.

    ``is_missing``: the course needs a package that is missing, which is not the answer's fault.
    """

    message: str
    cause: str = ""
    ends_check: bool = False
    is_missing: bool = False


def without_cause(problem: Problem) -> Problem:
    """The problem with its cause as part of its message.

    Feedback shows a cause and no message. What a learner's process calls a cause could be the
    inputs that its code has seen.
    """
    message = " ".join(part for part in (problem.message, problem.cause) if part)
    return Problem(message, "", problem.ends_check)


class ToldProblemError(Exception):
    """A problem that was explained where it happened, in another process."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem.message)


@dataclass(frozen=True)
class Outcome:
    """One case played: what was observed or what went wrong, what was printed, how long it took."""

    observed: Any = None
    problem: Problem | None = None
    printed: str = ""
    seconds: float = 0.0

    @property
    def ends_check(self) -> bool:
        """Whether no further case can be played after it."""
        return self.problem is not None and self.problem.ends_check


@unbroken
def play_guarded(play: Callable[[], Any], limit_s: float, *, is_ours: bool = False) -> Outcome:
    """Call ``play`` within ``limit_s`` seconds; only a KeyboardInterrupt gets through.

    It gets through even if the learner's code, or a training loop, caught it and went on.

    Args:
        play: what may go wrong.
        limit_s: in seconds.
        is_ours: it is the course's own code, which writes to no descriptor itself.
    """
    observed, problem = None, None
    started = time.perf_counter()
    with captured(descriptors=not is_ours) as printed:
        try:
            with modes_left(), _no_input(), time_limit(limit_s):
                observed = call_learner(play)
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            problem = explain(fault, limit_s)
    require_unheard()
    return Outcome(observed, problem, printed.text, time.perf_counter() - started)


@contextlib.contextmanager
def _no_input() -> Iterator[None]:
    """Refuse ``input``: nobody is there to answer, and a check would seem to hang."""

    def refuse(*_: object) -> str:
        raise AnswerError(
            "your function called `input()`",
            remedy="Its arguments are given to it: use those instead.",
        )

    original = builtins.input
    builtins.input = refuse
    try:
        yield
    finally:
        builtins.input = original


def explain(fault: BaseException, limit_s: float) -> Problem:
    """Say what an exception from the learner's code means, with only their own line."""
    if _is_late(fault):
        return Problem(
            f"it did not finish within {limit_s:.3g} s",
            TOO_LONG,
            ends_check=True,
        )
    if isinstance(fault, ToldProblemError):
        return fault.problem
    missing = missing_of(fault)
    # What the learner's own line imports is theirs to mend.
    if missing is not None and (missing is fault or _is_ours(fault)):
        return Problem(missing.message, missing.remedy, is_missing=True)
    if isinstance(fault, AnswerError):
        return Problem(fault.message, _sentence(fault.remedy))
    if isinstance(fault, SystemExit):
        return Problem("it called `exit()`", "Return a result instead of leaving Python.")
    where = learner_line(fault)
    text = _message_of(fault)
    said = f"it raised {type(fault).__name__}{': ' + text if text else ''}"
    remedy = _sentence(fault.remedy) if isinstance(fault, GpueduError) else ""
    if not where:
        return Problem(said, remedy)
    if _SHAPES.search(text):
        remedy = "Which shapes does that line put together?"
    return Problem(f"{said if said.endswith('..') else said.removesuffix('.')}, {where}", remedy)


def _is_late(fault: BaseException) -> bool:
    """Whether the time limit ended it, or something was raised while it did."""
    seen: set[int] = set()
    at: BaseException | None = fault
    while at is not None and id(at) not in seen:
        if isinstance(at, TimeLimitExceeded):
            return True
        seen.add(id(at))
        at = at.__context__
    return False


def _is_ours(fault: BaseException) -> bool:
    """Whether it was raised in the course's code, or a library's, and not in the learner's."""
    frames = traceback.extract_tb(fault.__traceback__)
    return bool(frames) and is_course_or_library(frames[-1].filename)


def require_nothing_missing(outcome: Outcome) -> None:
    """Raise MissingPackageError if a play ended for lack of a package."""
    problem = outcome.problem
    if problem is not None and problem.is_missing:
        raise MissingPackageError(problem.message, remedy=problem.cause)


def _sentence(remedy: str) -> str:
    """What one of our own errors says to try, as a sentence of its own.

    >>> _sentence("at least 1"), _sentence("is this the split you meant?")
    ('At least 1.', 'Is this the split you meant?')
    """
    text = remedy[:1].upper() + remedy[1:]
    return text if text.endswith((".", "?")) or not text else f"{text}."


def _message_of(fault: BaseException, limit: int = 300) -> str:
    """The exception's own text, bounded; an exception whose ``__str__`` fails says so."""
    try:
        text = (fault.message if isinstance(fault, GpueduError) else str(fault)).strip()
    except Exception:
        return "(its message could not be read)"
    first = _ADDRESS.sub("", text.splitlines()[0]) if text else ""
    return first if len(first) <= limit else first[:limit] + " ..."


def learner_line(fault: BaseException) -> str:
    """Where in the learner's own code it happened: ``on line 3 of its cell: `return 1 / x```.

    Empty if it is not known; in a program of several files each runs under its relative name.
    """
    place = None
    for frame in traceback.extract_tb(fault.__traceback__):
        if not is_course_or_library(frame.filename) and frame.filename != _GENERATED:
            place = frame
    if place is None:
        return ""
    source = (place.line or linecache.getline(place.filename, place.lineno or 0)).strip()
    shown = f": `{source[:120]}`" if source else ""
    if place.filename.endswith(".py") and not Path(place.filename).is_absolute():
        return f"in {place.filename}, on line {place.lineno}{shown}"
    return f"on line {place.lineno} of its cell{shown}"
