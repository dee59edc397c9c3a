"""The memory pool: which bytes of the device are used, and which are kept for later.

It follows CuPy's documented pool (CuPy User Guide, "Memory Management", v14): sizes are rounded up
to 512 bytes, the smallest free block that is large enough is taken and split, a freed block stays
in the pool and is merged with free neighbors, and ``free_all_blocks`` gives back the blocks that
are not split.

What this simplifies: only sizes are kept here, without addresses, so that a computer with little
memory holds no more bytes than its arrays need; all streams share the free blocks.
"""

from __future__ import annotations

import bisect
import threading
import weakref
from collections import deque
from dataclasses import dataclass, field

from gpuedu.arrays.errors import DeviceArrayValueError, OutOfMemoryError
from gpuedu.simt.host import devices

UNIT_BYTES = 512
DEVICE_BYTES = devices.current_context().get_memory_info().total


def rounded(size_bytes: int) -> int:
    """Bytes that an allocation of ``size_bytes`` takes.

    >>> rounded(1), rounded(512), rounded(513)
    (512, 512, 1024)
    """
    return -(-size_bytes // UNIT_BYTES) * UNIT_BYTES


@dataclass(eq=False)
class Block:
    """A range of memory, used or free; ``before`` and ``after`` are parts of one allocation."""

    size_bytes: int
    before: Block | None = None
    after: Block | None = None
    is_free: bool = False


@dataclass(eq=False)
class Blocks:
    """The blocks of one pool.

    >>> blocks = Blocks()
    >>> block = blocks.take(1000)
    >>> blocks.returned.append(block)
    >>> blocks.settle()
    >>> blocks.used_bytes, blocks.total_bytes, len(blocks.free)
    (0, 1024, 1)

    An array may die at any moment, even while this class works on its blocks. So a block that is no
    longer used first goes to ``returned``, and ``settle`` takes it from there.
    """

    used_bytes: int = 0
    total_bytes: int = 0
    limit_bytes: int = 0
    free: list[Block] = field(default_factory=list)
    returned: deque[Block] = field(default_factory=deque)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, size_bytes: int) -> Block:
        """A block of ``size_bytes``, rounded up.

        Raises:
            OutOfMemoryError: No free block is large enough, and the limit allows no new one.
        """
        size_bytes = rounded(size_bytes)
        self.settle()
        with self._lock:
            at = bisect.bisect_left(self.free, size_bytes, key=lambda block: block.size_bytes)
            if at < len(self.free):
                block = self._split(self.free.pop(at), size_bytes)
            else:
                block = self._from_device(size_bytes)
            block.is_free = False
            self.used_bytes += size_bytes
        return block

    def settle(self) -> None:
        """Keep the blocks that were returned."""
        while self.returned:
            with self._lock:
                self._give_back(self.returned.popleft())

    def _split(self, block: Block, size_bytes: int) -> Block:
        if block.size_bytes > size_bytes:
            rest = Block(block.size_bytes - size_bytes, block, block.after, is_free=True)
            if block.after is not None:
                block.after.before = rest
            block.size_bytes, block.after = size_bytes, rest
            self._keep(rest)
        return block

    def _from_device(self, size_bytes: int) -> Block:
        if self.limit_bytes and self.total_bytes + size_bytes > self.limit_bytes:
            raise OutOfMemoryError(size_bytes, self.total_bytes, self.limit_bytes)
        if self.total_bytes + size_bytes > DEVICE_BYTES:
            self._release()
        if self.total_bytes + size_bytes > DEVICE_BYTES:
            raise OutOfMemoryError(size_bytes, self.total_bytes, 0)
        self.total_bytes += size_bytes
        return Block(size_bytes)

    def _give_back(self, block: Block) -> None:
        """Keep a block that is not used any longer, joined with its free neighbors."""
        self.used_bytes -= block.size_bytes
        block.is_free = True
        if block.after is not None and block.after.is_free:
            self.free.remove(block.after)
            self._absorb(block)
        if block.before is not None and block.before.is_free:
            self.free.remove(block.before)
            block = block.before
            self._absorb(block)
        self._keep(block)

    @staticmethod
    def _absorb(block: Block) -> None:
        after = block.after
        assert after is not None
        block.size_bytes += after.size_bytes
        block.after = after.after
        if after.after is not None:
            after.after.before = block

    def _keep(self, block: Block) -> None:
        bisect.insort(self.free, block, key=lambda kept: kept.size_bytes)

    def release(self) -> None:
        """Give blocks back to the device, except those of which a part is still used."""
        self.settle()
        with self._lock:
            self._release()

    def _release(self) -> None:
        kept = [block for block in self.free if block.before or block.after]
        self.total_bytes -= sum(b.size_bytes for b in self.free if not (b.before or b.after))
        self.free[:] = kept

    def set_limit(self, size: int | None, fraction: float | None) -> None:
        """Limit ``total_bytes``, in bytes or as a part of the device; 0 means no limit."""
        if size is not None and fraction is not None:
            raise DeviceArrayValueError("size and fraction cannot be specified at one time")
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise DeviceArrayValueError(f"memory limit fraction out of range: {fraction}")
            size = int(fraction * DEVICE_BYTES)
        if size is not None and size < 0:
            raise DeviceArrayValueError(f"memory limit size out of range: {size}")
        self.limit_bytes = int(size or 0)


ALL_BLOCKS: weakref.WeakSet[Blocks] = weakref.WeakSet()
"""The blocks of every pool that is in use."""


def kept_bytes() -> int:
    """Bytes that pools took from the device and that nothing uses."""
    for blocks in ALL_BLOCKS:
        blocks.settle()
    return sum(blocks.total_bytes - blocks.used_bytes for blocks in ALL_BLOCKS)
