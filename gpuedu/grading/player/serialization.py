"""Kernels as text: taken apart where the learner's code ran, rebuilt where none of it did.

The machine reads a kernel's source and looks at the names that it uses from outside. Both travel as
plain values, so a kernel that arrives is what the machine will run, whatever its Python did before.
So do functions that Numba compiles for the CPU, where a play has them compiled on the machine, and
Triton kernels, of which only Triton's language is executed there. The learner's other functions
stay where they are, and are called remotely.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import linecache
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from gpuedu import triton
from gpuedu.errors import AnswerError
from gpuedu.grading.describing import plainly, tensor_parts
from gpuedu.grading.parts import is_tensor
from gpuedu.grading.player import cpu_functions
from gpuedu.grading.player.device.lent import Lent, LentIterator
from gpuedu.grading.player.device.values import Codec
from gpuedu.grading.rebuilding import tensor_of
from gpuedu.grading.wire import WireError, pack
from gpuedu.triton import texts
from gpuedu.triton.language import LanguageError

_MODULES = (
    *("math", "cmath", "numpy", "operator", "builtins"),
    *("numba", "gpuedu.simt", "gpuedu.backend"),
)
"""Names from these are sent as names. None of them is called where they arrive."""
_MOST_NESTED = 20

Call = Callable[[int, tuple[Any, ...]], Any]
Library = Callable[[str, str], Any]


# Where the learner's code ran


def describe_answer(answer: Any, device: Codec | None = None) -> dict[str, Any]:
    """An answer as plain values: a kernel's text, a value, or that it is a function.

    ``device`` knows what is on the device.
    """
    if device is not None and device.holds(answer):
        return {"kind": "device", "value": device.encode(answer)}
    if triton.is_kernel(answer):
        return {"kind": "program", **texts.told(answer)}
    if _python_under(answer) is not None and answer is not _python_under(answer):
        return _kernel(answer, ())
    if callable(answer) and not isinstance(answer, type):
        name = str(getattr(answer, "__name__", "function"))
        return {"kind": "function", "name": name, "calls_compiled": _calls_compiled(answer)}
    return _value(answer, ())


def _calls_compiled(function: Callable) -> bool:
    """Whether a plain function uses one that Numba compiles for the CPU."""
    if not inspect.isfunction(function):
        return False
    used = (*dict(_globals_of(function)).values(), *map(_content, function.__closure__ or ()))
    return any(map(cpu_functions.is_cpu_function, used))


def describe_argument(value: Any, device: Codec | None = None) -> dict[str, Any]:
    """What a function is called with: a plain value, a tensor on the CPU, or a thing on the device.

    A function or an iterator stays where it is.
    """
    if device is not None and device.holds(value):
        return {"kind": "device", "value": device.encode(value)}
    if device is not None and callable(value):
        return {"kind": "device", "value": device.encode(Lent(value))}
    if device is not None and hasattr(type(value), "__next__"):
        return {"kind": "device", "value": device.encode(LentIterator(value))}
    if is_tensor(value):
        dtype, shape, raw = tensor_parts(value)
        return {"kind": "tensor", "dtype": dtype, "shape": shape, "bytes": raw}
    return {"kind": "value", "value": value}


def rebuild_argument(encoded: Any, device: Codec | None = None) -> Any:
    """An argument on the function's side, and an argument that came back on the caller's side."""
    if device is not None and _field(encoded, "kind", str) == "device":
        return device.decode(encoded.get("value"))
    if _field(encoded, "kind", str) == "value":
        return encoded.get("value")
    return tensor_of(*_tensor_parts(encoded))


def _python_under(thing: Any) -> Callable | None:
    if cpu_functions.is_cpu_function(thing):
        return cpu_functions.python_under(thing)
    found = inspect.getattr_static(thing, "py_func", None)
    return found if inspect.isfunction(found) else None


def _kernel(kernel: Any, inside: tuple[int, ...]) -> dict[str, Any]:
    """A kernel or another compiled function: the text of its cell, what its names stand for."""
    function = _python_under(kernel)
    if id(function) in inside or len(inside) > _MOST_NESTED:
        return {"kind": "unknown", "type": "a function that calls itself"}
    inside = (*inside, id(function))
    code = function.__code__
    free = zip(code.co_freevars, function.__closure__ or (), strict=True)
    is_cpu_function = cpu_functions.is_cpu_function(kernel)
    return {
        "kind": "cpu function" if is_cpu_function else "kernel",
        "file": code.co_filename,
        "text": "".join(linecache.getlines(code.co_filename)),
        "name": code.co_name,
        "line": code.co_firstlineno,
        "defaults": _value(function.__defaults__, inside),
        "globals": {name: _value(one, inside) for name, one in _globals_of(function)},
        "cells": {name: _value(_content(cell), inside) for name, cell in free},
        **(cpu_functions.told_compilation(kernel) if is_cpu_function else _told_options(kernel)),
    }


def _told_options(kernel: Any) -> dict[str, Any]:
    options = getattr(kernel, "targetoptions", {})
    return {"options": {name: one for name, one in options.items() if _is_plain(one)}}


def _globals_of(function: Callable) -> Iterator[tuple[str, Any]]:
    """What the names in a function's code stand for in its module."""
    seen, codes = set(), [function.__code__]
    while codes:
        code = codes.pop()
        codes += [one for one in code.co_consts if isinstance(one, types.CodeType)]
        seen |= set(code.co_names)
    scope = function.__globals__
    return ((name, scope[name]) for name in sorted(seen) if name in scope)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _value(value: Any, inside: tuple[int, ...]) -> dict[str, Any]:
    if isinstance(value, types.ModuleType):
        return {"kind": "module", "name": value.__name__}
    if _python_under(value) is not None:
        return _kernel(value, inside)
    if is_tensor(value):
        return describe_argument(value)
    found = _name_of(value)
    if found:
        return {"kind": "name", "module": found[0], "name": found[1]}
    plain = plainly(value)
    if _is_plain(plain):
        return {"kind": "value", "value": plain}
    return {"kind": "unknown", "type": type(value).__name__}


