"""End the learner's code when its time is up, by whatever this machine has for that.

An alarm signal in the main thread (which also ends a sleep), elsewhere an asynchronous exception
from another thread. A browser tab has neither: there the clock is checked whenever the learner's
code jumps back in a loop or calls a function. Code that swallows the exception (``except:`` in a
loop) is interrupted again and again, until one lands outside its ``try``. Compiled code cannot be
interrupted from inside the process: answers that run some are played in a separate process.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from gpuedu.allowance import Allowance
from gpuedu.errors import TimeLimitExceeded
from gpuedu.interrupts import interruptible, may_land
from gpuedu.needs import IN_TAB

_PACKAGE = str(Path(__file__).resolve().parents[1])
_LIBRARY = str(Path(contextlib.__file__).parent)
_LEAVING = contextlib._GeneratorContextManager.__exit__.__code__
_AGAIN_S = 0.001
_TOOL = 4
"""The id under which ``sys.monitoring`` knows us; 3 and 4 belong to no kind of tool."""


@interruptible
def call_learner(play: Callable[[], Any]) -> Any:
    """The frame below which an interruption may land, except in what is ``unbroken``."""
    return play()


def _is_inside(frame: FrameType | None) -> bool:
    """Whether a stack runs the learner's code, so that our own clean-up is never interrupted."""
    inner = frame
    while inner is not None and inner.f_code is not call_learner.__code__:
        if _leaves_ours(inner):
            return False
        inner = inner.f_back
    return may_land(frame, elsewhere=False)


def _leaves_ours(frame: FrameType) -> bool:
    """Whether a ``with`` block of the course is being left: by a generator of its own."""
    if frame.f_code is not _LEAVING:
        return False
    code = getattr(getattr(frame.f_locals.get("self"), "gen", None), "gi_code", None)
    return code is not None and code.co_filename.startswith(_PACKAGE)


def is_course_or_library(filename: str) -> bool:
    """Whether a source is ours, an installed package's, or Python's own."""
    return filename.startswith((_PACKAGE, _LIBRARY, "<frozen")) or "site-packages" in filename


@contextlib.contextmanager
def time_limit(limit_s: float) -> Iterator[None]:
    """Raise TimeLimitExceeded inside ``call_learner`` when ``limit_s`` seconds have passed.

    Waits for a processor do not count (see ``Allowance``). With ``math.inf``, never.
    """
    in_main = threading.current_thread() is threading.main_thread()
    limiter = _by_alarm if in_main and hasattr(signal, "setitimer") else _by_thread
    if IN_TAB:
        limiter = _by_watching
    with limiter(max(limit_s, _AGAIN_S)) if limit_s < math.inf else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def _by_alarm(limit_s: float) -> Iterator[None]:
    rings = 0
    allowance = Allowance(limit_s)

    def ring(_signum: int, frame: FrameType | None) -> None:
        nonlocal rings
        if not _is_inside(frame):
            return
        if not rings and (left_s := allowance.left_s()) > _AGAIN_S:
            signal.setitimer(signal.ITIMER_REAL, left_s, _AGAIN_S)
            return
        rings += 1
        if rings % 2:
            raise TimeLimitExceeded
        # It was swallowed: now raise at the next line, which may lie outside the `try`.
        while frame is not None and frame.f_code is not call_learner.__code__:
            frame.f_trace = _raise_at_line
            frame = frame.f_back
        sys.settrace(_raise_at_line)

    traced = sys.gettrace()
    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit_s, _AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
        if rings > 1:
            sys.settrace(traced)


def _raise_at_line(frame: FrameType, event: str, _argument: Any) -> Callable[..., Any]:
    """A trace function that ends the learner's code at its next line."""
    if event == "line" and _is_inside(frame):
        raise TimeLimitExceeded
    return _raise_at_line


@contextlib.contextmanager
def _by_thread(limit_s: float) -> Iterator[None]:
    target = threading.get_ident()
    allowance = Allowance(limit_s, threading.get_native_id())
    done = threading.Event()

    def ring() -> None:
        while (left_s := allowance.left_s()) > 0 and not done.wait(left_s):
            pass
        waited = done.is_set()
        while not waited:
            if _is_inside(sys._current_frames().get(target)):
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(target), ctypes.py_object(TimeLimitExceeded)
                )
            waited = done.wait(_AGAIN_S * 10)

    watch = threading.Thread(target=ring, daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(target), None)


@contextlib.contextmanager
def _by_watching(limit_s: float) -> Iterator[None]:
    """Look at the clock at each jump and call of the learner's code. Needs Python 3.12."""
    allowance = Allowance(limit_s)
    watching = sys.monitoring

    def look(code: CodeType, *_: Any) -> Any:
        if is_course_or_library(code.co_filename):
            return watching.DISABLE
        if allowance.left_s() < 0 and _is_inside(sys._getframe(1)):
            raise TimeLimitExceeded
        return None

    if watching.get_tool(_TOOL) is not None:  # a limit within a limit: the outer one holds
        yield
        return
    events = (watching.events.JUMP, watching.events.PY_START)
    watching.use_tool_id(_TOOL, "gpuedu")
    try:
        for event in events:
            watching.register_callback(_TOOL, event, look)
        watching.set_events(_TOOL, sum(events))
        yield
    finally:
        watching.set_events(_TOOL, watching.events.NO_EVENTS)
        watching.free_tool_id(_TOOL)
