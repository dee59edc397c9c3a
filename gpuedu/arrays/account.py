"""The account of operations: how many kernels were launched, and how many bytes they moved.

One call of the array API that makes new elements is one launch, reading its array operands and
writing its results; a view (a slice, a transpose, a reshape) costs nothing. On a GPU some calls
launch several kernels (``var``, ``sort``, ``linalg``), and caches may hold what was just written:
these counts are the least that the calls must do on any device.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

_KEPT = 10_000


@dataclass(frozen=True)
class Operation:
    """One launch: ``name`` is the function's, bytes are those of operands and results.

    >>> Operation("add", 800, 400).moved_bytes
    1200
    """

    name: str
    read_bytes: int
    written_bytes: int

    @property
    def moved_bytes(self) -> int:
        """Bytes read and written."""
        return self.read_bytes + self.written_bytes


@dataclass
class Count:
    """Operations that were counted by ``count_operations``."""

    operations: list[Operation] = field(default_factory=list)

    @property
    def launches(self) -> int:
        """How many kernels were launched."""
        return len(self.operations)

    @property
    def read_bytes(self) -> int:
        """Bytes that were read."""
        return sum(operation.read_bytes for operation in self.operations)

    @property
    def written_bytes(self) -> int:
        """Bytes that were written."""
        return sum(operation.written_bytes for operation in self.operations)

    @property
    def moved_bytes(self) -> int:
        """Bytes that were read or written."""
        return self.read_bytes + self.written_bytes

    def __str__(self) -> str:
        return f"{self.launches} launches, {self.moved_bytes:,} bytes"


_log: deque[Operation] = deque(maxlen=_KEPT)
_counting: list[Count] = []
_silent: ContextVar[bool] = ContextVar("silent", default=False)


def operations() -> tuple[Operation, ...]:
    """The operations since the last ``reset_operations``, oldest first; 10,000 are kept."""
    return tuple(_log)


def reset_operations() -> None:
    """Start a new account."""
    _log.clear()


def note_operation(name: str, read_bytes: int, written_bytes: int) -> None:
    """Enter one launch; inside ``one_launch`` nothing is entered."""
    if _silent.get():
        return
    operation = Operation(name, read_bytes, written_bytes)
    _log.append(operation)
    for count in _counting:
        count.operations.append(operation)


@contextmanager
def count_operations() -> Iterator[Count]:
    """Count the operations of the block.

    >>> from gpuedu.arrays import cupy as cp
    >>> x = cp.ones(100, dtype=cp.float32)
    >>> with count_operations() as count:
    ...     y = 2 * x + 1
    >>> print(count)
    2 launches, 1,600 bytes
    """
    count = Count()
    _counting.append(count)
    try:
        yield count
    finally:
        _counting.remove(count)


@contextmanager
def one_launch() -> Iterator[None]:
    """What happens inside is part of a launch that is entered separately."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)
