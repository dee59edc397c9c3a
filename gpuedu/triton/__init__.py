"""Kernels in Triton without a GPU: run by Triton's own interpreter, and seen by the lens.

``simulate(kernel, grid, threads, ...)`` gives the same account of a launch as the SIMT machine
does, so ``gpuedu.lens``, figures and exercises can read it. A Triton *program* counts as a block.
"""

from __future__ import annotations

from typing import Any

__all__ = ["compiled_facts", "is_kernel", "simulate"]


def is_kernel(value: Any) -> bool:
    """Whether this was made by ``triton.jit``, even below ``autotune`` and ``heuristics``."""
    return type(value).__module__.startswith("triton.runtime.")


def __getattr__(name: str) -> Any:
    if name == "simulate":
        from gpuedu.triton.launch import simulate

        return simulate
    if name == "compiled_facts":
        from gpuedu.triton.compiled import compiled_facts

        return compiled_facts
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
