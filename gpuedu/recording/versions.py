"""The versions of everything that a time depends on."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import Any

import gpuedu
from gpuedu.hardware.gpus import find_gpus

UNKNOWN, ABSENT = "unknown", "not installed"


def find_versions(cp: Any) -> dict[str, str]:
    """Driver, CUDA runtime, libraries, Python and gpuedu, by name.

    Args:
        cp: CuPy, which is asked for the CUDA runtime.
    """
    return {
        "driver": find_gpus().driver or UNKNOWN,
        "cuda runtime": _runtime(cp),
        "numba": _version("numba"),
        "numba-cuda": _version("numba-cuda"),
        "cupy": str(getattr(cp, "__version__", UNKNOWN)),
        "torch": _version("torch"),
        "triton": _version("triton"),
        "numpy": _version("numpy"),
        "python": platform.python_version(),
        "gpuedu": gpuedu.__version__,
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ABSENT


def _runtime(cp: Any) -> str:
    try:
        number = int(cp.cuda.runtime.runtimeGetVersion())
    except Exception:  # whatever the library raises, the measurements can go on
        return UNKNOWN
    return f"{number // 1000}.{number % 1000 // 10}"
