"""Device memory of arrays: allocations that a pool tracks while something refers to them."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from gpuedu.arrays.copies import Copies
from gpuedu.arrays.device import Device
from gpuedu.arrays.errors import DeviceArrayTypeError, HostTooSmallError
from gpuedu.arrays.lists import missing
from gpuedu.arrays.pool import ALL_BLOCKS, Blocks
from gpuedu.hardware.machine import available_memory_bytes
from gpuedu.simt.host.buffers import Buffer

_LARGE_BYTES = 64 * 2**20


@dataclass(eq=False)
class Peak:
    """Used bytes of all pools while ``watch_memory`` watched, as the pools count them.

    ``start_bytes`` were used before, ``peak_bytes`` at the worst moment, with temporary arrays.
    """

    start_bytes: int
    peak_bytes: int

    @property
    def extra_bytes(self) -> int:
        """Bytes that came on top of what was used before."""
        return self.peak_bytes - self.start_bytes


class _Meter:
    """Used bytes of all pools together, and who watches them."""

    def __init__(self) -> None:
        self.used_bytes = 0
        self.watching: list[Peak] = []

    def change(self, size_bytes: int) -> None:
        self.used_bytes += size_bytes
        for peak in self.watching:
            peak.peak_bytes = max(peak.peak_bytes, self.used_bytes)


_meter = _Meter()


@contextmanager
def watch_memory() -> Iterator[Peak]:
    """Note the peak of used device memory while the block runs.

    Every operation's result is a separate array, so the temporaries of an expression count.
    """
    peak = Peak(_meter.used_bytes, _meter.used_bytes)
    _meter.watching.append(peak)
    try:
        yield peak
    finally:
        _meter.watching.remove(peak)


class Memory:
    """One allocation; ``ptr`` is its address, ``size`` its bytes."""

    device_id = 0

    def __init__(self, size: int) -> None:
        _require_room(size)
        self.buffer = Buffer(size)
        self.size = size

    @property
    def ptr(self) -> int:
        """The address of its first byte; 0 for none."""
        return self.buffer.address

    @property
    def device(self) -> Device:
        """The device."""
        return Device(0)


def _require_room(size_bytes: int) -> None:
    """Refuse what this computer cannot hold, before the system ends the program for it."""
    if size_bytes < _LARGE_BYTES:
        return
    free_bytes = available_memory_bytes()
    if free_bytes is not None and size_bytes > free_bytes:
        raise HostTooSmallError(
            f"{size_bytes:,} bytes fit on the device, but this computer stands in for it and "
            f"has {free_bytes:,} bytes left",
            remedy="smaller arrays, or `del` what is not needed",
        )


class MemoryPointer(Copies):
    """A place in device memory: ``mem`` is the allocation, ``ptr`` the address."""

    device_id = 0

    def __init__(self, mem: Memory, offset: int) -> None:
        if not isinstance(mem, Memory):
            raise DeviceArrayTypeError(
                f"`mem` is {type(mem).__name__}, not device memory", remedy="array.data.mem"
            )
        self.mem = mem
        self.offset = operator.index(offset)

    @property
    def ptr(self) -> int:
        """The address."""
        return self.mem.ptr + self.offset if self.mem.size else 0

    @property
    def device(self) -> Any:
        """The device."""
        return self.mem.device

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.cuda.MemoryPointer", name)

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self.offset + offset)

    def __sub__(self, offset: int) -> MemoryPointer:
        return self + -offset

    def __repr__(self) -> str:
        return f"<MemoryPointer {self.ptr:#x} device=0 mem={self.mem!r}>"


def malloc(size: int) -> MemoryPointer:
    """Memory from the device without a pool, for ``set_allocator(None)``."""
    memory = Memory(size)
    if size:
        _hold(memory, size, lambda: None)
    return MemoryPointer(memory, 0)


def _hold(memory: Memory, size_bytes: int, release: Callable[[], None]) -> None:
    """Count ``size_bytes`` as used until nothing refers to the buffer."""

    def end() -> None:
        _meter.change(-size_bytes)
        release()

    _meter.change(size_bytes)
    weakref.finalize(memory.buffer, end).atexit = False


class MemoryPool:
    """Allocations that are kept for reuse: see ``gpuedu.arrays.pool``.

    ``allocator`` is accepted, as by CuPy, but not used: there is one kind of memory here.
    """

    def __init__(self, allocator: Callable[[int], MemoryPointer] | None = None) -> None:
        self._blocks = Blocks()
        ALL_BLOCKS.add(self._blocks)

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.cuda.MemoryPool", name)

    def malloc(self, size: int) -> MemoryPointer:
        """Memory of ``size`` bytes; OutOfMemoryError where the limit allows no more."""
        if size < 0:
            raise DeviceArrayTypeError(f"{size} bytes cannot be allocated")
        if size == 0:
            return MemoryPointer(Memory(0), 0)
        block, blocks = self._blocks.take(size), self._blocks
        try:
            memory = Memory(size)
        except MemoryError:
            blocks.returned.append(block)
            blocks.release()
            raise
        _hold(memory, block.size_bytes, lambda: blocks.returned.append(block))
        return MemoryPointer(memory, 0)

    def used_bytes(self) -> int:
        """Bytes that arrays use, rounded up to 512 each."""
        self._blocks.settle()
        return self._blocks.used_bytes

    def free_bytes(self) -> int:
        """Bytes that are kept for reuse."""
        return self.total_bytes() - self.used_bytes()

    def total_bytes(self) -> int:
        """Bytes taken from the device, both used and kept."""
        return self._blocks.total_bytes

    def n_free_blocks(self) -> int:
        """How many blocks are kept for reuse."""
        self._blocks.settle()
        return len(self._blocks.free)

    def free_all_blocks(self, stream: Any = None) -> None:
        """Give kept blocks back to the device, except those of which a part is still used."""
        self._blocks.release()

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Limit ``total_bytes``: in bytes, or as a part of the device; without either, no limit."""
        self._blocks.set_limit(size, fraction)

    def get_limit(self) -> int:
        """The limit in bytes; 0 for none."""
        return self._blocks.limit_bytes


_default_pool = MemoryPool()
_allocator: Callable[[int], MemoryPointer] = _default_pool.malloc
_borrowed: ContextVar[Callable[[int], MemoryPointer] | None] = ContextVar("borrowed", default=None)


def get_default_memory_pool() -> MemoryPool:
    """The pool that arrays come from."""
    return _default_pool


def allocate(size_bytes: int) -> MemoryPointer:
    """Memory from the allocator in use."""
    return (_borrowed.get() or _allocator)(size_bytes)


def get_allocator() -> Callable[[int], MemoryPointer]:
    """The allocator in use."""
    return _borrowed.get() or _allocator


def set_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> None:
    """Take memory from ``allocator``; with None each array's comes from the device itself."""
    global _allocator
    _allocator = allocator or malloc


@contextmanager
def using_allocator(allocator: Callable[[int], MemoryPointer] | None = None) -> Iterator[None]:
    """Take memory from ``allocator`` inside the block."""
    token = _borrowed.set(allocator or malloc)
    try:
        yield
    finally:
        _borrowed.reset(token)


def in_registers(size: int) -> MemoryPointer:
    """Memory that no pool counts: what a fused kernel keeps in registers."""
    return MemoryPointer(Memory(size), 0)
