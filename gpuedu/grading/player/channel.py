"""Whole messages over a socket, counted before they are read."""

from __future__ import annotations

import socket
import time
from typing import Any

from gpuedu.grading.wire import LENGTHS_BYTES, WireLimits, pack, read_lengths, unpack

_PIECE = 2**20


class Channel:
    """One end of a connection between judge and player.

    Args:
        connection: a stream socket; the channel owns it.
        limits: of what may be received.
    """

    def __init__(self, connection: socket.socket, limits: WireLimits | None = None) -> None:
        self._connection = connection
        self._limits = limits or WireLimits()

    def send(self, value: Any, limit_s: float | None = None) -> None:
        """Send a plain value.

        Raises:
            OSError: the other side has gone; TimeoutError, it did not read within ``limit_s``.
        """
        self._connection.settimeout(None if limit_s is None else max(limit_s, 0.001))
        self._connection.sendall(pack(value))

    def receive(self, limit_s: float | None = None) -> Any:
        """The next value.

        Raises:
            TimeoutError: it was not there, whole, within ``limit_s`` seconds.
            EOFError: the other side has gone.
            WireError: what came is no message, or beyond the limits.
        """
        end_s = None if limit_s is None else time.monotonic() + limit_s
        begin = self._read(LENGTHS_BYTES, end_s)
        rest = self._read(sum(read_lengths(begin, self._limits)), end_s)
        return unpack(begin + rest, self._limits)

    def _read(self, count: int, end_s: float | None) -> bytes:
        parts, left = [], count
        while left:
            if end_s is not None:
                left_s = end_s - time.monotonic()
                if left_s <= 0:
                    raise TimeoutError
                self._connection.settimeout(left_s)
            try:
                part = self._connection.recv(min(left, _PIECE))
            except ConnectionError as fault:
                raise EOFError from fault
            if not part:
                raise EOFError
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Close this end."""
        self._connection.close()
