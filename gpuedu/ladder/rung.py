"""One rung of the ladder: a kernel, how it is launched, and what it can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuedu.compilers import CompiledFacts
from gpuedu.errors import GpueduError
from gpuedu.ladder.blocking import Blocking
from gpuedu.trace import Trace

Launch = tuple[tuple[int, int], tuple[int, ...]]


class LadderError(GpueduError):
    """Arrays that do not form a product, or a rung that cannot be launched on them."""


@dataclass(frozen=True)
class Rung(ABC):
    """A way to compute c = a @ b: a (M, K), b (K, N), c (M, N), float32, C-contiguous, of any size.

    Args:
        name: The rung's slug.
        title: Its name in a figure.
        idea: What it does that the rung below does not, in one sentence.
        make: For a shape (M, N, K), the kernel.
        side: Threads along each side of a block, where a thread computes one element.
        tile: (rows, columns, depth) of what a block brings to shared memory; None for nothing.
        blocking: How the product is divided, where a thread computes a tile.
        others: Blockings that may be faster on some device.
        down: Whether threadIdx.x walks down a column of c.
    """

    name: str
    title: str
    idea: str
    make: Callable[[Rung, int, int, int], Any]
    side: int = 32
    tile: tuple[int, int, int] | None = None
    blocking: Blocking | None = None
    others: tuple[Blocking, ...] = ()
    down: bool = False

    def __post_init__(self) -> None:
        if self.blocking is not None:
            object.__setattr__(self, "tile", self.blocking.tile)

    @property
    @abstractmethod
    def language(self) -> str:
        """Numba or CUDA C."""

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return self.side**2 if self.blocking is None else self.blocking.threads

    @property
    def variants(self) -> tuple[Rung, ...]:
        """This rung with each of its blockings, itself first."""
        return (self, *(replace(self, blocking=other, others=()) for other in self.others))

    @property
    def variant(self) -> str:
        """Its blocking's name; empty if it has none."""
        return "" if self.blocking is None else self.blocking.name

    def kernel_for(self, m: int, n: int, k: int) -> Any:
        """The kernel for a product of this shape."""
        return self.make(self, m, n, k)

    def launch_shape(self, m: int, n: int, k: int) -> Launch:
        """Grid and block of a product of this shape."""
        if self.blocking is not None:
            rows, columns, _ = self.blocking.tile
            return (-(-n // columns), -(-m // rows)), (self.blocking.threads,)
        across, down = -(-n // self.side), -(-m // self.side)
        return ((down, across) if self.down else (across, down)), (self.side, self.side)

    @abstractmethod
    def bind(self, a: Any, b: Any, c: Any) -> Callable[[], None]:
        """A function that enqueues the product once on arrays of the device, without waiting.

        Args:
            a: (M, K) on the device, or on the host where there is no GPU.
            b: (K, N), the same.
            c: (M, N), the same; it is overwritten.

        Raises:
            LadderError: The arrays are not a product of C-contiguous float32 matrices.
        """

    def launch(self, a: Any, b: Any, c: Any) -> None:
        """Enqueue the product once; see ``bind``."""
        self.bind(a, b, c)()

    @abstractmethod
    def simulate(self, a: np.ndarray, b: np.ndarray, c: np.ndarray, **options: Any) -> Trace:
        """The product of host arrays on the SIMT machine; ``options`` are those of ``simulate``."""

    @abstractmethod
    def compiled(
        self, m: int, n: int, k: int, compute_capability: tuple[int, int] = (9, 0)
    ) -> CompiledFacts:
        """What the real compiler makes of the kernel for a product of this shape.

        ``by_line`` is left empty: it would take a second compilation.
        """


def shape_of(a: Any, b: Any, c: Any) -> tuple[int, int, int]:
    """(M, N, K) of a product.

    Raises:
        LadderError: The arrays are not C-contiguous float32.

    >>> a, b, c = (np.zeros(shape, np.float32) for shape in ((2, 3), (3, 5), (2, 5)))
    >>> shape_of(a, b, c)
    (2, 5, 3)
    """
    for name, array in (("a", a), ("b", b), ("c", c)):
        if len(array.shape) != 2 or np.dtype(array.dtype) != np.float32:
            raise LadderError(
                f"`{name}` should be a float32 matrix, got {array.dtype} of shape {array.shape}"
            )
        if 0 in array.shape:
            raise LadderError(f"`{name}` has no elements: its shape is {array.shape}")
        if not _is_contiguous(array):
            raise LadderError(f"`{name}` is not stored row by row", remedy="np.ascontiguousarray")
    (m, k), (rows, n) = a.shape, b.shape
    if rows != k or tuple(c.shape) != (m, n):
        raise LadderError(
            f"{a.shape} times {b.shape} does not give {c.shape}",
            remedy="a (M, K), b (K, N) and c (M, N)",
        )
    return int(m), int(n), int(k)


def _is_contiguous(array: Any) -> bool:
    columns, size = array.shape[1], np.dtype(array.dtype).itemsize
    return array.strides is None or tuple(array.strides) == (columns * size, size)
