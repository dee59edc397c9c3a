"""The SIMT machine: runs CUDA kernels on the CPU, and reports exactly what they did.

See ``machine/`` for how a program runs, ``python/`` for the front end, ``host/`` for the host side
of the API, ``machine/shadow.py`` for the happens-before rule.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "simulate": "gpuedu.simt.launch",
    "variable_types": "gpuedu.simt.launch",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'gpuedu.simt' has no attribute {name!r}")
