"""The machine's entries: imported when a kernel is launched, so that the host API costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.simt.host.launch_types import Argument, KernelFunction, Run


def compiler() -> Callable[[KernelFunction, list[Argument]], Any]:
    """The machine's compiler, for arguments of these types."""
    from gpuedu.simt.launch import program_of

    return program_of


def machine() -> Run:
    """The machine's entry."""
    from gpuedu.simt.launch import run

    return run
