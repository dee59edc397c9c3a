"""Page-locked host memory, which a real device copies from faster: plain host memory here."""

from __future__ import annotations


class PinnedMemoryPool:
    """A pool of page-locked memory; it keeps nothing, because there is none to keep."""

    def malloc(self, size: int) -> bytearray:
        """Host memory of ``size`` bytes, for ``np.frombuffer``."""
        return bytearray(size)

    def n_free_blocks(self) -> int:
        """How many blocks are kept for reuse: none."""
        return 0

    def free_all_blocks(self) -> None:
        """Give back what is kept: nothing."""


_default_pool = PinnedMemoryPool()


def get_default_pinned_memory_pool() -> PinnedMemoryPool:
    """``cupy.get_default_pinned_memory_pool``: the pool of page-locked memory."""
    return _default_pool


def alloc_pinned_memory(size: int) -> bytearray:
    """``cupy.cuda.alloc_pinned_memory``: host memory, for ``np.frombuffer``."""
    return _default_pool.malloc(size)
