"""Whole messages over a socket, counted before they are read."""

from __future__ import annotations

import socket
from typing import Any

from gpuedu.allowance import Allowance
from gpuedu.grading.wire import LENGTHS_BYTES, WireLimits, pack, read_lengths, unpack_parts

_PIECE = 2**20


class Channel:
    """One end of a connection between judge and player.

    Args:
        connection: a stream socket; the channel owns it.
        limits: on what may be received.
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

    def receive(self, allowance: Allowance | None = None) -> Any:
        """The next value.

        Raises:
            TimeoutError: it was not there in full when the allowance was over.
            EOFError: the other side has gone.
            WireError: what came is not a message, or exceeds the limits.
        """
        lengths = read_lengths(bytes(self._read(LENGTHS_BYTES, allowance)), self._limits)
        return unpack_parts(lengths, self._read(sum(lengths), allowance), self._limits)

    def _read(self, count: int, allowance: Allowance | None) -> memoryview:
        found = memoryview(bytearray(count))
        at = 0
        while at < count:
            if allowance is not None:
                left_s = allowance.surely_left_s()
                if left_s <= 0:
                    raise TimeoutError
                self._connection.settimeout(left_s)
            try:
                read = self._connection.recv_into(found[at : at + _PIECE])
            except TimeoutError:  # the allowance may have become longer
                continue
            except ConnectionError as fault:
                raise EOFError from fault
            if not read:
                raise EOFError
            at += read
        return found

    def close(self) -> None:
        """Close this end."""
        self._connection.close()
