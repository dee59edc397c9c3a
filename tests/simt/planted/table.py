"""The table that every planted kernel is entered in, and what an entry says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

MARK = "# <- "
REFUSED = ("invalid-launch", "unsupported-construct")
STUCK = ("runaway-loop", "spin-in-warp")


@dataclass(frozen=True, eq=False)
class Plant:
    """One small kernel, its launch, and the verdict that the machine must give.

    ``kind`` is the one hazard that it holds, or None for a correct kernel. Comments ``# <- kind``
    in the source of the kernel or of ``helpers`` (its device functions) mark the lines that the
    verdict must name, no more and no fewer; a race names both of its lines. ``note`` is the kind
    of a note (not a hazard) that is expected too. ``ambiguous`` says that the result of a correct
    kernel depends on who comes first, ``is_large`` that it is not for the scalar oracle.
    ``arguments`` makes new arguments at each call.
    """

    kernel: Callable[..., None]
    kind: str | None
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    arguments: Callable[[], tuple[object, ...]]
    dynamic_shared_bytes: int = 0
    note: str | None = None
    helpers: tuple[Callable[..., object], ...] = ()
    ambiguous: bool = False
    is_large: bool = False

    @property
    def name(self) -> str:
        return self.kernel.__name__

    @property
    def suits_the_oracle(self) -> bool:
        """Whether a scalar interpreter can run the kernel to its end in reasonable time."""
        return not self.is_large and self.kind not in (*REFUSED, *STUCK)

    @property
    def has_one_result(self) -> bool:
        """Whether a correct kernel's result is the same in every order of its threads."""
        return self.kind is None and not self.ambiguous

    @property
    def marked_lines(self) -> set[int]:
        functions = (self.kernel, *(getattr(f, "py_func", f) for f in self.helpers))
        return {line for f in functions for line in _marked(f, f"{MARK}{self.kind or self.note}")}


PLANTS: dict[str, Plant] = {}


def plant(
    kind: str | None,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    arguments: Callable[[], tuple[object, ...]],
    **more: object,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Enter the kernel below in the table; it stays the plain function that it is."""

    def enter(kernel: Callable[..., None]) -> Callable[..., None]:
        PLANTS[kernel.__name__] = Plant(kernel, kind, grid, block, arguments, **more)
        return kernel

    return enter


def floats(*shape: int, dtype: type = np.float32) -> np.ndarray:
    """Numbers that are all different, neither sorted nor symmetric."""
    rng = np.random.default_rng(7 + sum(shape))
    return rng.permutation(np.arange(1, 1 + np.prod(shape))).reshape(shape).astype(dtype)


def ints(*shape: int, high: int, dtype: type = np.int32) -> np.ndarray:
    """Integers from 0 up to ``high``, which is left out."""
    return np.random.default_rng(11 + sum(shape)).integers(0, high, shape).astype(dtype)


def zeros(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def _marked(function: Callable[..., object], mark: str) -> set[int]:
    lines, first = inspect.getsourcelines(function)
    return {first + i for i, line in enumerate(lines) if line.rstrip().endswith(mark)}
