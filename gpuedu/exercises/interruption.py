"""A person's interrupt (a notebook's square button, Ctrl-C): where it lands and what it shows.

It ends the cell with a KeyboardInterrupt, as any interrupt does, so that "run all" stops there. But
it lands only where nothing is left half done. Elsewhere it takes effect a moment later.
"""

from __future__ import annotations

import _thread
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from gpuedu.interrupts import may_land, quiet

_AGAIN_S = 0.05


class _Call:
    """One of the learner's calls, and whether an interrupt came during it."""

    def __init__(self, raise_it: Callable[..., Any]) -> None:
        self.heard = False
        self._raise_it = raise_it

    def hear(self, signum: int, frame: FrameType | None) -> None:
        """The handler of SIGINT. Its own caller is asked, as ``frame`` may have ended by then."""
        self.heard = True
        if may_land(sys._getframe(1)):
            self._raise_it(signum, frame)
        else:
            # Not a `threading.Thread`: the code that was interrupted may hold that module's lock.
            _thread.start_new_thread(self._send_again, ())

    def _send_again(self) -> None:
        time.sleep(_AGAIN_S)
        if self in _calls:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


_calls: list[_Call] = []


@contextlib.contextmanager
def interrupts_heard() -> Iterator[None]:
    """Let a person's interrupt end the block where it may, at the latest after it.

    Signals come to the main thread only; in another one, nothing changes.
    """
    before = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not callable(before) or not hasattr(signal, "pthread_kill"):
        yield
        return
    call = _Call(before)
    signal.signal(signal.SIGINT, call.hear)
    try:
        _calls.append(call)
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _calls.remove(call)
    if call.heard:
        raise quiet(KeyboardInterrupt())


def require_unheard() -> None:
    """Raise the interrupt that came during this call, if the code that it hit swallowed it."""
    if any(call.heard for call in _calls):
        raise KeyboardInterrupt
