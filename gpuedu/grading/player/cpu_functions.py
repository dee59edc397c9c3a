"""Functions that Numba compiles for the CPU: with which options, and what they may use.

They are compiled again from their text where none of the learner's Python runs, without a way back
to Python. Compiled code may use numbers, arrays and what is listed here from Numba: nothing that
takes an address, calls foreign code, or extends the compiler.
"""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from gpuedu.compilers.nested import keep_to_constants
from gpuedu.errors import AnswerError

_OPTIONS = {
    "boundscheck": (bool,),
    "error_model": (str,),
    "fastmath": (bool, list),
    "inline": (str,),
    "nogil": (bool,),
    "parallel": (bool, dict),
}
_WITHOUT_EFFECT = ("cache", "debug", "looplift")
_NUMBERS = ("get_num_threads", "get_parallel_chunksize", "get_thread_id")
_OF_NUMBA = (*_NUMBERS, "literal_unroll", "pndindex", "prange", "set_num_threads")
_REFUSED = ("ctypes", "ctypeslib", "getattr")
_MODULES_OF_NUMBA = ("numba", "numba.types", "numba.core.types")
_MODULES = ("math", "cmath", "numpy", "operator", "builtins", *_MODULES_OF_NUMBA)
_MOST_SIGNATURES = 20
_MOST_DIMENSIONS = 8


# Where the learner's code ran


def is_cpu_function(thing: Any) -> bool:
    """Whether it is compiled by ``numba.njit``, ``numba.jit`` or ``numba.vectorize``."""
    if "numba" not in sys.modules:
        return False
    from numba.core.registry import CPUDispatcher
    from numba.np.ufunc.dufunc import DUFunc

    return issubclass(type(thing), CPUDispatcher | DUFunc)


def python_under(function: Any) -> types.FunctionType | None:
    """The Python function that is compiled."""
    found = getattr(_dispatcher(function), "py_func", None)
    return found if isinstance(found, types.FunctionType) else None


def told_compilation(function: Any) -> dict[str, Any]:
    """How a function is compiled, as plain values.

    Raises:
        AnswerError: it is compiled for something other than numbers and arrays.
    """
    dispatcher = _dispatcher(function)
    options = {name: _told_option(one) for name, one in dispatcher.targetoptions.items()}
    if getattr(dispatcher, "locals", None):
        options["locals"] = True
    is_vectorized = dispatcher is not function
    signatures = None
    if not is_vectorized and not dispatcher._can_compile:
        signatures = [list(map(_told_type, one.args)) for one in dispatcher.nopython_signatures]
    return {"vectorized": is_vectorized, "options": options, "signatures": signatures}


def _dispatcher(function: Any) -> Any:
    return getattr(function, "_dispatcher", function)


def _told_option(value: Any) -> Any:
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if type(value) is dict:
        return {str(name): bool(one) for name, one in value.items()}
    return value if type(value) in (bool, str, type(None)) else type(value).__name__


def _told_type(kind: Any) -> str | list:
    from numba import types as numba_types

    if isinstance(kind, numba_types.Array):
        element = _told_type(kind.dtype)
        return ["array", element, kind.ndim, kind.layout, not kind.mutable]
    if _is_number(kind):
        return kind.name
    raise AnswerError(
        f"a signature with `{kind}` cannot be used when a class is graded",
        remedy="leave the signature out: Numba finds it in the first call",
    )


# Where none of it ever ran


def compiled(function: types.FunctionType, told: Mapping[str, Any]) -> Any:
    """The function, to be compiled as ``told_compilation`` says, and in no other mode.

    Raises:
        AnswerError: it uses, or is compiled with, something that is not allowed here.
    """
    import numba

    keep_to_constants(import_module("numba.core.ir_utils"))
    _require_names(function)
    options = _options(told.get("options"))
    if told.get("vectorized") is True:
        return numba.vectorize(**options)(function)
    signatures = _signatures(told.get("signatures"))
    make: Callable = numba.njit(signatures, **options) if signatures else numba.njit(**options)
    return make(function)


