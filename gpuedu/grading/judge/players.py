"""A player, as the judge sees it: always asked, limited, listened to, and ended."""

from __future__ import annotations

import os
import selectors
import socket
import threading
import time
from typing import Any, Protocol

from gpuedu.allowance import Allowance, ThreadTimes
from gpuedu.grading.player.channel import Channel
from gpuedu.grading.sandbox.limits import MachineFullError, PlayingLimits
from gpuedu.grading.wire import WireError

_PIECE = 65536


class Group(Protocol):
    """What a player's processes run in, and can be killed through."""

    def kill(self) -> bool:
        """Kill all of them; returns whether none is left."""

    def out_of_memory(self) -> bool:
        """True if one was killed for lack of memory."""

    def is_at_limit(self) -> bool:
        """True if that was because of their own limit, not because others took all there is."""


class PlayerGoneError(Exception):
    """The player ended, was killed, or sent something that is not a message; why, for its owner."""


class Player:
    """One process that runs one exercise of one submission.

    Attributes:
        pid: its number.
        times: for how long it has run, and waited for a processor.
    """

    def __init__(
        self,
        connection: socket.socket,
        output: int,
        limits: PlayingLimits,
        group: Group,
        pid: int,
    ) -> None:
        self._channel, self._group, self._limits = Channel(connection), group, limits
        self.pid, self.times = pid, ThreadTimes(pid)
        self._output = _Output(output, limits.output_bytes, self._kill)
        self._ended = self.is_killed = False

    def ask(self, request: Any, limit_s: float) -> Any:
        """Send a request and wait for the reply; what it says is not to be trusted.

        Its waits for a processor do not count (see ``Allowance``).

        Raises:
            TimeoutError: it did not read, or no whole reply came, in time; it has been killed.
            PlayerGoneError: it is gone, and why.
            MachineFullError: it is gone for lack of memory that others took.
        """
        try:
            allowance = Allowance(limit_s, self.times)
            self._channel.send(request, limit_s)
            return self._channel.receive(allowance)
        except TimeoutError:
            self._kill()
            raise
        except (EOFError, OSError) as fault:
            self.is_killed = True
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
                if not self._group.is_at_limit():
                    raise MachineFullError("this machine ran out of memory while it ran")
                return f"it used more than {self._limits.memory_bytes // 2**20} MiB of memory"
            time.sleep(0.02)
        return "it ended the process that it ran in"

    def _kill(self) -> None:
        self.is_killed = True
        self._group.kill()

    def end(self) -> None:
        """Release it, and close what belongs to it; its compartment's end kills what it leaves."""
        if not self._ended:
            self._ended = True
            self._channel.close()
            self.times.close()
            self._output.close()


class _Output:
    """What a player prints outside of checks: counted as it comes, and thrown away."""

    def __init__(self, handle: int, most_bytes: int, too_much: Any) -> None:
        self.is_over = False
        self._handle, self._most_bytes, self._too_much = handle, most_bytes, too_much
        os.set_blocking(handle, False)  # a player may take back what was there to be read
        self._stop_reading, self._stop_writing = os.pipe()
        self._thread = threading.Thread(target=self._read, name="output of a player", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        seen = 0
        # What `epoll` may watch is counted by user, whom a learner's code may be.
        with selectors.PollSelector() as selector:
            selector.register(self._handle, selectors.EVENT_READ)
            selector.register(self._stop_reading, selectors.EVENT_READ)
            while True:
                ready = {key.fd for key, _ in selector.select()}
                if self._stop_reading in ready:
                    return
                try:
                    piece = os.read(self._handle, _PIECE)
                except BlockingIOError:
                    continue
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
