"""Copies between host and device, entered in the account that ``gpuedu.backend`` shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

import numpy as np

from gpuedu.simt.host.transfers import Direction, hidden_copies, note_transfer

_contents: ContextVar[list[np.ndarray | None] | None] = ContextVar("contents", default=None)


@contextmanager
def watch_contents() -> Iterator[list[np.ndarray | None]]:
    """Collect what each copy inside carries, in order: the array, or None where it is not known."""
    found: list[np.ndarray | None] = []
    token = _contents.set(found)
    try:
        yield found
    finally:
        _contents.reset(token)


def copied_to_device(
    size_bytes: int, what: str, *, hidden: str = "", content: np.ndarray | None = None
) -> None:
    """Enter a copy to the device; ``hidden`` says what the code asked for instead."""
    _enter(Direction.HOST_TO_DEVICE, size_bytes, what, hidden, content)


def copied_to_host(
    size_bytes: int, what: str, *, hidden: str = "", content: np.ndarray | None = None
) -> None:
    """Enter a copy to the host; ``hidden`` says what the code asked for instead."""
    _enter(Direction.DEVICE_TO_HOST, size_bytes, what, hidden, content)


def _enter(
    direction: Direction, size_bytes: int, what: str, hidden: str, content: np.ndarray | None
) -> None:
    contents = _contents.get()
    if contents is not None:
        contents.append(None if content is None else content.copy())
    with hidden_copies(hidden) if hidden else nullcontext():
        note_transfer(direction, size_bytes, what)
