"""Copies between host and device, entered in the account that ``gpuedu.backend`` shows."""

from __future__ import annotations

from contextlib import nullcontext

from gpuedu.simt.host.transfers import Direction, hidden_copies, note_transfer


def copied_to_device(size_bytes: int, what: str, *, hidden: str = "") -> None:
    """Enter a copy to the device; ``hidden`` says what the code asked for instead."""
    _enter(Direction.HOST_TO_DEVICE, size_bytes, what, hidden)


def copied_to_host(size_bytes: int, what: str, *, hidden: str = "") -> None:
    """Enter a copy to the host; ``hidden`` says what the code asked for instead."""
    _enter(Direction.DEVICE_TO_HOST, size_bytes, what, hidden)


def _enter(direction: Direction, size_bytes: int, what: str, hidden: str) -> None:
    with hidden_copies(hidden) if hidden else nullcontext():
        note_transfer(direction, size_bytes, what)
