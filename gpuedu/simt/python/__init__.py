"""The front end for Python kernels: source text in, program out."""

from __future__ import annotations

from gpuedu.simt.python.compile import compile_kernel

__all__ = ["compile_kernel"]
