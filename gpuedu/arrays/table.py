"""The table of functions that NumPy computes, and how an entry becomes a function of ``cp``."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import attrgetter
from typing import Any

import numpy as np

from gpuedu.arrays.account import note_operation
from gpuedu.arrays.errors import DeviceArrayTypeError, NotInStandInError
from gpuedu.arrays.ndarray import SCALARS, ndarray
from gpuedu.arrays.transfer import copied_to_host
from gpuedu.arrays.wrap import call, from_interface, touched_bytes, unsupported

_SIZE_BYTES = 8


@dataclass(frozen=True)
class Entry:
    """One line of the table.

    ``name`` is CuPy's, with the module before it; ``asks`` are the letters of the parameters that
    take device arrays; ``gives`` is the word after the arrow; ``numpy_name`` as NumPy calls it.
    """

    name: str
    signature: inspect.Signature
    asks: dict[str, str]
    gives: str
    numpy_name: str


@cache
def entries() -> tuple[Entry, ...]:
    """The table's lines."""
    text = resources.files("gpuedu.arrays").joinpath("functions.txt").read_text("utf-8")
    lines = text.splitlines()
    return tuple(parse(line) for line in lines if line and not line.startswith("#"))


def functions_of(module: str) -> dict[str, Callable[..., Any]]:
    """The functions of a module by name; "" is CuPy itself.

    >>> "norm" in functions_of("linalg"), "sum" in functions_of("")
    (True, True)
    """
    found = [entry for entry in entries() if entry.name.rpartition(".")[0] == module]
    return {entry.name.rpartition(".")[2]: make(entry) for entry in found if _is_in_numpy(entry)}


def _is_in_numpy(entry: Entry) -> bool:
    """Whether this NumPy has it: before 2.1 there is no ``cumulative_sum``, for one."""
    try:
        attrgetter(entry.numpy_name)(np)
    except AttributeError:
        return False
    return True


def methods() -> dict[str, Entry]:
    """The entries of the array's methods, by name."""
    found = [entry for entry in entries() if entry.name.startswith("ndarray.")]
    return {entry.name.rpartition(".")[2]: entry for entry in found}


