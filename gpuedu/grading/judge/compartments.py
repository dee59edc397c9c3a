"""Compartments: namespaces and a control group, where one submission's players run in turn."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

from gpuedu.grading.judge.players import Player
from gpuedu.grading.player.zygote import HERE, READY
from gpuedu.grading.sandbox.cgroups import control_group
from gpuedu.grading.sandbox.limits import PlayingLimits, SandboxError

_REPLY_LIMIT_S = 60.0


class Session:
    """Replaces a control group where there is no sandbox: the player's session."""

    def __init__(self) -> None:
        self._process = 0

    def add(self, process: int) -> None:
        """The warden, which makes the session."""
        self._process = process

    def kill(self) -> bool:
        """Kill what is in the session; what left it is not found."""
        if self._process:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self._process, signal.SIGKILL)
        return True

    def out_of_memory(self) -> bool:
        """Nobody counts."""
        return False

    def is_at_limit(self) -> bool:
        """There is none."""
        return False


@contextlib.contextmanager
def _a_session() -> Iterator[Session]:
    session = Session()
    try:
        yield session
    finally:
        session.kill()


class Compartment:
    """Players run here, one after another; everything they started is gone when it ends.

    Args:
        control: the zygote's socket.
        settings: for the compartment's processes.
        limits: on everything that runs here, and on each player's output.

    Raises:
        SandboxError: it could not be made.
    """

    def __init__(
        self, control: socket.socket, settings: dict[str, Any], limits: PlayingLimits
    ) -> None:
        self._limits = limits
        self._stack = contextlib.ExitStack()
        self._player: Player | None = None
        self._is_lost = False
        try:
            group = control_group(limits) if settings["sandbox"] else _a_session()
            self._group = self._stack.enter_context(group)
            self._compartment = self._stack.enter_context(self._start(control, settings))
        except OSError as fault:
            self.end()
            raise SandboxError(f"no compartment for players could be made: {fault}") from fault
        except SandboxError:
            self.end()
            raise

    @contextlib.contextmanager
    def _start(self, control: socket.socket, settings: dict[str, Any]) -> Iterator[socket.socket]:
        ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with ours:
            ours.settimeout(_REPLY_LIMIT_S)
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with theirs:
                socket.send_fds(control, [json.dumps(settings).encode()], [theirs.fileno()])
            self._group.add(_process_behind(ours))
            ours.sendall(HERE)
            message = ours.recv(4096)
            if message != READY:
                raise SandboxError(
                    f"no compartment for players: {message.decode('utf-8', 'replace')[-600:]}"
                )
            yield ours

    def player(self) -> Player | None:
        """A fresh player; the one before is ended. None if something of it is left."""
        if self._player is not None:
            self._player.end()
            if self._is_lost or self._player.is_killed:
                return None
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        try:
            socket.send_fds(self._compartment, [b"player"], [theirs.fileno(), writing])
            pid = _process_behind(self._compartment)
        except (OSError, SandboxError):
            self._is_lost = True
            ours.close()
            os.close(reading)
            return None
        finally:
            theirs.close()
            os.close(writing)
        self._player = Player(ours, reading, self._limits, self._group, pid)
        return self._player

    def end(self) -> None:
        """Kill everything that runs here."""
        if self._player is not None:
            self._player.end()
        self._stack.close()


def _process_behind(connection: socket.socket) -> int:
    """The number of the process that sends the first byte, as the kernel tells it."""
    connection.settimeout(_REPLY_LIMIT_S)
    said, told, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(12))
    for level, kind, data in told:
        if said and (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return int.from_bytes(data[:4], sys.byteorder)
    raise SandboxError("a compartment ended before it started")
