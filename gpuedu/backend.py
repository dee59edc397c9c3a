"""What kernels and arrays run on: a GPU where there is one, otherwise gpuedu's own machine.

``cuda`` is ``numba.cuda``, or the SIMT machine with the same names; ``cp`` is CuPy, or
``gpuedu.arrays.cupy``, its names over NumPy; ``cupyx`` goes with it. ``GPUEDU_TIER=cpu`` chooses
the machine even where there is a GPU. The choice is made when one of them is first asked for, and
kept. ``transfers()`` is the machine's account of copies between host and device,
``reset_transfers()`` clears it; on a GPU it stays empty.

>>> from gpuedu.backend import cuda
>>> cuda.get_current_device().WARP_SIZE
32
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from gpuedu.errors import GpueduError

_TIER = "GPUEDU_TIER"


class BackendError(GpueduError):
    """``GPUEDU_TIER`` asks for something that this machine does not have."""


@cache
def has_gpu() -> bool:
    """Whether ``cuda`` is ``numba.cuda`` on a real GPU.

    Raises:
        BackendError: ``GPUEDU_TIER`` is not empty, cpu or gpu; or it is gpu where none can be used.
    """
    tier = os.environ.get(_TIER, "").strip().lower()
    if tier not in ("", "cpu", "gpu"):
        raise BackendError(f"{_TIER} is {tier!r}", remedy=f"{_TIER}=cpu, {_TIER}=gpu, or unset it")
    found = tier != "cpu" and _gpu_is_usable()
    if tier == "gpu" and not found:
        raise BackendError(
            f"{_TIER}=gpu, but numba.cuda cannot use a GPU here",
            remedy="`gpuedu doctor` says what is missing",
        )
    return found


def _gpu_is_usable() -> bool:
    """Ask Numba, but only where there is a driver: importing it takes its time."""
    if not _driver_is_there():
        return False
    from gpuedu.compilers.numba_cuda import name_toolkit

    name_toolkit()
    try:
        return bool(import_module("numba.cuda").is_available())
    except Exception:
        return False


def _driver_is_there() -> bool:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


@cache
def _cuda() -> ModuleType:
    if not has_gpu():
        return import_module("gpuedu.simt.host.cuda")
    from gpuedu.compilers.numba_cuda import load_numba_cuda

    cuda = load_numba_cuda()
    import_module("numba.cuda.random")
    return cuda


@cache
def _cp() -> ModuleType:
    if not has_gpu():
        return import_module("gpuedu.arrays.cupy")
    try:
        return import_module("cupy")
    except ImportError as fault:
        raise BackendError(
            f"there is a GPU, but CuPy cannot be imported: {fault}",
            remedy=f"install cupy-cuda12x or cupy-cuda13x, or set {_TIER}=cpu",
        ) from fault


def __getattr__(name: str) -> Any:
    if name == "cuda":
        return _cuda()
    if name == "cp":
        return _cp()
    if name == "cupyx":
        return import_module(_cp().__name__ + "x")
    if name == "transfers":
        return import_module("gpuedu.simt.host.transfers").transfers
    if name == "reset_transfers":
        return import_module("gpuedu.simt.host.transfers").reset_transfers
    raise AttributeError(f"module 'gpuedu.backend' has no attribute {name!r}")
