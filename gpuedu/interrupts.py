"""Where an interrupt or the end of a time limit may land, and what an interrupt shows.

It lands only where nothing is left half done: functions of the course say where that is. A person's
interrupt (a notebook's square button, Ctrl-C) stays a KeyboardInterrupt. But a notebook shows one
line of it: the traceback would be of the course's code, which says nothing to a learner.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

NOTE = "Stopped. Cells that were queued after this one have not run."
_OURS = (str(Path(__file__).resolve().parent) + os.sep, contextlib.__file__)
"""Files of the course, and the one through which a `with` block is left."""
_IMPORTS = "<frozen importlib"

Function = TypeVar("Function", bound=Callable[..., Any])

_is_broken_by_it: dict[CodeType, bool] = {}


def unbroken(function: Function) -> Function:
    """Let a function finish first, except for the ``interruptible`` ones that it calls."""
    _is_broken_by_it[function.__code__] = False
    return function


def interruptible(function: Function) -> Function:
    """Let an interrupt land in what this function calls, even from within an unbroken one."""
    _is_broken_by_it[function.__code__] = True
    return function


def may_land(frame: FrameType | None, *, elsewhere: bool = True) -> bool:
    """Whether an interrupt may be raised in a frame; ``elsewhere`` if no caller says so.

    Never inside an import: a package that is cut off there, such as PyTorch, may not be importable
    again in this process, and the learner would have to restart the kernel. Nor where Python
    reports an error in a finalizer: whatever is raised there is lost, and so is the message.
    """
    hook = getattr(sys.unraisablehook, "func", sys.unraisablehook)
    telling = getattr(hook, "__code__", None)
    while frame is not None:
        if frame.f_code is telling or frame.f_code.co_filename.startswith(_IMPORTS):
            return False
        if frame.f_code in _is_broken_by_it:
            return _is_broken_by_it[frame.f_code]
        frame = frame.f_back
    return elsewhere


def quiet(interrupt: KeyboardInterrupt) -> KeyboardInterrupt:
    """Make a notebook show one line instead of the interrupt's traceback, which is the course's."""
    interrupt._render_traceback_ = lambda: [NOTE]  # type: ignore[attr-defined]
    return interrupt


@contextlib.contextmanager
def quiet_interrupts() -> Iterator[None]:
    """For a public call: an interrupt that leaves it shows the caller's line and nothing else."""
    try:
        yield
    except KeyboardInterrupt as interrupt:
        # The text, not the frames: whoever keeps the interrupt would keep all that they hold.
        line = _told(sys._getframe(1))
        interrupt._render_traceback_ = lambda: [line]  # type: ignore[attr-defined]
        raise


def _told(frame: FrameType | None) -> str:
    """The note with the line that called the course, as seen from a frame of the course."""
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    if frame is None:
        return NOTE
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals).strip()
    shown = f": `{text[:120]}`" if text else ""
    return NOTE.replace("Stopped.", f"Stopped on line {frame.f_lineno}{shown}.", 1)
