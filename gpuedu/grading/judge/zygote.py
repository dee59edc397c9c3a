"""The judge's end of the warm process that compartments, and players in them, are forked from."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from gpuedu.grading.judge.compartments import Compartment
from gpuedu.grading.player.zygote import READY
from gpuedu.grading.sandbox import syscalls
from gpuedu.grading.sandbox.bubblewrap import HOME, command, writable_folders
from gpuedu.grading.sandbox.copies import FolderForACopy, copy_course
from gpuedu.grading.sandbox.limits import PlayingLimits, SandboxError
from gpuedu.grading.sandbox.mounts import PACKAGE
from gpuedu.grading.sandbox.users import players_user

START_LIMIT_S = 120.0


class Zygote:
    """The warm process in its sandbox, from which compartments are forked.

    Args:
        sandbox: False runs learners' code as this user, with no limits but those on time and
            output: for code that is trusted.

    Raises:
        SandboxError: there is no sandbox here, or it did not start.
    """

    def __init__(self, *, sandbox: bool = True) -> None:
        self.sandbox = sandbox
        self._folder = FolderForACopy() if sandbox else _folder_for_players()
        self._user = players_user() if sandbox else None
        course = _copied_course(self._folder) if sandbox else None
        ours, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with theirs:
            inside = [sys.executable, "-m", "gpuedu.grading.player.zygote", str(theirs.fileno())]
            inside += [] if self._user is None else [str(self._user)]
            self._process = subprocess.Popen(
                command(inside, course) if course else inside,
                env=None if sandbox else _plain_environment(),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        self._control = ours
        self._control.settimeout(START_LIMIT_S)
        self._prepared: set[tuple[str, str]] = set()
        self._awaited = 1

    def begin(self, lesson: str, imports: str) -> None:
        """Make it import what a lesson needs, without waiting for it.

        Args:
            lesson: the lesson's slug.
            imports: import statements of the lesson's own setup cell: they are run there.
        """
        if (lesson, imports) not in self._prepared:
            self._prepared.add((lesson, imports))
            self._awaited += 1
            request = {"lesson": lesson, "imports": imports}
            with contextlib.suppress(OSError):  # what it said before it ended tells more
                self._control.sendall(json.dumps(request).encode())

    def prepare(self, lesson: str, imports: str) -> None:
        """Make it import what a lesson needs, unless it has, and wait until everything is there.

        Raises:
            SandboxError: it did not start, or ended.
        """
        self.begin(lesson, imports)
        while self._awaited:
            self._require_ready()
            self._awaited -= 1

    def _require_ready(self) -> None:
        try:
            said = self._control.recv(len(READY))
        except OSError:
            said = b""
        if said != READY:
            self._process.kill()
            message = self._process.stderr.read().decode("utf-8", "replace").strip()
            raise SandboxError(f"the sandbox did not start: {message[-600:] or 'it said nothing'}")

    def is_alive(self) -> bool:
        """True if it still runs."""
        return self._process.poll() is None

    def compartment(self, limits: PlayingLimits) -> Compartment:
        """A fresh compartment for players; the caller ends it.

        Raises:
            SandboxError: none can be had.
        """
        settings = {
            "sandbox": self.sandbox,
            "folder": HOME if self.sandbox else self._folder.name,
            "writable": list(writable_folders()),
            "disk_bytes": limits.disk_bytes,
            "open_files": limits.open_files,
            "filter": syscalls.program().hex() if self.sandbox else "",
        }
        return Compartment(self._control, settings, limits)

    def end(self) -> None:
        """End it, and every player that is left."""
        self._process.kill()
        self._process.wait()
        self._process.stderr.close()
        self._control.close()
        self._folder.cleanup()


def _copied_course(folder: tempfile.TemporaryDirectory) -> Path:
    try:
        return copy_course(PACKAGE, Path(folder.name))
    except OSError as fault:
        folder.cleanup()
        raise SandboxError(
            f"the course cannot be copied to {folder.name}, for players to see: {fault.strerror}",
            remedy="free some 50 MB there, or set TMPDIR to a folder with room",
        ) from fault


def _folder_for_players() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="gpuedu-player-")


def _plain_environment() -> dict[str, str]:
    """This process's variables, where to find the course, one thread a player, no GPU."""
    path = os.pathsep.join(filter(None, sys.path))
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return {**os.environ, **threads, "PYTHONPATH": path, "GPUEDU_TIER": "cpu"}
