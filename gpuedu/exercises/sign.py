"""A sign of life: the line that says what a long call is doing, for how long, and how to stop it.

It appears after a second, and only where somebody sees it: in a notebook that a person has open, or
in a terminal. What is shown next takes its place, so nothing of it remains.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

from gpuedu.exercises.card import code
from gpuedu.interrupts import unbroken

PERIOD_S = 1.0


class NotebookPlace:
    """An output of the cell that runs; ``display_id`` names it to what takes its place."""

    def __init__(self, publish: Callable[..., None]) -> None:
        self._publish = publish
        self._is_there = False
        self.display_id = uuid4().hex

    def show(self, line: str) -> None:
        """Show a line, or another one in its place."""
        line = f"{line} (the square button in the toolbar, or the keys `I`, `I`, stops it)"
        self._put(line, f'<div style="opacity:.75">{code(line)}</div>')

    def clear(self) -> None:
        """Leave an output that shows nothing, because no message can remove a single one."""
        self._put("", "")

    def close(self) -> None:
        """Nothing is held here."""

    def _put(self, text: str, html: str) -> None:
        self._publish(
            {"text/plain": text, "text/html": html},
            transient={"display_id": self.display_id},
            update=self._is_there,
        )
        self._is_there = True


class TerminalPlace:
    """A line of a terminal, through its own descriptor: ``capture`` diverts the usual one.

    What is shown next goes to another stream, so nothing takes its place: there is no name for it.
    """

    display_id = ""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = os.dup(descriptor)

    def show(self, line: str) -> None:
        """Write a line over the one before."""
        os.write(self._descriptor, f"\r{line} (Ctrl-C stops it)\x1b[K".encode("ascii", "replace"))

    def clear(self) -> None:
        """Erase the line."""
        os.write(self._descriptor, b"\r\x1b[K")

    def close(self) -> None:
        """Give the descriptor back."""
        os.close(self._descriptor)


Place = NotebookPlace | TerminalPlace


class Sign:
    """The line of one call. ``is_ticking``: it counts the seconds; if not, it just stays."""

    def __init__(
        self,
        doing: str,
        place: Place,
        *,
        is_ticking: bool = True,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._doing, self._place, self._is_ticking, self._now = doing, place, is_ticking, now
        self._began_s = now()
        self._is_shown = False
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    @unbroken
    def start(self) -> None:
        """Tick in a thread, in the context of this one: by that a notebook finds the cell."""
        within = contextvars.copy_context()
        ticking = threading.Thread(target=within.run, args=(self.run, self._over.wait), daemon=True)
        with contextlib.suppress(RuntimeError):  # there are no threads here: then without a sign
            ticking.start()
            self._thread = ticking

    def run(self, wait: Callable[[float], bool]) -> None:
        """Show the line each time that ``wait`` returns False, until it returns True."""
        with contextlib.suppress(Exception):  # a traceback here would be among the learner's prints
            while not wait(PERIOD_S):
                self._tick()
                if not self._is_ticking:
                    return

    def _tick(self) -> None:
        with self._lock:
            if not self._over.is_set():
                seconds = f" {self._now() - self._began_s:.0f} s" if self._is_ticking else ""
                self._place.show(f"{self._doing} ...{seconds}")
                self._is_shown = True

    def take(self) -> str:
        """Stop, and give the line's place to what is shown next; returns its id, "" for none."""
        with self._lock:
            self._over.set()
            was_shown, self._is_shown = self._is_shown, False
        if was_shown and not self._place.display_id:
            self._place.clear()
        return self._place.display_id if was_shown else ""

    @unbroken
    def end(self) -> None:
        """Stop, and remove the line if nothing took its place."""
        if self.take():
            self._place.clear()
        if self._thread is not None:
            self._thread.join()
        self._place.close()


_signs: list[Sign] = []


@contextlib.contextmanager
def sign_of_life(doing: str, *, is_ticking: bool = True) -> Iterator[None]:
    """Say what the block is doing once it takes longer than a second."""
    place = _place()
    if place is None:
        yield
        return
    sign = Sign(doing, place, is_ticking=is_ticking)
    try:
        sign.start()
        _signs.append(sign)
        yield
    finally:
        _signs.clear()
        sign.end()


def take_place() -> str:
    """The output that holds a sign of life, for what is shown now; "" if there is none."""
    return _signs[-1].take() if _signs else ""


def _place() -> Place | None:
    """A place that a person sees. A notebook that only runs through has nobody to ask for input."""
    shell = _shell()
    if hasattr(shell, "kernel"):
        request = getattr(shell, "get_parent", dict)().get("content", {})
        return NotebookPlace(shell.display_pub.publish) if request.get("allow_stdin") else None
    with contextlib.suppress(OSError, ValueError, AttributeError):  # some streams are not files
        if sys.stderr.isatty():
            return TerminalPlace(sys.stderr.fileno())
    return None


def _shell() -> Any:
    """IPython's shell where one runs this; it is not imported to find out."""
    module = sys.modules.get("IPython")
    return module and module.get_ipython()
