"""The process that ranks are started from: it has imported PyTorch, and does nothing else.

Python's fork server (``multiprocessing``) imports PyTorch once, in a single-threaded process that
never computes; a rank is a fork of it, so that a launch does not pay for the import each time. The
notebook's own process is never forked. The server ends with the launching process, or by
``stop_server``.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from multiprocessing import forkserver, resource_tracker
from types import ModuleType

PRELOADED = [
    "torch.distributed.elastic.multiprocessing.api",
    "gpuedu.multi.launch.rank",
    # PyTorch's compiler: optimizers and DistributedDataParallel import it when they are made. That
    # takes as long as PyTorch itself, and every rank would do it.
    "torch._dynamo",
]


_keeper = ThreadPoolExecutor(1, "fork server")


def start_method() -> str:
    """How ranks are started: by a fork server on Linux; elsewhere each imports PyTorch again.

    On macOS, system libraries that PyTorch loads do not survive a fork.
    """
    return "forkserver" if sys.platform == "linux" else "spawn"


@contextlib.contextmanager
def ready_server() -> Iterator[None]:
    """The fork server and Python's resource tracker, for the duration of a launch.

    Meanwhile there is no ``__main__``: a started process would run the program's file again to
    have it. A function of the notebook or the program is sent by value.
    """
    # Python's own, which outlives the launch, like the server.
    _undisturbed(resource_tracker.ensure_running)
    if start_method() == "forkserver":
        multiprocessing.set_forkserver_preload(PRELOADED)
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        if start_method() == "forkserver":
            _ensure_running()
        yield
    finally:
        sys.modules["__main__"] = program


def _ensure_running() -> None:
    """A server that has imported all: it starts a rank when it is asked to, and not long after.

    One that still imports would start it when a launch that was interrupted is over.
    """
    before = server_pid()
    _undisturbed(forkserver.ensure_running)
    if server_pid() == before:
        return
    first = multiprocessing.get_context("forkserver").Process(target=_do_nothing)
    try:
        first.start()
        first.join()
    except BaseException:
        _undisturbed(_kill_server)
        raise


def _kill_server() -> None:
    if server_pid() is not None:
        os.kill(server_pid(), signal.SIGKILL)
    forkserver._forkserver._stop()


def _undisturbed(work: Callable[[], None]) -> None:
    """Have it finished, though an interrupt or the end of a time limit hits the caller meanwhile.

    What Python notes about its server is half done in between, and no launch would work after it.
    Interrupts come to the thread that launches, so another one does it, each such work by itself.
    """
    done = _keeper.submit(work)
    try:
        done.result()
    finally:
        wait([done])


def _do_nothing() -> None:
    """What the server's first process does."""


def server_pid() -> int | None:
    """The fork server's, or None if there is none: all ranks are its children."""
    return getattr(forkserver._forkserver, "_forkserver_pid", None)


def stop_server() -> None:
    """End the fork server; the next launch starts a new one."""
    if start_method() == "forkserver":
        # Python keeps this for its own tests, and has no other name for it.
        _undisturbed(forkserver._forkserver._stop)
