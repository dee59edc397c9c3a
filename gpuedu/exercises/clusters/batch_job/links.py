"""Connections of commands to what stands in for Slurm: lines of JSON, and who sent them."""

from __future__ import annotations

import json
import os
import selectors
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_MOST_LINKS = 200
_MOST_LINE = 1_000_000
_STREAMS = 3


@dataclass(eq=False)
class Link:
    """One connection.

    Attributes:
        pid: of the process that made it, as the kernel tells it; 0 where the kernel doesn't.
        files: handles that came with it: at most the three streams of a command.
        owner: what the command asked for, if it is told of signals.
    """

    socket: socket.socket
    pid: int
    files: list[int] = field(default_factory=list)
    owner: Any = None
    has_asked: bool = False
    _start: bytes = b""

    @property
    def is_open(self) -> bool:
        """Whether the command is still there."""
        return self.socket.fileno() >= 0

    def tell(self, **reply: Any) -> None:
        """Send a line; whoever doesn't read it has it not."""
        with suppress(OSError):
            self.socket.send(json.dumps(reply).encode() + b"\n")

    def read(self) -> list[Any] | None:
        """Whole lines, as far as they came; None when it has ended, or what comes is no line."""
        try:
            data, files, _, _ = socket.recv_fds(self.socket, 1 << 16, _STREAMS)
        except BlockingIOError:
            return []
        except OSError:
            return None
        self.files += files
        for extra in self.files[_STREAMS:]:
            os.close(extra)
        del self.files[_STREAMS:]
        *lines, self._start = (self._start + data).split(b"\n")
        if not data or len(self._start) > _MOST_LINE:
            return None
        try:
            return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            return None

    def close_files(self) -> None:
        """Close what came with it."""
        for one in self.files:
            os.close(one)
        self.files.clear()


class Links:
    """All connections to a socket at this path."""

    def __init__(self, path: Path) -> None:
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen(_MOST_LINKS)
        self._listening.setblocking(False)
        # What `epoll` may watch is counted by user, whom a learner's code may be.
        self._selector = selectors.PollSelector()
        self._selector.register(self._listening, selectors.EVENT_READ)

    def heard(self, wait_s: float) -> Iterator[tuple[Link, list[Any] | None]]:
        """What came on each, after at most ``wait_s`` seconds; None for one that has ended."""
        for key, _ in self._selector.select(wait_s):
            link = key.data
            if link is None:
                self._accept()
                continue
            lines = link.read()
            yield link, lines
            if lines is None:
                self._close(link)

    def _accept(self) -> None:
        with suppress(OSError):
            connection, _ = self._listening.accept()
            connection.setblocking(False)
            if len(self._selector.get_map()) > _MOST_LINKS:
                connection.close()
                return
            self._selector.register(
                connection, selectors.EVENT_READ, Link(connection, _process_behind(connection))
            )

    def _close(self, link: Link) -> None:
        self._selector.unregister(link.socket)
        link.close_files()
        link.socket.close()

    def end(self) -> None:
        """Close all of them."""
        for key in list(self._selector.get_map().values()):
            if key.data is not None:
                self._close(key.data)
        self._selector.close()
        self._listening.close()


def _process_behind(connection: socket.socket) -> int:
    """The number of the process that connected; 0 where that isn't told (it is on Linux)."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return 0
    told = connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i"))
    return struct.unpack("3i", told)[0]
