"""The shape of a launch, and how its threads are numbered and named."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

WARP_SIZE = 32
Extents = int | tuple[int, ...]


@dataclass(frozen=True)
class LaunchShape:
    """Blocks of a grid and threads of a block: an int, or up to three of them along x, y, z.

    Blocks and threads are numbered with x running fastest. The linear thread of a launch is its
    block's number times the threads of a block, plus its own number.
    """

    grid: Extents
    block: Extents

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return prod(_extents(self.grid))

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return prod(_extents(self.block))

    def name_thread(self, linear: int) -> str:
        """A linear thread of the launch in words.

        >>> LaunchShape(4, 64).name_thread(130)
        'thread 2 of block 2'
        >>> LaunchShape((2, 2), (16, 16)).name_thread(256 + 17)
        'thread (1, 1) of block (1, 0)'
        """
        block, thread = divmod(linear, self.threads)
        return f"thread {_name(thread, self.block)} of block {_name(block, self.grid)}"

    def __str__(self) -> str:
        many = "block" if self.blocks == 1 else "blocks"
        single = "thread" if self.threads == 1 else "threads"
        return f"{_shown(self.grid)} {many} of {_shown(self.block)} {single}"


def _extents(given: Extents) -> tuple[int, ...]:
    return (given,) if isinstance(given, int) else given


def _shown(given: Extents) -> str:
    return " x ".join(map(str, _extents(given)))


def _name(number: int, given: Extents) -> str:
    """A number of a block or thread by its indices."""
    index = []
    for extent in _extents(given):
        number, here = divmod(number, extent)
        index.append(here)
    return str(index[0]) if len(index) == 1 else f"({', '.join(map(str, index))})"
