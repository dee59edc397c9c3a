"""``cp.cuda.nvtx``: names for a profiler's timeline; with no profiler here, nothing is kept."""

from __future__ import annotations

from typing import Any

from gpuedu.arrays.errors import DeviceArrayTypeError
from gpuedu.arrays.lists import missing

available = False


def RangePush(message: str, id_color: int = -1) -> None:  # noqa: N802
    """Start a named range; DeviceArrayTypeError for a name that is not text."""
    _require_text(message)


def RangePop() -> None:  # noqa: N802
    """End the innermost range."""


def Mark(message: str, id_color: int = -1) -> None:  # noqa: N802
    """Mark a moment; DeviceArrayTypeError for a name that is not text."""
    _require_text(message)


def _require_text(message: str) -> None:
    if not isinstance(message, str):
        raise DeviceArrayTypeError(
            f"the message is {type(message).__name__}, not text", remedy=f"str({message!r})"
        )


def __getattr__(name: str) -> Any:
    raise missing("cupy.cuda.nvtx", name)