def require_library(module: str, name: str, found: Any) -> None:
    """Refuse what compiled code may not use of a library.

    Args:
        module: where it is from.
        name: its name there; empty for the module.
        found: itself.

    Raises:
        AnswerError: it may not be used.
    """
    is_numba = module == "numba" or module.startswith("numba.")
    is_known = module in _MODULES or module.startswith("numpy.")
    if name and is_numba:
        if not _may_be_used(found):
            raise _refusal(f"`{name}` of Numba")
    elif not is_known or "ctypes" in module or found is getattr:  # whatever name it has
        raise _refusal(f"`{module}.{name}`" if name else f"`{module}`")


def _refusal(what: str) -> AnswerError:
    return AnswerError(
        f"{what} cannot be used in a compiled function when a class is graded",
        remedy="numbers, arrays, `prange` and other compiled functions can",
    )


def _may_be_used(found: Any) -> bool:
    import numba

    names = (getattr(numba, name) for name in _OF_NUMBA)
    return _is_number(found) or any(found is one for one in (*names, *_modules_of_numba()))


def _is_number(kind: Any) -> bool:
    from numba import types as numba_types

    return isinstance(kind, numba_types.Number | numba_types.Boolean)


def _require_names(function: types.FunctionType) -> None:
    """Refuse attributes by their names, wherever in the code they are asked for."""
    cells = (cell.cell_contents for cell in function.__closure__ or ())
    used = (*function.__globals__.values(), *cells)
    modules = [one for one in used if isinstance(one, types.ModuleType)]
    has_numba = any(one.__name__ in _MODULES_OF_NUMBA for one in modules)
    for name, is_attribute in _names_in(function.__code__):
        of_numba = _modules_of_numba() if has_numba and is_attribute else ()
        found = [getattr(one, name) for one in of_numba if hasattr(one, name)]
        if name in _REFUSED or (found and not any(map(_may_be_used, found))):
            raise _refusal(f"`{name}`")


def _modules_of_numba() -> list[types.ModuleType]:
    return [import_module(one) for one in _MODULES_OF_NUMBA]


def _names_in(code: types.CodeType) -> Iterator[tuple[str, bool]]:
    """Names in a code that are no variables of its own, each with whether it is an attribute's."""
    for part in dis.get_instructions(code):
        if part.opcode in dis.hasname:
            yield part.argval, part.opname not in ("LOAD_GLOBAL", "LOAD_NAME")
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _names_in(inner)


def _options(told: Any) -> dict[str, Any]:
    options = {}
    for name, value in told.items() if type(told) is dict else ():
        if type(value) in _OPTIONS.get(name, ()):
            options[name] = set(value) if type(value) is list else value
        elif not _changes_nothing(name, value):
            raise _refused_option(name)
    return options


def _changes_nothing(name: str, value: Any) -> bool:
    if name == "nopython":
        return value is True
    return value is None or value is False or name in _WITHOUT_EFFECT


def _refused_option(name: Any) -> AnswerError:
    return AnswerError(
        f"Numba's option `{name}` cannot be used when a class is graded",
        remedy=f"leave `{name}=` out",
    )


def _signatures(told: Any) -> list[tuple]:
    if told is None:
        return []
    if type(told) is not list or not 0 < len(told) <= _MOST_SIGNATURES:
        raise AnswerError("a compiled function arrived in an unknown form")
    return [tuple(map(_type, one if type(one) is list else [None])) for one in told]


def _type(told: Any) -> Any:
    from numba import types as numba_types

    found = getattr(numba_types, told, None) if type(told) is str else None
    if _is_number(found):
        return found
    match told:
        case ["array", str(element), int(ndim), "C" | "F" | "A" as layout, bool(readonly)]:
            if 0 <= ndim <= _MOST_DIMENSIONS:
                return numba_types.Array(_type(element), ndim, layout, readonly=readonly)
    raise AnswerError("a compiled function arrived in an unknown form")
