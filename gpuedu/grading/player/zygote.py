"""A warm process inside the sandbox that players are forked from.

``python -m gpuedu.grading.player.zygote FD [USER]`` becomes that user, imports what players need,
stays single-threaded (a fork of a process that has run parallel code can hang), and forks a
*compartment* for each request. It runs nothing that a learner wrote, so no state passes from one
submission to the next. What a lesson needs is imported when its first compartment is asked for: a
lesson on kernels does not wait for PyTorch.

A compartment is two processes: a *warden*, which waits to be put into a control group and makes the
namespaces; and process 1 of these, the *host*, which forks one player after another and cleans up
what the one before left. When warden or host ends, the kernel kills everything in the compartment.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

from gpuedu.grading.player import namespaces
from gpuedu.grading.player.channel import Channel
from gpuedu.grading.player.preloading import import_lesson, import_machine

READY, HERE = b"ready\n", b"!"
"""What is said when requests can be made; by a process whose number the kernel gives."""


def main() -> None:
    """Serve requests from the socket whose number is on the command line."""
    control = socket.socket(fileno=int(sys.argv[1]))
    for user in sys.argv[2:]:
        namespaces.become(int(user))
    namespaces.die_with_parent()
    namespaces.hide_memory()
    import_machine()
    control.sendall(READY)
    while True:
        request, handles, _, _ = socket.recv_fds(control, 65536, 2)
        if not request:
            return
        settings = json.loads(request)
        if "lesson" in settings:
            import_lesson(settings["lesson"], settings["imports"])
            control.sendall(READY)
            continue
        warden = os.fork()
        if warden == 0:
            _be_warden(control, settings, *handles)
        for handle in handles:
            os.close(handle)
        _reap()


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _be_warden(control: socket.socket, settings: dict[str, Any], handle: int) -> None:
    """Never returns."""
    status = 70
    try:
        control.close()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        namespaces.die_with_parent()
        compartment = socket.socket(fileno=handle)
        compartment.sendall(HERE)
        if compartment.recv(len(HERE)) != HERE:
            os._exit(0)
        if settings["sandbox"]:
            namespaces.enter_own_namespaces()
            for folder in settings["writable"]:
                namespaces.mount_memory(folder, settings["disk_bytes"])
        else:
            os.setsid()  # a session to be killed by, as far as its processes stay in it
        host = os.fork()
        if host == 0:
            _be_host(compartment, settings)
        compartment.close()
        _, wait_status = os.waitpid(host, 0)
        status = os.waitstatus_to_exitcode(wait_status) & 0xFF
    except BaseException:
        _tell(handle, traceback.format_exc())
    finally:
        os._exit(status)


def _tell(handle: int, text: str) -> None:
    with contextlib.suppress(OSError):
        os.write(handle, text[-4000:].encode())


def _be_host(compartment: socket.socket, settings: dict[str, Any]) -> None:
    """Process 1 of the namespace. Never returns."""
    status = 71
    try:
        namespaces.die_with_parent()
        if settings["sandbox"]:
            namespaces.forbid_namespaces()
            namespaces.mount_processes()
            namespaces.drop_privileges()
            namespaces.load_filter(bytes.fromhex(settings["filter"]))
        compartment.sendall(READY)
        host(compartment, settings)
        status = 0
    except BaseException:
        _tell(compartment.fileno(), traceback.format_exc())
    finally:
        os._exit(status)


def host(compartment: socket.socket, settings: dict[str, Any]) -> None:
    """Fork a player for each request, until the judge is gone or a player leaves a trace."""
    player, is_alone = 0, settings["sandbox"]
    while True:
        if player:
            _wait_for(player, compartment, is_alone=is_alone)
        request, handles, _, _ = socket.recv_fds(compartment, 64, 2)
        if not request or (player and not (is_alone and _is_swept(settings["writable"]))):
            return
        player = os.fork()
        if player == 0:
            compartment.sendall(HERE)
            _be_player(socket.socket(fileno=handles[0]), handles[1], settings)
        for handle in handles:
            os.close(handle)


def _wait_for(player: int, compartment: socket.socket, *, is_alone: bool) -> None:
    """Until the judge asks for another player; kill what a player that ended has left."""
    watched = os.pidfd_open(player)
    ready, _, _ = select.select([compartment, watched], [], [])
    os.close(watched)
    if watched in ready and is_alone:
        _kill_others()


def _kill_others() -> None:
    """Kill all that runs in the namespace of which this is process 1."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)


def _is_swept(folders: list[str]) -> bool:
    """Kill all that runs in this namespace but its process 1; whether nothing else is left."""
    _kill_others()
    with contextlib.suppress(ChildProcessError):
        while True:  # orphans are handed to process 1
            os.waitpid(-1, 0)
    try:
        is_empty = not any(any(Path(folder).iterdir()) for folder in folders)
        return is_empty and not (namespaces.has_ipc_objects() or namespaces.has_connections())
    except OSError:
        return False


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
        namespaces.enter_own_keyring()
        namespaces.set_limits(settings["open_files"], settings["disk_bytes"])
        serve(Channel(socket.socket(fileno=kept)))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
