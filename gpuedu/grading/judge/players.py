"""Players for the judge: started in the sandbox, limited, listened to, and ended, always."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

from gpuedu.grading.player.channel import Channel
from gpuedu.grading.player.zygote import READY
from gpuedu.grading.sandbox.bubblewrap import HOME, command, writable_folders
from gpuedu.grading.sandbox.cgroups import ControlGroup, control_group
from gpuedu.grading.sandbox.limits import PlayingLimits, SandboxError
from gpuedu.grading.wire import WireError

START_LIMIT_S = 120.0
_PIECE = 65536


class PlayerGoneError(Exception):
    """The player ended, was killed, or sent what is no message; why, in words for its owner."""


class Zygote:
    """The warm process in its sandbox, from which players are forked.

    Args:
        sandbox: False runs learners' code as this user, with no limits but those on time and
            output: for code that is trusted.

    Raises:
        SandboxError: there is no sandbox here, or it did not start.
    """

    def __init__(self, *, sandbox: bool = True) -> None:
        self.sandbox = sandbox
        self._folder = None if sandbox else tempfile.TemporaryDirectory(prefix="gpuedu-player-")
        ours, theirs = socket.socketpair()
        with theirs:
            inside = [sys.executable, "-m", "gpuedu.grading.player.zygote", str(theirs.fileno())]
            self._process = subprocess.Popen(
                command(inside) if sandbox else inside,
                env=None if sandbox else _plain_environment(),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        self._control = ours
        self._control.settimeout(START_LIMIT_S)
        try:
            said = self._control.recv(len(READY))
        except TimeoutError:
            said = b""
        if said != READY:
            self._process.kill()
            told = self._process.stderr.read().decode("utf-8", "replace").strip()
            self.end()
            raise SandboxError(f"the sandbox did not start: {told[-600:] or 'it said nothing'}")

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @contextlib.contextmanager
    def player(self, limits: PlayingLimits) -> Iterator[Player]:
        """A fresh player; it and all that it started are gone when the block ends.

        Raises:
            SandboxError: none could be started.
        """
        try:
            group = control_group(limits) if self.sandbox else contextlib.nullcontext(Session())
            with group as found, contextlib.ExitStack() as stack:
                yield stack.enter_context(self._start(limits, found))
        except OSError as fault:
            raise SandboxError(f"no player could be started: {fault}") from fault

    @contextlib.contextmanager
    def _start(self, limits: PlayingLimits, group: ControlGroup | Session) -> Iterator[Player]:
        ours, theirs = socket.socketpair()
        reading, writing = os.pipe()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        settings = {
            "sandbox": self.sandbox,
            "folder": HOME if self.sandbox else self._folder.name,
            "writable": list(writable_folders()),
            "disk_bytes": limits.disk_bytes,
            "open_files": limits.open_files,
        }
        request = json.dumps(settings).encode()
        try:
            socket.send_fds(self._control, [request], [theirs.fileno(), writing])
        finally:
            theirs.close()
            os.close(writing)
        player = Player(ours, reading, limits, group)
        try:
            group.add(_process_behind(ours))
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
            ours.sendall(b"!")
            yield player
        finally:
            player.end()

    def end(self) -> None:
        """End it, and every player that is left."""
        self._process.kill()
        self._process.wait()
        self._process.stderr.close()
        self._control.close()
        if self._folder is not None:
            self._folder.cleanup()


def _plain_environment() -> dict[str, str]:
    """This process's variables, and where to find the course and one thread a player."""
    path = os.pathsep.join(filter(None, sys.path))
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Session:
    """In place of a control group, where there is no sandbox: the session of the player's."""

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


def _process_behind(connection: socket.socket) -> int:
    """The number of the process that sends the first byte, as the kernel tells it."""
    connection.settimeout(START_LIMIT_S)
    said, told, _, _ = connection.recvmsg(1, socket.CMSG_SPACE(12))
    for level, kind, data in told:
        if said and (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return int.from_bytes(data[:4], sys.byteorder)
    raise SandboxError("a player ended before it began")


class Player:
    """One process that runs one exercise of one submission."""

    def __init__(
        self,
        connection: socket.socket,
        output: int,
        limits: PlayingLimits,
        group: ControlGroup | Session,
    ) -> None:
        self._channel, self._group, self._limits = Channel(connection), group, limits
        self._output = _Output(output, limits.output_bytes, self._kill)
        self._ended = False

    def ask(self, request: Any, limit_s: float) -> Any:
        """Send a request and wait for the reply; what it says is not to be trusted.

        Raises:
            TimeoutError: no whole reply came in time; the player has been killed.
            PlayerGoneError: it is gone, and why.
        """
        try:
            self._channel.send(request)
            return self._channel.receive(limit_s)
        except TimeoutError:
            self._kill()
            raise
        except (EOFError, OSError) as fault:
            raise PlayerGoneError(self._why_gone()) from fault
        except WireError as fault:
            self._kill()
            raise PlayerGoneError(f"its result cannot be read: {fault.message}") from fault

    def _why_gone(self) -> str:
        if self._output.is_over:
            most = self._limits.output_bytes // 2**20
            return f"it printed more than {most} MiB"
        end_s = time.monotonic() + 0.5
        while time.monotonic() < end_s:  # the kernel counts a little later than it kills
            if self._group.out_of_memory():
                return f"it used more than {self._limits.memory_bytes // 2**20} MiB of memory"
            time.sleep(0.02)
        return "it ended the process that it was tried in"

    def _kill(self) -> None:
        self._group.kill()

    def end(self) -> None:
        """Kill everything of it, and close what belongs to it."""
        if not self._ended:
            self._ended = True
            self._kill()
            self._channel.close()
            self._output.close()


class _Output:
    """What a player prints outside of checks: counted as it comes, and thrown away."""

    def __init__(self, handle: int, most_bytes: int, too_much: Any) -> None:
        self.is_over = False
        self._handle, self._most_bytes, self._too_much = handle, most_bytes, too_much
        self._stop_reading, self._stop_writing = os.pipe()
        self._thread = threading.Thread(target=self._read, name="output of a player", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        seen = 0
        with selectors.DefaultSelector() as selector:
            selector.register(self._handle, selectors.EVENT_READ)
            selector.register(self._stop_reading, selectors.EVENT_READ)
            while True:
                ready = {key.fd for key, _ in selector.select()}
                if self._stop_reading in ready:
                    return
                piece = os.read(self._handle, _PIECE)
                seen += len(piece)
                if not piece:
                    return
                if seen > self._most_bytes and not self.is_over:
                    self.is_over = True
                    self._too_much()

    def close(self) -> None:
        os.close(self._stop_writing)
        self._thread.join()
        os.close(self._stop_reading)
        os.close(self._handle)
