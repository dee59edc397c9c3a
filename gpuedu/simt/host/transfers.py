"""The account of copies between host and device, the hidden ones included.

On a GPU each is a journey over PCIe or NVLink; here only the account is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum

_KEPT = 10_000


class Direction(StrEnum):
    """Which way a copy went."""

    HOST_TO_DEVICE = "host-to-device"
    DEVICE_TO_HOST = "device-to-host"
    DEVICE_TO_DEVICE = "device-to-device"


@dataclass(frozen=True)
class Transfer:
    """One copy.

    ``implicit`` is True if the code asked for something else: a host array as a kernel's argument,
    an element read, a device array used as a NumPy array. ``what`` says which.
    """

    direction: Direction
    size_bytes: int
    implicit: bool
    what: str


_log: deque[Transfer] = deque(maxlen=_KEPT)
_watching: ContextVar[list[Transfer] | None] = ContextVar("watching", default=None)
_cause: ContextVar[str | None] = ContextVar("cause", default=None)


def transfers() -> tuple[Transfer, ...]:
    """The copies since the last ``reset_transfers``, oldest first; the last 10,000 are kept."""
    return tuple(_log)


def reset_transfers() -> None:
    """Start a new account."""
    _log.clear()


def note_transfer(direction: Direction, size_bytes: int, what: str) -> None:
    """Enter a copy; inside ``hidden_copies`` it is implicit."""
    cause = _cause.get()
    transfer = Transfer(direction, size_bytes, cause is not None, cause or what)
    _log.append(transfer)
    if (watching := _watching.get()) is not None:
        watching.append(transfer)


@contextmanager
def watched_transfers() -> Iterator[list[Transfer]]:
    """The copies inside the block, however many were made before and however few are kept."""
    inside: list[Transfer] = []
    token = _watching.set(inside)
    try:
        yield inside
    finally:
        _watching.reset(token)


@contextmanager
def hidden_copies(cause: str) -> Iterator[None]:
    """Copies inside are implicit, because of ``cause``."""
    token = _cause.set(cause)
    try:
        yield
    finally:
        _cause.reset(token)
