"""How a product is divided among blocks, warps and threads."""

from __future__ import annotations

from dataclasses import dataclass

WARP_SIZE = 32
VECTOR = 4
"""Adjacent float32 numbers that one 16-byte access moves."""


@dataclass(frozen=True)
class Blocking:
    """A block computes ``rows`` x ``columns`` of c in steps of ``depth`` along K.

    Each thread computes ``thread_rows`` x ``thread_columns`` of it. A warp's lanes are arranged
    ``lane_rows`` x (32 / ``lane_rows``), so that a warp computes its own tile. All are powers of
    two, so that a thread finds its place by shifts and masks. A thread's rows and columns come in
    groups of 4 neighbors, one group a distance of ``row_step`` (``column_step``) from the next:
    then the lanes that are served in one pass of a 16-byte access read neighboring words.

    >>> Blocking(128, 128, 8, 8, 8).threads
    256
    """

    rows: int
    columns: int
    depth: int
    thread_rows: int
    thread_columns: int
    lane_rows: int = 4
    blocks_per_sm: int = 0

    @property
    def name(self) -> str:
        """All of it in a few characters.

        >>> Blocking(128, 128, 8, 8, 8, blocks_per_sm=2).name
        '128x128x8-8x8-2'
        """
        more = "" if not self.blocks_per_sm else f"-{self.blocks_per_sm}"
        thread = f"{self.thread_rows}x{self.thread_columns}"
        return f"{self.rows}x{self.columns}x{self.depth}-{thread}{more}"

    @property
    def launch_bounds(self) -> int | tuple[int, int]:
        """What the compiler is told: threads of a block, and blocks that an SM has to hold, if any.

        It gives a thread no more registers than that leaves, and spills what does not fit.
        """
        return (self.threads, self.blocks_per_sm) if self.blocks_per_sm else self.threads

    @property
    def tile(self) -> tuple[int, int, int]:
        """(rows, columns, depth)."""
        return self.rows, self.columns, self.depth

    @property
    def lane_columns(self) -> int:
        """Lanes of a warp side by side."""
        return WARP_SIZE // self.lane_rows

    @property
    def warp_rows(self) -> int:
        """Rows of c that a warp computes."""
        return self.lane_rows * self.thread_rows

    @property
    def warp_columns(self) -> int:
        """Columns of c that a warp computes."""
        return self.lane_columns * self.thread_columns

    @property
    def warps_down(self) -> int:
        """Warps of a block one below another."""
        return self.rows // self.warp_rows

    @property
    def warps_across(self) -> int:
        """Warps of a block side by side."""
        return self.columns // self.warp_columns

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.warps_down * self.warps_across * WARP_SIZE

    @property
    def row_step(self) -> int:
        """Rows from one group of a thread to its next."""
        return self.lane_rows * VECTOR

    @property
    def column_step(self) -> int:
        """Columns from one group of a thread to its next."""
        return self.lane_columns * VECTOR

    def divides(self, m: int, n: int, k: int) -> bool:
        """Whether a product of this shape is made of whole tiles only."""
        return m % self.rows == 0 and n % self.columns == 0 and k % self.depth == 0


def log2(power: int) -> int:
    """The exponent of a power of two.

    >>> log2(8)
    3
    """
    return power.bit_length() - 1
