"""The names of Numba that lessons import, for where there is no Numba: in a browser tab.

``from numba import float32`` gives NumPy's type, which kernels on the SIMT machine take just as
well. What Numba would compile can be defined, so that the notebook goes on, and says that it needs
Numba when it is called.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from gpuedu.needs import has_package, missing
from gpuedu.simt.typing_rules.builtin_rules import numba_type_names


def stand_in_for_numba() -> None:
    """Let ``import numba`` find these names, where there is no Numba."""
    if "numba" not in sys.modules and not has_package("numba"):
        sys.modules["numba"] = _module()


def _module() -> ModuleType:
    module = ModuleType("numba", "Names of Numba, which a browser tab does not have.")
    vars(module).update({name: dtype.type for name, dtype in numba_type_names().items()})
    vars(module).update(njit=njit, jit=njit, vectorize=njit, guvectorize=njit, prange=range)
    module.__getattr__ = _refuse  # type: ignore[method-assign]
    return module


def _refuse(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing("numba")


class Uncompiled:
    """A function that Numba would compile: it can be looked at, but not called."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function

    def __call__(self, *_: Any, **__: Any) -> Any:
        """Raise MissingPackageError: this needs Numba."""
        raise missing("numba")


def njit(*arguments: Any, **_: Any) -> Any:
    """``@njit`` and ``@njit(parallel=True)``: the function, uncompiled."""
    if len(arguments) == 1 and callable(arguments[0]) and not isinstance(arguments[0], type):
        return Uncompiled(arguments[0])
    return Uncompiled
