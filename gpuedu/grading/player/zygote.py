"""A warm process inside the sandbox that players are forked from.

``python -m gpuedu.grading.player.zygote FD`` imports what players need, stays single-threaded (a
fork of a process that has run parallel code can hang), and forks a player for each request. It runs
nothing that a learner wrote, so no state passes from one submission to the next.

A player is three processes: a *warden*, which waits to be put into a control group and makes the
namespaces; process 1 of these, which reaps orphans; and the player itself. When the warden or
process 1 ends, the kernel kills everything in the namespace.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import threading
import traceback
from typing import Any

from gpuedu.grading.player import namespaces
from gpuedu.grading.player.channel import Channel

READY = b"ready\n"


def main() -> None:
    """Serve requests from the socket whose number is on the command line."""
    control = socket.socket(fileno=int(sys.argv[1]))
    namespaces.die_with_parent()
    namespaces.hide_memory()
    preload()
    gc.collect()
    gc.freeze()  # what is shared with players is not copied because a collection looks at it
    control.sendall(READY)
    while True:
        request, handles, _, _ = socket.recv_fds(control, 65536, 2)
        if not request:
            return
        settings = json.loads(request)
        warden = os.fork()
        if warden == 0:
            _be_warden(control, settings, *handles)
        for handle in handles:
            os.close(handle)
        _reap()


def preload() -> None:
    """Import what players use; it must leave one thread."""
    import numpy
    import torch
    import torch._dynamo  # the first optimiser of a process would import it, within a check's time
    import torch.distributed

    import gpuedu
    from gpuedu.exercises.registry import load_play
    from gpuedu.syllabus import exercise_ids, lesson_of

    numpy.random.default_rng()
    torch.set_num_threads(1)
    for exercise in exercise_ids():
        load_play(lesson_of(exercise).slug, exercise)
    for name in ("numba", "sklearn.datasets", "gpuedu.simt", "cloudpickle"):
        __import__(name)
    for name in gpuedu.__all__:  # what lessons import, each of which is loaded when it is asked for
        getattr(gpuedu, name)
    if threading.active_count() > 1:
        raise RuntimeError(f"threads in the zygote: {threading.enumerate()}")


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _be_warden(control: socket.socket, settings: dict[str, Any], *handles: int) -> None:
    """Never returns."""
    status = 70
    try:
        control.close()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        namespaces.die_with_parent()
        session, output = socket.socket(fileno=handles[0]), handles[1]
        session.sendall(b"!")  # with it goes this process's number, told by the kernel
        if session.recv(1) != b"!":
            os._exit(0)
        if settings["sandbox"]:
            namespaces.enter_own_namespaces()
            for folder in settings["writable"]:
                namespaces.mount_memory(folder, settings["disk_bytes"])
        else:
            os.setsid()  # a session to be killed by, as far as its processes stay in it
        first = os.fork()
        if first == 0:
            _be_first(session, output, settings)
        session.close()
        _, wait_status = os.waitpid(first, 0)
        status = os.waitstatus_to_exitcode(wait_status) & 0xFF
    except BaseException:
        with contextlib.suppress(BaseException):
            os.write(handles[1], traceback.format_exc().encode())
    finally:
        os._exit(status)


def _be_first(session: socket.socket, output: int, settings: dict[str, Any]) -> None:
    """Process 1 of the namespace. Never returns."""
    status = 71
    try:
        namespaces.die_with_parent()
        if settings["sandbox"]:
            namespaces.mount_processes()
            namespaces.forbid_namespaces()
            namespaces.drop_privileges()
        player = os.fork()
        if player == 0:
            _be_player(session, output, settings)
        session.close()
        ended = 0
        while ended != player:  # orphans are handed to process 1
            ended, wait_status = os.waitpid(-1, 0)
        status = os.waitstatus_to_exitcode(wait_status) & 0xFF
    except BaseException:
        with contextlib.suppress(BaseException):
            os.write(output, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _be_player(session: socket.socket, output: int, settings: dict[str, Any]) -> None:
    """Runs what the learner wrote. Never returns."""
    from gpuedu.grading.player.serving import serve

    try:
        nothing = os.open("/dev/null", os.O_RDONLY)
        for target, handle in ((0, nothing), (1, output), (2, output)):
            os.dup2(handle, target)
        kept = os.dup2(session.fileno(), 3)
        session.detach()
        os.closerange(4, 65536)
        sys.stdout = open(1, "w", buffering=1, closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, closefd=False)  # noqa: SIM115
        os.chdir(settings["folder"])
        namespaces.set_limits(settings["open_files"], settings["disk_bytes"])
        serve(Channel(socket.socket(fileno=kept)))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
