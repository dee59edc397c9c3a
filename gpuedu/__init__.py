"""gpuedu: a course of graded notebooks on GPU computing that works without a GPU.

The names below are all that a lesson uses. Each is imported when it is first asked for, so that
``import gpuedu`` stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "check": "gpuedu.exercises.session",
    "hint": "gpuedu.exercises.session",
    "measure": "gpuedu.exercises.session",
    "predict": "gpuedu.exercises.session",
    "progress": "gpuedu.exercises.session",
    "reveal": "gpuedu.exercises.session",
    "see": "gpuedu.exercises.session",
    "setup": "gpuedu.exercises.session",
    "step": "gpuedu.exercises.stepping",
    "read_program": "gpuedu.exercises.capstone.workspace",
    "start_program": "gpuedu.exercises.capstone.workspace",
    "AsyncDevice": "gpuedu.clock",
    "cp": "gpuedu.backend",
    "cuda": "gpuedu.backend",
    "lens": "gpuedu.lens",
    "simulate": "gpuedu.simt",
}

_MODULES = ("clock", "multi", "profiles", "training")
"""Packages that a lesson uses by their name: ``training.load_digits()``."""

__all__ = sorted({*_HOME, *_MODULES})


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"gpuedu.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'gpuedu' has no attribute {name!r}; it has {__all__}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