def _name_of(value: Any) -> tuple[str, str] | None:
    """Module and name under which something of a library can be found again."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if type(name) is not str:
        return _numba_type(value)
    for module in (getattr(value, "__module__", None), "numpy", "math", "builtins"):
        if type(module) is str and _is_known(module):
            try:
                if _look_up(module, name) is value:
                    return module, name
            except (ImportError, AttributeError):
                continue
    return None


def _numba_type(value: Any) -> tuple[str, str] | None:
    """``numba.float32`` and its like, which have no name of a Python object."""
    home = type(value).__module__
    for module in ("numba", "gpuedu.backend"):
        names = str(value) if home.startswith(("numba", "gpuedu")) else ""
        if names.isidentifier() and getattr(importlib.import_module(module), names, None) is value:
            return module, names
    own = vars(importlib.import_module("numba")) if home.startswith("numba") else {}
    return next((("numba", name) for name, one in own.items() if one is value), None)


def _is_known(module: str) -> bool:
    return any(module == one or module.startswith(one + ".") for one in _MODULES)


def _look_up(module: str, name: str) -> Any:
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
        if isinstance(found, types.ModuleType) and not _is_known(found.__name__):
            raise AttributeError(f"{module}.{name} leads through another module")
    return found


def _is_plain(value: Any) -> bool:
    try:
        pack(value)
    except (WireError, ValueError, RecursionError):
        return False
    return True


# Where none of it ever ran


def rebuild_answer(
    encoded: Mapping[str, Any],
    number: int,
    call: Call,
    device: Codec | None = None,
    *,
    compiles: bool = False,
) -> Any:
    """An answer from its description.

    Args:
        encoded: what ``describe_answer`` made.
        number: which answer it is, for calls.
        call: calls the learner's function ``number`` with arguments, where it is.
        device: knows what is on the device.
        compiles: whether functions for the CPU are compiled; otherwise they stay where they are,
            and are device functions if a kernel calls them.

    Raises:
        AnswerError: the description is not an answer.
    """
    kind = _field(encoded, "kind", str)
    if kind == "function" or (kind == "cpu function" and not compiles):
        remote = _remote(_field(encoded, "name", str), number, call)
        remote.calls_compiled = encoded.get("calls_compiled") is True
        return remote
    if device is not None and kind == "device":
        return device.decode(encoded.get("value"))
    if kind == "program":
        return _program(encoded)
    answer = _Rebuilding(compiles=compiles).thing(encoded)
    if kind == "name" and not isinstance(answer, type):
        raise AnswerError("an answer arrived in an unknown form")
    return answer


def _program(encoded: Mapping[str, Any]) -> Any:
    """A kernel in Triton."""
    try:
        return texts.rebuilt(encoded)
    except LanguageError as fault:
        raise AnswerError(fault.message, remedy=fault.remedy) from None


def _remote(name: str, number: int, call: Call) -> Callable[..., Any]:
    def remote(*arguments: Any) -> Any:
        return call(number, arguments)

    remote.__name__ = remote.__qualname__ = name
    return remote


class _Rebuilding:
    """Puts together what was taken apart.

    Args:
        compiles: see ``rebuild_answer``.
    """

    def __init__(self, *, compiles: bool) -> None:
        self._compiles = compiles

    def thing(self, encoded: Any, depth: int = 0, library: Library | None = None) -> Any:
        """What stands in an answer, or is one; ``library`` looks names up."""
        if depth > _MOST_NESTED:
            raise AnswerError("kernels and functions are nested too deeply")
        library = library or _library
        kind = _field(encoded, "kind", str)
        if kind == "value":
            return encoded.get("value")
        if kind == "module":
            return library(_field(encoded, "name", str), "")
        if kind == "name":
            return library(_field(encoded, "module", str), _field(encoded, "name", str))
        if kind == "cpu function" and self._compiles:
            function = self._function(encoded, depth, _library_of_cpu_functions)
            return cpu_functions.compiled(function, encoded)
        if kind in ("kernel", "cpu function") and encoded.get("vectorized") is not True:
            from gpuedu.backend import cuda

            options = _options(_field(encoded, "options", dict))
            return cuda.jit(**options)(self._function(encoded, depth, _library))
        if kind == "tensor":
            return tensor_of(*_tensor_parts(encoded))
        return type(str(encoded.get("type", "object"))[:60], (), {})()

    def _function(
        self, encoded: Mapping[str, Any], depth: int, library: Library
    ) -> types.FunctionType:
        """A function that is made from its text, and never called as it is."""
        file, text, name = (_field(encoded, one, str) for one in ("file", "text", "name"))
        file = texts.own_name(file, text)
        code = _code_of(text, file, name, _field(encoded, "line", int))
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        scope = {"__name__": "__main__", "__builtins__": vars(builtins)}
        scope |= {
            str(one): self.thing(inner, depth + 1, library)
            for one, inner in _field(encoded, "globals", dict).items()
            if not str(one).startswith("__")  # its module would not be the cell's
        }
        cells = _field(encoded, "cells", dict)
        if set(cells) != set(code.co_freevars):
            raise AnswerError("a kernel arrived without the outer names that it uses")
        inside = (self.thing(cells[one], depth + 1, library) for one in code.co_freevars)
        defaults = self.thing(encoded.get("defaults"), depth + 1, library)
        return types.FunctionType(code, scope, name, defaults, tuple(map(types.CellType, inside)))


def _tensor_parts(encoded: Any) -> tuple[str, list[int], np.ndarray]:
    raw, shape = _field(encoded, "bytes", np.ndarray), _field(encoded, "shape", list)
    return _field(encoded, "dtype", str), shape, raw


def _field(encoded: Any, name: str, kind: type) -> Any:
    found = encoded.get(name) if type(encoded) is dict else None
    if type(found) is not kind:
        raise AnswerError("an answer arrived in an unknown form")
    return found


def _library(module: str, name: str) -> Any:
    if not _is_known(module):
        raise AnswerError(f"a kernel uses {module!r}, which kernels do not have")
    try:
        return _look_up(module, name) if name else importlib.import_module(module)
    except (ImportError, AttributeError) as fault:
        raise AnswerError(f"a kernel uses `{module}.{name}`, which is not there") from fault


def _library_of_cpu_functions(module: str, name: str) -> Any:
    found = _library(module, name)
    cpu_functions.require_library(module, name, found)
    return found


_OPTIONS = ("device", "fastmath", "max_registers", "launch_bounds")


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in given.items() if name in _OPTIONS and one is not None}


def _code_of(text: str, file: str, name: str, line: int) -> types.CodeType:
    """The compiled body of one function of a cell; the cell itself is not run."""
    try:
        codes = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        raise AnswerError(f"a kernel's source cannot be read: {fault}") from None
    while codes:
        code = codes.pop()
        if code.co_name == name and code.co_firstlineno == line:
            return code
        codes += [one for one in code.co_consts if isinstance(one, types.CodeType)]
    raise AnswerError(f"the source of `{name}` is not in its cell", remedy="define it with `def`")
