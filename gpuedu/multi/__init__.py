"""Many GPUs: ranks and what they send each other, on any number of devices.

``launch`` starts real ranks, processes of ``torch.distributed``; ``run_light`` runs the same
function on light ones, threads on a simulated clock and network, where ``work_for`` stands for
computing. ``network`` is the cost model of a network.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "launch": "gpuedu.multi.launch",
    "run_light": "gpuedu.multi.light",
    "work_for": "gpuedu.multi.light",
}

__all__ = sorted({*_HOME, "network"})


def __getattr__(name: str) -> Any:
    if name == "network":
        return import_module("gpuedu.multi.network")
    if name not in _HOME:
        raise AttributeError(f"module 'gpuedu.multi' has no attribute {name!r}; it has {__all__}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
