"""The same function for Numba's compiler: what stands in for Numba is replaced by Numba's own.

On the cpu tier a kernel's ``cuda`` is the SIMT machine's, which Numba does not know. The copy made
here has the same code, file and lines, and other globals. Device functions get new dispatchers, so
that nothing compiled for another device stays in the learner's.
"""

from __future__ import annotations

import contextlib
import dis
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any

STAND_INS = {
    "gpuedu.simt.host.cuda": "numba.cuda",
    "gpuedu.simt.host.random": "numba.cuda.random",
}
"""Modules that stand in for modules of Numba."""


def python_function(function: Any) -> Callable[..., Any]:
    """The plain Python function of a kernel, device function or function."""
    return getattr(function, "py_func", function)


def numba_name(value: Any) -> str | None:
    """The name in Numba of what ``value`` stands in for; None for anything else."""
    if isinstance(value, types.ModuleType):
        return STAND_INS.get(value.__name__)
    name = getattr(value, "dotted_name", None)
    return f"numba.{name}" if isinstance(name, str) and name.startswith("cuda.") else None


def referenced_globals(code: types.CodeType) -> set[str]:
    """The global names that a function's code reads, functions inside it included."""
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    names = {step.argval for step in dis.get_instructions(code) if step.opname in loads}
    inner = (const for const in code.co_consts if isinstance(const, types.CodeType))
    return names.union(*(referenced_globals(const) for const in inner))


def for_numba(function: Callable[..., Any]) -> tuple[Callable[..., Any], set[str]]:
    """A copy of a plain function that Numba's compiler understands; Numba is imported here.

    Returns:
        The copy, and the files that its source and its device functions' are in.
    """
    rebinding = _Rebinding()
    twin = rebinding.twin(function)
    rebinding.fill(twin, function)
    return twin, rebinding.files


class _Rebinding:
    """Copies of functions, each made once, so that functions may refer to each other."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self._dispatchers: dict[int, Any] = {}

    def twin(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A copy whose globals and closure are still empty."""
        code = function.__code__
        self.files.add(code.co_filename)
        cells = tuple(types.CellType() for _ in code.co_freevars)
        scope = {name: function.__globals__.get(name) for name in ("__builtins__", "__name__")}
        twin = types.FunctionType(code, scope, function.__name__, function.__defaults__, cells)
        twin.__kwdefaults__ = function.__kwdefaults__
        twin.__module__ = function.__module__
        twin.__qualname__ = function.__qualname__
        return twin

    def fill(self, twin: Callable[..., Any], function: Callable[..., Any]) -> None:
        """Give the copy what the function's names mean."""
        for name in referenced_globals(function.__code__) & function.__globals__.keys():
            twin.__globals__[name] = self._value(function.__globals__[name])
        for new, old in zip(twin.__closure__ or (), function.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # a variable that is not yet assigned
                new.cell_contents = self._value(old.cell_contents)

    def _value(self, value: Any) -> Any:
        name = numba_name(value)
        if name is not None:
            return _find(name)
        if isinstance(getattr(value, "py_func", None), types.FunctionType):
            return self._dispatcher(value)
        return value

    def _dispatcher(self, value: Any) -> Any:
        if id(value) not in self._dispatchers:
            from numba.cuda.dispatcher import CUDADispatcher

            twin = self.twin(value.py_func)
            options = {**getattr(value, "targetoptions", {}), "device": True}
            self._dispatchers[id(value)] = CUDADispatcher(twin, options)
            self.fill(twin, value.py_func)
        return self._dispatchers[id(value)]


def _find(name: str) -> Any:
    """The object of a dotted name."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)
