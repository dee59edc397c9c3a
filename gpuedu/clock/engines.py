"""The engines of a device, and which of them an operation needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from gpuedu.clock.buffers import HOST, Kernel
from gpuedu.errors import AnswerError

TO_DEVICE, TO_HOST, COMPUTE = "copy to device", "copy to host", "compute"
"""The engines, which are the lanes of a timeline; the host's lane is "host"."""


class Memory(Protocol):
    """What a buffer is, simulated or real."""

    name: str
    size_bytes: int
    place: str


def engine_of(to: Memory, source: Memory) -> str:
    """The engine of a copy; AnswerError for one that is not between host and device."""
    if HOST not in (to.place, source.place) or to.place == source.place:
        raise AnswerError("a copy goes from host to device or from device to host")
    if to.size_bytes != source.size_bytes:
        raise AnswerError(
            f"{source.name!r} has {source.size_bytes} bytes, {to.name!r} has {to.size_bytes}"
        )
    return TO_HOST if to.place == HOST else TO_DEVICE


def refuse_host_memory(kernel: Kernel, buffers: Iterable[Memory]) -> None:
    """AnswerError if a kernel is given host memory."""
    for buffer in buffers:
        if buffer.place == HOST:
            raise AnswerError(
                f"kernel {kernel.name!r} was given {buffer.name!r}, memory of the host",
                remedy="Copy it to the device first.",
            )
