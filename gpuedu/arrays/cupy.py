"""``cp`` where there is no GPU: the names of CuPy (v14), for arrays in gpuedu's device memory.

What a lesson's ``cp`` is on the cpu tier (see ``gpuedu.backend``; ``gpuedu.arrays`` says what it
keeps to and where it differs).

>>> a = array([1.0, 2.0, 4.0])
>>> a.sum()
array(7.)
>>> float(a.sum())
7.0
"""

from __future__ import annotations

import builtins
import sys
from importlib import import_module
from typing import Any

import numpy as np

from gpuedu.arrays import operators, special, table
from gpuedu.arrays.creation import (  # noqa: F401
    array,
    asarray,
    ascontiguousarray,
    asfortranarray,
    asnumpy,
    copy,
    empty,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from gpuedu.arrays.elementwise import UFUNCS, matmul, ufunc, where  # noqa: F401
from gpuedu.arrays.fusion import fuse  # noqa: F401
from gpuedu.arrays.lists import cupy_names, missing, read
from gpuedu.arrays.memory import get_default_memory_pool  # noqa: F401
from gpuedu.arrays.ndarray import ndarray
from gpuedu.arrays.pinned import get_default_pinned_memory_pool  # noqa: F401
from gpuedu.arrays.protocol import attach_protocols
from gpuedu.arrays.special import (  # noqa: F401
    apply_along_axis,
    apply_over_axes,
    array2string,
    array_repr,
    array_str,
    asarray_chkfinite,
    astype,
    broadcast,
    clear_memo,
    is_available,
    load,
    may_share_memory,
    memoize,
    ndim,
    save,
    savez,
    shape,
    shares_memory,
    size,
)

implementation = "gpuedu"
asanyarray = asarray

_functions = table.functions_of("") | special.computed("")
operators.attach(_functions)
attach_protocols(sys.modules[__name__])
globals().update(_functions | UFUNCS | special.FROM_HOST | special.CONCATENATORS)
globals().update(
    {name: getattr(np, name) for name in read("lists.toml")["numpys_own"]["names"].split()}
)

Inf = Infinity = PINF = infty = np.inf
NAN = NaN = np.nan
NINF, PZERO, NZERO = -np.inf, 0.0, -0.0
exceptions = np.exceptions
AxisError = np.exceptions.AxisError
ComplexWarning = np.exceptions.ComplexWarning

_MODULES = ("cuda", "fft", "linalg", "random", "testing")
_KERNELS = ("ElementwiseKernel", "RawKernel", "RawModule", "ReductionKernel")


def get_array_module(*args: Any) -> Any:
    """``cupy.get_array_module``: this module if an argument is a device array, otherwise NumPy."""
    on_device = builtins.any(isinstance(value, ndarray) for value in args)
    return sys.modules[__name__] if on_device else np


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"gpuedu.arrays.{name}")
    if name in _KERNELS:
        return getattr(import_module("gpuedu.arrays.kernels"), name)
    raise missing("cupy", name)


def __dir__() -> list[str]:
    return sorted(name for name in {*globals(), *_MODULES, *_KERNELS} & cupy_names("cupy"))
