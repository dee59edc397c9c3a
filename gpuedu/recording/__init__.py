"""Measurements on a GPU, written as records that the lessons' figures read.

``gpuedu record`` runs the series of ``gpuedu.recording.series`` and writes them into the device's
folder; ``measure_ladder`` times rungs of the matmul ladder on request.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "measure_ladder": "gpuedu.recording.matmul",
    "Measured": "gpuedu.recording.points",
    "open_gpu": "gpuedu.recording.gpu",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'gpuedu.recording' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
