"""Keep what the learner's code prints to itself: Python's streams and the descriptors below."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator

KEPT_CHARACTERS = 20_000


class BoundedText(io.TextIOBase):
    """A stream that keeps its first ``limit`` characters and counts the rest.

    >>> stream = BoundedText(limit=4)
    >>> stream.write("abcdef"), stream.text(), stream.dropped
    (6, 'abcd', 2)
    """

    def __init__(self, limit: int = KEPT_CHARACTERS) -> None:
        self._parts: list[str] = []
        self._room = limit
        self.dropped = 0

    def writable(self) -> bool:
        """Always: the stream is for writing."""
        return True

    def write(self, text: str) -> int:
        """Keep what still fits; report everything as written."""
        kept = text[: self._room]
        if kept:
            self._parts.append(kept)
            self._room -= len(kept)
        self.dropped += len(text) - len(kept)
        return len(text)

    def text(self) -> str:
        """What was kept."""
        return "".join(self._parts)


class Printed:
    """What was printed in a ``captured`` block; complete once the block has ended."""

    def __init__(self) -> None:
        self.stream = BoundedText()
        self.from_descriptors = ""

    @property
    def text(self) -> str:
        """Everything that was kept, with a line that says how much was not."""
        joined = self.stream.text() + self.from_descriptors
        if self.stream.dropped:
            joined += f"\n... and {self.stream.dropped} more characters, not kept"
        return joined


@contextlib.contextmanager
def captured(*, descriptors: bool = True) -> Iterator[Printed]:
    """Divert stdout and stderr, and file descriptors 1 and 2, for the duration of a block.

    The descriptors go to a temporary file rather than a pipe: compiled code that prints while it
    holds the interpreter's lock would block on a full pipe forever.
    """
    printed = Printed()
    with contextlib.ExitStack() as stack:
        spill = stack.enter_context(_diverted_descriptors()) if descriptors else None
        stack.enter_context(contextlib.redirect_stdout(printed.stream))
        stack.enter_context(contextlib.redirect_stderr(printed.stream))
        try:
            yield printed
        finally:
            if spill is not None:
                spill.seek(0)
                raw = spill.read(KEPT_CHARACTERS)
                printed.from_descriptors = raw.decode("utf-8", "replace")


@contextlib.contextmanager
def _diverted_descriptors() -> Iterator[io.BufferedRandom | None]:
    """Point descriptors 1 and 2 at a temporary file; None where that cannot be done."""
    try:
        spill = tempfile.TemporaryFile()  # noqa: SIM115 - closed below, after the descriptors
        saved = [(fd, os.dup(fd)) for fd in (1, 2)]
    except OSError:  # no descriptors (a GUI, a full disk): Python's streams are still diverted
        yield None
        return
    for stream in (sys.__stdout__, sys.__stderr__):
        if stream is not None:
            with contextlib.suppress(ValueError, OSError):
                stream.flush()
    try:
        for fd, _ in saved:
            os.dup2(spill.fileno(), fd)
        yield spill
    finally:
        for fd, copy in saved:
            os.dup2(copy, fd)
            os.close(copy)
        spill.close()
