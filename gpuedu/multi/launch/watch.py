"""Watching a launch from outside: its output, its time, and ranks that wait for each other."""

from __future__ import annotations

import codecs
import contextlib
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from gpuedu.allowance import MOST_WAITED, waited_for_a_processor_s
from gpuedu.multi.launch.agreement import disagreement
from gpuedu.multi.launch.board import Board, Standing
from gpuedu.multi.launch.rank import MARK
from gpuedu.multi.launch.server import server_pid

MOST_SHOWN = 20_000
MOST_WRITTEN_BYTES = 64 * 2**20
_LOOK_S = 0.1
_WAITS_S = 0.5
"""Who has waited for so long may wait for a rank that called something else."""
_GRACE_S = 2.0
"""So long the launcher has time to see by itself that a rank is gone; it does not see all."""


class Watch:
    """Watches a launch from its own thread, and ends its ranks if needed.

    Args:
        folder: of the launch; the ranks' output is somewhere below ``logs``.
        board: what the ranks are doing.
        time_limit_s: after this long the ranks are ended. Time that a rank waited for a processor,
            because the machine had other work, does not count, up to three times the limit (only
            Linux reports it).
        stall_s: they are also ended when every rank has been inside the same call for this long.
        show: gets each rank's number and its text, as it comes.
    """

    def __init__(
        self,
        folder: Path,
        board: Board,
        *,
        time_limit_s: float,
        stall_s: float,
        show: Callable[[int, str], None],
    ) -> None:
        self.reason = ""
        self.began_s = time.time()
        self.standings: list[Standing | None] = []
        self._folder, self._board, self._show = folder, board, show
        self._time_limit_s, self._stall_s = time_limit_s, stall_s
        self._shown: dict[Path, int] = {}
        # What is read may end in the middle of a character.
        self._decoders = defaultdict(lambda: codecs.getincrementaldecoder("utf-8")("replace"))
        self._left_since_s = time.monotonic()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch of a launch", daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._show_output()

    def _look(self) -> None:
        began_s = time.monotonic()
        while not self._stop.wait(_LOOK_S):
            self._show_output()
            if not self.reason:  # what they were doing then, not after a restart
                self.standings = self._board.read()
            if time.monotonic() - began_s > self._time_limit_s + self._starved_s():
                self._end("time")
            elif self._is_stalled():
                self._end("deadlock")
            elif self._is_differing():
                self._end("differing")
            elif self._left_s() > _GRACE_S:
                self._end("left")
            elif any(written > MOST_WRITTEN_BYTES for written in self._written().values()):
                self._end("output")

    def _end(self, reason: str) -> None:
        if not self.reason:
            self.reason = reason
        end_processes(self._folder, self.began_s)

    def _starved_s(self) -> float:
        """For how long the rank that had to wait longest was ready to run, and did not; bounded."""
        waited = (waited_for_a_processor_s(one.pid) for one in self.standings if one)
        return min(max(waited, default=0.0), MOST_WAITED * self._time_limit_s)

    def _is_stalled(self) -> bool:
        """Whether nobody can be expected to end anybody's wait."""
        now_s = time.monotonic()
        standings = [one for one in self.standings if one is not None]
        waiting = [one for one in standings if one.state == "calls"]
        return (
            len(standings) == len(self.standings)
            and bool(waiting)
            and all(one.state in ("calls", "done") for one in standings)
            and min(now_s - one.since_s for one in standings) > self._stall_s
        )

    def _is_differing(self) -> bool:
        """Whether a rank waits, and two ranks have called different collectives."""
        now_s = time.monotonic()
        waiting = [
            one
            for one in self.standings
            if one is not None and one.state == "calls" and now_s - one.since_s > _WAITS_S
        ]
        if not waiting:
            return False
        return disagreement(self._folder, waiting[0].attempt, len(self.standings)) is not None

    def _left_s(self) -> float:
        """For how long a rank has been gone that did not say that it was done, while others go on.

        The launcher takes one that left with exit status 0 for one that is done, and waits for the
        others, which wait for it.
        """
        alive = {one.rank: _is_alive(one.pid) for one in self.standings if one is not None}
        gone = [
            one
            for one in self.standings
            if one is not None and one.state != "done" and not alive[one.rank]
        ]
        if not gone or not any(alive.values()):
            self._left_since_s = time.monotonic()
        return time.monotonic() - self._left_since_s

    # What the ranks print

    def _logs(self) -> list[tuple[int, Path]]:
        found = self._folder.glob("logs/*/attempt_*/*/std*.log")
        return sorted((int(path.parent.name), path) for path in found)

    def _written(self) -> dict[Path, int]:
        with contextlib.suppress(OSError):
            return {path: path.stat().st_size for _, path in self._logs()}
        return {}

    def _show_output(self) -> None:
        """Hand on what is new, up to a limit for each rank."""
        for rank, path in self._logs():
            begin = self._shown.get(path, 0)
            if begin > MOST_SHOWN:
                continue
            with contextlib.suppress(OSError), path.open("rb") as file:
                file.seek(begin)
                raw = file.read(MOST_SHOWN + 1 - begin)
                if not raw:
                    continue
                self._shown[path] = begin + len(raw)
                self._show(rank, self._decoders[path].decode(raw))
                if begin + len(raw) > MOST_SHOWN:
                    self._show(rank, "\n... and more, which is not shown\n")


def end_processes(folder: Path, began_s: float, *, wait_s: float = 0.0) -> None:
    """Kill every process of a launch, whatever its parent is now, and wait until they are gone.

    These are the ranks, what they forked, and what they started. They are not reaped here: the
    launcher asks its own children for their exit status. A rank that is just being started has not
    yet said that it is one, so it is waited for too.
    """
    end_s = time.monotonic() + wait_s
    while [one for one in _processes(folder, began_s) if _kill(one)] or _newborn(folder, began_s):
        if time.monotonic() >= end_s:
            return
        time.sleep(0.02)


def _processes(folder: Path, began_s: float) -> Iterator[psutil.Process]:
    sessions = _sessions(folder)
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            # Numbers of processes are used again: what is older than the launch is not of it.
            if process.pid == os.getpid() or process.create_time() < began_s - 1:
                continue
            if _began(process.pid, sessions) or process.environ().get(MARK) == str(folder):
                yield process


def _newborn(folder: Path, began_s: float) -> bool:
    """Whether the fork server has a child of this launch that has not said yet that it is one."""
    server = server_pid()
    if server is None:
        return False
    with contextlib.suppress(psutil.Error, OSError):
        sessions = _sessions(folder)
        return any(
            one.create_time() >= began_s - 1
            and one.status() != psutil.STATUS_ZOMBIE
            and not _began(one.pid, sessions)
            for one in psutil.Process(server).children()
        )
    return False


def _sessions(folder: Path) -> set[int]:
    """Those that ranks have begun: numbers of ranks."""
    return {int(path.name.partition("-")[2]) for path in folder.glob("session-*")}


def _began(pid: int, sessions: set[int]) -> bool:
    """Whether a process is a rank, or in a rank's session; some sandboxes let nobody begin one."""
    return pid in sessions or (hasattr(os, "getsid") and os.getsid(pid) in sessions)


def _is_alive(pid: int) -> bool:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def _kill(process: psutil.Process) -> bool:
    """Whether there was something to kill."""
    with contextlib.suppress(psutil.Error, OSError):
        if process.status() != psutil.STATUS_ZOMBIE:
            process.kill()
            return True
    return False