def parse(line: str) -> Entry:
    """One line.

    >>> entry = parse("sum(a: D, axis=None) -> number")
    >>> entry.name, str(entry.signature), entry.asks, entry.gives
    ('sum', '(a, axis=None)', {'a': 'D'}, 'number')
    """
    head, _, other = line.partition(") = ")
    head = head + ")" if other else head
    head, _, gives = head.partition(" -> ")
    name = head[: head.index("(")]
    node = ast.parse(f"def f{head[len(name) :]}: pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    parameters = list(_parameters(node.args))
    asks = {at.arg: at.annotation.id for at in _marked(node.args)}  # type: ignore[union-attr]
    return Entry(name, inspect.Signature(parameters), asks, gives, other or name)


def _marked(args: ast.arguments) -> Iterator[ast.arg]:
    for at in (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs):
        if at is not None and at.annotation is not None:
            yield at


def _parameters(args: ast.arguments) -> Iterator[inspect.Parameter]:
    kind = inspect.Parameter
    plain = [*args.posonlyargs, *args.args]
    defaults = [kind.empty] * (len(plain) - len(args.defaults)) + [*map(_value, args.defaults)]
    for at, (arg, default) in enumerate(zip(plain, defaults, strict=True)):
        only = at < len(args.posonlyargs)
        how = kind.POSITIONAL_ONLY if only else kind.POSITIONAL_OR_KEYWORD
        yield kind(arg.arg, how, default=default)
    if args.vararg:
        yield kind(args.vararg.arg, kind.VAR_POSITIONAL)
    for arg, given in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        yield kind(arg.arg, kind.KEYWORD_ONLY, default=_value(given))
    if args.kwarg:
        yield kind(args.kwarg.arg, kind.VAR_KEYWORD)


def _value(node: Any) -> Any:
    if isinstance(node, ast.Name):
        return {"float": float, "int": int}[node.id]
    return ast.literal_eval(node)


def make(entry: Entry, compute: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The function of an entry; ``compute`` in place of NumPy's, with NumPy arrays."""
    target = compute or attrgetter(entry.numpy_name)(np)
    known = _parameter_names(target) or set(entry.signature.parameters)
    if entry.gives == "number":
        target = _as_array(target)

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = entry.signature.bind(*args, **kwargs)
        except TypeError as fault:
            raise DeviceArrayTypeError(f"cupy.{entry.name}: {fault}") from None
        for name, value in bound.arguments.items():
            if name != "out":
                bound.arguments[name] = accepted(value, entry.asks.get(name, ""))
        bound.apply_defaults()
        positional, named = arguments_for(entry, bound, known)
        if entry.gives == "sized":
            copied_to_host(_SIZE_BYTES, entry.name, hidden=f"the size of {entry.name}'s result")
        found = call(entry.name, target, positional, named)
        if entry.gives == "none":
            _enter_write(entry.name, positional, named)
        return found

    function.__name__ = function.__qualname__ = entry.name.rpartition(".")[2]
    function.__module__ = "gpuedu.arrays"
    function.__signature__ = entry.signature  # type: ignore[attr-defined]
    function.__doc__ = f"``cupy.{entry.name}``: as ``numpy.{entry.numpy_name}``, on the device."
    return function


def _enter_write(name: str, positional: tuple, named: dict[str, Any]) -> None:
    """Enter a launch that writes its first operand: whole, or where indices say."""
    array, *others = (value for value in positional if isinstance(value, ndarray))
    others += [value for value in named.values() if isinstance(value, ndarray)]
    places = {
        "put": lambda: np.size(_elements(positional[1])),
        "put_along_axis": lambda: np.size(_elements(positional[1])),
        "fill_diagonal": lambda: min(array.shape),
    }.get(name, lambda: array.size)
    note_operation(name, sum(map(touched_bytes, others)), places() * array.itemsize)


def _elements(value: Any) -> Any:
    return value.elements() if isinstance(value, ndarray) else value


def _parameter_names(target: Callable[..., Any]) -> set[str]:
    """What NumPy calls the parameters; none where an older NumPy cannot say, as of ``arange``."""
    try:
        return set(inspect.signature(target).parameters)
    except ValueError:
        return set()


def accepted(value: Any, asked: str) -> Any:
    """An argument in the form that its letter in the table asks for, or an error.

    Raises:
        DeviceArrayTypeError: It is not on the device, or it is on the device but the host needs it.
    """
    if asked == "A":
        return value
    if asked == "N":
        return _read(value)
    if not asked:
        _require_on_host(value)
        return value
    if value is None or _is_on_device(value):
        return value
    if asked == "I":
        from gpuedu.arrays.indexing import to_indices

        return to_indices(value)
    if asked == "S" and isinstance(value, SCALARS):
        return value
    if asked in "LM" and isinstance(value, (list, tuple)):
        for item in value:
            accepted(item, "S" if asked == "L" else "D")
        return value
    raise unsupported(value)


def _read(value: Any) -> Any:
    """Device arrays without axes as what they hold, which the host waits for, in sequences, too."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(_read, value))
    if _is_on_device(value) and not isinstance(value, ndarray):
        value = from_interface(value)
    return value.item() if isinstance(value, ndarray) and not value.shape else value


def _is_on_device(value: Any) -> bool:
    return isinstance(value, ndarray) or hasattr(value, "__cuda_array_interface__")


def _require_on_host(value: Any) -> None:
    """Refuse what lies on the device where a shape, an axis or a count is asked for.

    Raises:
        DeviceArrayTypeError: CuPy does not take it either.
    """
    if isinstance(value, (list, tuple)):
        for item in value:
            _require_on_host(item)
    elif isinstance(value, dict):
        _require_on_host([item for name, item in value.items() if name != "out"])
    elif _is_on_device(value):
        raise DeviceArrayTypeError(
            "'ndarray' object cannot be interpreted as an integer",
            remedy="int(...) copies it to the host",
        )


def arguments_for(
    entry: Entry, bound: inspect.BoundArguments, known: set[str]
) -> tuple[tuple, dict[str, Any]]:
    """NumPy's arguments: required ones by position, the others by name if they say something.

    Raises:
        NotInStandInError: A parameter was given that NumPy does not have.
    """
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in entry.signature.parameters.values():
        value = bound.arguments[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif parameter.kind is parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.default is parameter.empty:
            positional.append(value)
        elif parameter.name in known:
            if not (value is None and parameter.default is None):
                named[parameter.name] = value
        elif value is not parameter.default:
            raise NotInStandInError(
                f"cupy.{entry.name}({parameter.name}=...) is not in gpuedu's stand-in for CuPy",
                remedy=f"leave {parameter.name} out; CuPy on a GPU has it",
            )
    return tuple(positional), named


def _as_array(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """The function with a result without axes, where NumPy gives a number of Python's."""
    return lambda *args, **kwargs: np.asarray(function(*args, **kwargs))
