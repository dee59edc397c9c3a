"""What is seen of a person's interrupt (a notebook's square button, Ctrl-C) that hits the course.

It stays a KeyboardInterrupt. But a notebook shows one line of it: the traceback would be of the
course's code, which tells a learner nothing.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

NOTE = "Stopped. Cells that were queued after this one have not run."
_OURS = (str(Path(__file__).resolve().parent) + os.sep, contextlib.__file__)
"""Files of the course, and the one through which a `with` block is left."""


def quiet(interrupt: KeyboardInterrupt) -> KeyboardInterrupt:
    """Have a notebook show a line in place of the interrupt's traceback, which is the course's."""
    interrupt._render_traceback_ = lambda: [NOTE]  # type: ignore[attr-defined]
    return interrupt


@contextlib.contextmanager
def quiet_interrupts() -> Iterator[None]:
    """Around a public call: an interrupt that leaves it shows the caller's line, and no more."""
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
