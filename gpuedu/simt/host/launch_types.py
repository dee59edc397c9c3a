"""What the host API and the machine agree on: what a launch takes, and returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from gpuedu.simt.host.buffers import DeviceView
from gpuedu.trace import Trace

Argument = np.generic | DeviceView | tuple
"""A kernel's argument on the device: a number, an array or record, or a tuple of arguments.

A tuple of arguments keeps the host's class, so a named tuple stays one.
"""

Dim3 = tuple[int, int, int]


class KernelFunction:
    """What the machine reads from a kernel or device function: its Python function and options.

    ``targetoptions`` has ``device``, ``fastmath``, ``debug``, ``max_registers``, ``launch_bounds``
    and the other keywords of ``cuda.jit`` that were given. ``signatures`` are the explicit ones, as
    tuples of Numba types; ``result_types`` has the result's type of each, None if a signature names
    none. A device function casts its arguments and result to them.
    """

    py_func: Callable[..., Any]
    targetoptions: dict[str, Any]
    signatures: list[tuple[Any, ...]]
    result_types: dict[tuple[Any, ...], Any]


class Run(Protocol):
    """Run a kernel to its end; None if nothing was traced."""

    def __call__(
        self,
        kernel: KernelFunction,
        grid: Dim3,
        block: Dim3,
        dynamic_shared_bytes: int,
        arguments: list[Argument],
        *,
        trace: bool = True,
    ) -> Trace | None:
        """Run ``kernel`` on ``grid`` blocks of ``block`` threads; arrays change in place."""
        ...
