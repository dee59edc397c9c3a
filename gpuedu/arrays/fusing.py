"""What may happen inside a fused function: elementwise work and plain reductions, nothing else.

CuPy's ``fuse`` runs the function once with placeholders and makes one kernel from what it did to
them, so there are no values to branch on, no elements to pick and no other functions to call. Here
the function runs on arrays, and the same things are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from gpuedu.arrays.errors import DeviceArrayTypeError

_REDUCTIONS = frozenset({"sum", "prod", "max", "min", "amax", "amin", "all", "any"})
_FUSIBLE = _REDUCTIONS | {"where", "clip", "astype", "copy", "around", "round"}


@dataclass
class Fused:
    """A fused function that runs.

    Attributes:
        buffers: the numbers (``id``) of the memory that it may use: of its arguments, and of what
            it makes.
        written: the arrays that it wrote in place.
    """

    buffers: set[int]
    written: list[Any] = field(default_factory=list)


_running: ContextVar[Fused | None] = ContextVar("running", default=None)


def is_fusing() -> bool:
    """Whether a fused function is running."""
    return _running.get() is not None


@contextmanager
def fusing(fused: Fused) -> Iterator[None]:
    """A fused function runs inside."""
    token = _running.set(fused)
    try:
        yield
    finally:
        _running.reset(token)


def note_written(array: Any) -> None:
    """Note that an array was written in place."""
    fused = _running.get()
    if fused is not None and not any(array is known for known in fused.written):
        fused.written.append(array)


def require_argument(array: Any) -> None:
    """Refuse an array that a fused function takes from outside: a kernel has its arguments alone.

    Raises:
        DeviceArrayTypeError: It is used inside ``cupy.fuse``, and neither passed nor made there.
    """
    fused = _running.get()
    if fused is not None and id(array.device_view.buffer) not in fused.buffers:
        raise DeviceArrayTypeError(
            f"an array of shape {array.shape} that is no argument is used in cupy.fuse",
            remedy="pass it to the fused function: a kernel knows nothing but its arguments",
        )


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
