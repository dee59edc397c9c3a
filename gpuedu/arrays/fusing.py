"""What may happen inside a fused function: elementwise work and plain reductions, nothing else.

CuPy's ``fuse`` runs the function once with placeholders and makes one kernel from what it did to
them, so there are no values to branch on, no elements to pick and no other functions to call. Here
the function runs on arrays, and the same things are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from gpuedu.arrays.errors import DeviceArrayTypeError

_REDUCTIONS = frozenset({"sum", "prod", "max", "min", "amax", "amin", "all", "any"})
_FUSIBLE = _REDUCTIONS | {"where", "clip", "astype", "copy", "around", "round"}
_written: ContextVar[list[Any] | None] = ContextVar("written", default=None)


def is_fusing() -> bool:
    """Whether a fused function is running."""
    return _written.get() is not None


@contextmanager
def fusing() -> Iterator[list[Any]]:
    """A fused function runs inside; yields the list of arrays that it writes in place."""
    written: list[Any] = []
    token = _written.set(written)
    try:
        yield written
    finally:
        _written.reset(token)


def note_written(array: Any) -> None:
    """Note that an array was written in place."""
    written = _written.get()
    if written is not None and not any(array is known for known in written):
        written.append(array)


def require_fusible(name: str) -> None:
    """Refuse a function that cannot be part of a fused kernel.

    Raises:
        DeviceArrayTypeError: It is called inside ``cupy.fuse``.
    """
    if is_fusing() and name not in _FUSIBLE:
        raise DeviceArrayTypeError(
            f"cupy.{name} cannot be part of a fused kernel",
            remedy=f"elementwise functions, {', '.join(sorted(_FUSIBLE))}",
        )


def require_values(what: str) -> None:
    """Refuse to look at values inside a fused function, where there are none yet.

    Raises:
        DeviceArrayTypeError: A fused function asks for them.
    """
    if is_fusing():
        raise DeviceArrayTypeError(
            f"{what}: cannot convert to Python scalar in cupy.fuse",
            remedy="cp.where(condition, a, b) in place of `if`",
        )
