"""numba-cuda, ready to compile, with a NumPy newer than it knows, and with CUDA's own parts."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from gpuedu.compilers.nested import keep_to_constants
from gpuedu.interrupts import unbroken

_CONTEXTS = (
    *("numba.core.typing.context", "numba.core.base"),
    *("numba.cuda.typing.context", "numba.cuda.core.base"),
)
_MAKERS = ("numba.core.ir_utils", "numba.cuda.core.ir_utils")
_TOOLKIT = Path("/usr/local/cuda")
_NAMED_BY = ("CUDA_HOME", "CUDA_PATH")


def load_numba_cuda() -> ModuleType:
    """``numba.cuda``, with its versions of NumPy's functions loaded.

    numba-cuda up to 0.30.4 asks for ``numpy.row_stack`` when it prepares its first kernel. NumPy
    2.5 removed that alias of ``vstack``, and then no kernel compiles. So the name is provided for
    the import that asks for it.

    Numba reads its registries when it first compiles, and again when there are new ones. An
    interrupt, or the end of a time limit, waits for that: what had not been read by then would be
    missing for as long as Python runs, and no kernel would compile.
    """
    cuda = import_module("numba.cuda")
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack
        try:
            import_module("numba.cuda.np.arrayobj")
        finally:
            del np.row_stack
    for name in _MAKERS:
        keep_to_constants(import_module(name))
    for name in _CONTEXTS:
        unbroken(import_module(name).BaseContext.refresh)
    return cuda


def name_toolkit() -> None:
    """Help Numba find NVVM, its compiler's last part, in a CUDA toolkit in its usual place.

    Numba looks among Python's packages, where the system looks for libraries, and where
    ``CUDA_HOME`` points. This has to be called before Numba first looks.
    """
    is_named = any(os.environ.get(name) for name in _NAMED_BY)
    if not is_named and any(_TOOLKIT.glob("nvvm/lib64/libnvvm.so*")):
        os.environ[_NAMED_BY[0]] = str(_TOOLKIT)
