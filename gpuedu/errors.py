"""Every exception that gpuedu raises on purpose: what went wrong, where, and what to try."""

from __future__ import annotations


class GpueduError(Exception):
    """Base of all errors that are shown to a person.

    ``message`` says what is wrong and where; ``remedy`` says what to try.

    >>> str(GpueduError("no such lesson: 'sorting'", remedy="`gpuedu doctor` lists the lessons"))
    "no such lesson: 'sorting'. Try: `gpuedu doctor` lists the lessons"
    """

    def __init__(self, message: str, *, remedy: str = "") -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.message}. Try: {self.remedy}" if self.remedy else self.message


class UnknownNameError(GpueduError):
    """An exercise, prediction, picture or lesson that the course does not have."""


class MissingPackageError(GpueduError):
    """What was asked for needs a package that is not installed."""


class LessonSourceError(GpueduError):
    """A lesson's source cannot become a notebook.

    ``path`` and ``line`` (counted from 1) point at the fault in the hand-written file.
    """

    def __init__(self, message: str, *, path: str, line: int = 1, remedy: str = "") -> None:
        self.path = path
        self.line = line
        super().__init__(f"{path}:{line}: {message}", remedy=remedy)


class CatalogError(GpueduError):
    """A data file of the course (devices, lessons, records) that lacks what it must say."""


class WorkspaceError(GpueduError):
    """The learner's workspace cannot be made or updated; nothing in it was changed."""


class ProgressStoreError(GpueduError):
    """Progress cannot be kept on disk. The lesson goes on without it."""


class AnswerError(GpueduError):
    """The learner's answer cannot be judged: wrong kind, signature, type, dtype or shape.

    It becomes feedback on the card, never a traceback.
    """


class TimeLimitExceeded(BaseException):
    """Raised inside the learner's code when its time is up.

    A ``BaseException``, so that ``except Exception`` in the learner's code does not swallow it.
    """


class KernelSourceError(GpueduError):
    """A kernel that cannot be compiled: Numba's CUDA target refuses it, or it is not covered.

    ``function`` and ``line`` (counted in its file or notebook cell) say where; ``text`` is the
    line.
    """

    def __init__(
        self, message: str, *, function: str, line: int, text: str = "", remedy: str = ""
    ) -> None:
        self.function = function
        self.line = line
        self.text = text
        shown = f"\n    {text.strip()}\n" if text.strip() else ""
        super().__init__(f"line {line} of `{function}`: {message}{shown}", remedy=remedy)


class ClockError(AnswerError):
    """The simulated clock is used in a way that it cannot follow.

    For example by a thread that it does not know, with a negative time, or by a process that yields
    something other than a moment.
    """


class DeadlockError(AnswerError):
    """Everything on a simulated clock is waiting and nothing is due: no one can ever go on.

    ``waiting`` names who waits for what, in the order in which they started waiting.
    """

    def __init__(self, message: str, *, waiting: tuple = (), remedy: str = "") -> None:
        self.waiting = waiting
        super().__init__(message, remedy=remedy)
