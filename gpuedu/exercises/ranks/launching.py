"""Run a learner's function in real ranks, quietly, and tell its failures as a check does."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.multi.exchanges import RankError
from gpuedu.multi.launch import Launched, launch

_FRAME = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+), in .*\n    (?P<text>.*)')
_COURSE, _PYTHON = str(Path(__file__).resolve().parents[2]), str(Path(os.__file__).parent)
_NOT_THEIRS = (_COURSE, _PYTHON, "<frozen", "<string>")


def launch_ranks(
    function: Callable[..., Any],
    ranks: int,
    *arguments: Any,
    stall_s: float = 10.0,
    time_limit_s: float = 60.0,
    **options: Any,
) -> Launched:
    """``launch`` on gloo without its output; for checks, pictures and measurements.

    Raises:
        AnswerError: a rank failed: which, how, and in which line of the learner's.
        DeadlockError, CommunicationError, LaunchError: the ranks do not fit together.
    """
    try:
        return launch(
            function,
            ranks,
            *arguments,
            backend="gloo",
            stall_s=stall_s,
            time_limit_s=time_limit_s,
            show=_drop,
            **options,
        )
    except RankError as failed:
        raise AnswerError(tell_failure(failed.message), remedy=failed.remedy) from None


def tell_failure(message: str, limit: int = 400) -> str:
    r"""The first line of a rank's failure, with the learner's line.

    >>> trace = '  File "<cell 3>", line 2, in train\n    1 / 0\nZeroDivisionError: by zero'
    >>> tell_failure("rank 1 failed: ZeroDivisionError: by zero\n\n" + trace)
    'rank 1 failed: ZeroDivisionError: by zero, on line 2 of its cell: `1 / 0`'
    """
    told, _, trace = message.partition("\n")
    told = told if len(told) <= limit else told[:limit] + " ..."
    theirs = [
        found
        for found in _FRAME.finditer(trace)
        if not found["file"].startswith(_NOT_THEIRS) and "site-packages" not in found["file"]
    ]
    if not theirs:
        return told
    last = theirs[-1]
    return f"{told.rstrip('.')}, on line {last['line']} of its cell: `{last['text'].strip()}`"


def _drop(rank: int, text: str) -> None:
    """What ranks print is not shown beside a card."""
