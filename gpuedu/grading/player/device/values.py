"""Values of a message between a learner's process and the device's, and back.

A leaf that ``gpuedu.grading.wire`` takes stands for itself. Everything else is a list that begins
with its kind.
"""

from __future__ import annotations

import types
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.grading.dtypes import dtype_named

_LEAVES = (str, bool, int, float, type(None))
_KINDS = "biufcUS"
_DEEPEST = 10
_MANY = 64
_TYPES = {"float": float, "int": int, "bool": bool, "complex": complex, "str": str, "bytes": bytes}


class Codec:
    """Both directions; each side adds its own kinds: handles, functions, modules."""

    def encode(self, value: Any, depth: int = 0) -> Any:
        """A value in a message's form; never raises: what has no form is sent as its type."""
        if type(value) in _LEAVES:
            return value
        own = self.encode_own(value)
        if own is not None:
            return own
        if isinstance(value, np.ndarray):
            return _host_array(value)
        if isinstance(value, np.generic) and value.dtype.kind in _KINDS:
            return value
        if depth < _DEEPEST and isinstance(value, (list, tuple, dict)):
            return self._encode_container(value, depth + 1)
        return _encode_small(self, value, depth)

    def is_own(self, value: Any) -> bool:
        """True if this side has its own form for a value."""
        raise NotImplementedError

    def holds(self, value: Any, depth: int = 0) -> bool:
        """True if a value is one of this side's own, or contains one."""
        if depth < _DEEPEST and type(value) in (list, tuple, dict):
            inside = value.values() if type(value) is dict else value
            return any(self.holds(one, depth + 1) for one in inside)
        return self.is_own(value)

    def encode_own(self, value: Any) -> list | None:
        """The form of this side's own values; None for anything else."""
        raise NotImplementedError

    def decode_own(self, kind: str, encoded: list) -> Any:
        """A value that only the other side has.

        Raises:
            AnswerError: it has no known form.
        """
        raise NotImplementedError

    def _encode_container(self, value: Any, depth: int) -> list:
        if isinstance(value, dict):
            return [
                "dict",
                [[self.encode(k, depth), self.encode(v, depth)] for k, v in value.items()],
            ]
        fields = getattr(value, "_fields", None)
        if fields is not None:
            name = type(value).__name__
            return ["named", name, list(fields), [self.encode(one, depth) for one in value]]
        if len(value) >= _MANY and {*map(type, value)} in ({float}, {int}):
            numbers = np.array(value)
            if numbers.dtype in (np.float64, np.int64):
                return ["numbers", numbers, isinstance(value, tuple)]
        kind = "tuple" if isinstance(value, tuple) else "list"
        return [kind, [self.encode(one, depth) for one in value]]

    def decode(self, encoded: Any, depth: int = 0) -> Any:
        """A value from a message.

        Raises:
            AnswerError: it has no known form.
        """
        if (
            type(encoded) in _LEAVES
            or isinstance(encoded, np.generic)
            or type(encoded) is np.ndarray
        ):
            return encoded
        if (
            type(encoded) is not list
            or not encoded
            or type(encoded[0]) is not str
            or depth > _DEEPEST
        ):
            raise AnswerError("a message to the device has no known form")
        kind, *rest = encoded
        try:
            if kind in _CONTAINERS:
                return _CONTAINERS[kind](lambda one: self.decode(one, depth + 1), *rest)
            if kind in _SMALL:
                return _SMALL[kind](*rest)
        except (TypeError, ValueError, AttributeError) as fault:
            raise AnswerError("a message to the device has no known form") from fault
        return self.decode_own(kind, encoded)


def _host_array(value: np.ndarray) -> Any:
    """A host array; of one that cannot be sent, its dtype and shape."""
    if value.dtype.kind in _KINDS and not value.dtype.hasobject:
        return value if type(value) is np.ndarray else np.asarray(value)
    return ["blank", "|O" if value.dtype.hasobject else value.dtype.str, list(value.shape)]


def _encode_small(codec: Codec, value: Any, depth: int) -> Any:
    if value is ... or value is NotImplemented:
        return ["ellipsis"] if value is ... else ["not implemented"]
    for base in (str, int, float):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, complex):
        return ["complex", value.real, value.imag]
    if isinstance(value, (bytes, bytearray)):
        return ["bytes", np.frombuffer(value, np.uint8)]
    if isinstance(value, slice):
        return [
            "slice",
            *(codec.encode(one, _DEEPEST) for one in (value.start, value.stop, value.step)),
        ]
    if isinstance(value, range):
        return ["range", value.start, value.stop, value.step]
    if isinstance(value, np.dtype):
        return ["dtype", value.str]
    if isinstance(value, np.ufunc):
        return ["ufunc", value.__name__]
    if isinstance(value, type):
        return _encode_type(value)
    return _unknown(value, depth)


def _encode_type(value: type) -> list:
    if _TYPES.get(value.__name__) is value:
        return ["type", value.__name__]
    if issubclass(value, np.generic) and getattr(np, value.__name__, None) is value:
        return ["number type", value.__name__]
    return ["unknown", "type", "builtins", None]


def _unknown(value: Any, depth: int) -> list:
    """An object that stays where it is: its class, and its elements if NumPy takes them."""
    kind = type(value)
    elements = None
    if depth < _DEEPEST and callable(getattr(kind, "__array__", None)):
        try:
            elements = _host_array(np.asarray(value))
        except Exception:  # a learner's object may raise anything
            elements = None
    return ["unknown", str(kind.__qualname__)[:60], str(kind.__module__)[:60], elements]


def _blank(dtype: str, shape: list) -> np.ndarray:
    return np.broadcast_to(np.zeros((), dtype_named(dtype)), tuple(shape))


def _stand_in(name: str, module: str, elements: Any) -> Any:
    """An object of a class with this name, which can do nothing but be refused."""
    if type(name) is not str or type(module) is not str:
        raise TypeError(name)
    inside: dict[str, Any] = {"__module__": module}
    if elements is not None:
        found = _blank(*elements[1:]) if type(elements) is list else elements
        inside["__array__"] = lambda self, dtype=None, copy=None: np.array(found, dtype)
    return type(name, (), inside)()


def _range(*numbers: int) -> range:
    return range(*numbers)


def _number_type(name: str) -> type:
    found = vars(np).get(name)  # what `getattr` finds besides is imported by it
    if not (isinstance(found, type) and issubclass(found, np.generic)):
        raise TypeError(name)
    return found


def _ufunc(name: str) -> np.ufunc:
    found = vars(np).get(name)
    if not isinstance(found, np.ufunc):
        raise TypeError(name)
    return found


def _named(decode: Callable, name: str, fields: list, values: list) -> Any:
    return namedtuple(name, fields)(*map(decode, values))


_CONTAINERS: dict[str, Callable[..., Any]] = {
    "list": lambda decode, items: [decode(one) for one in items],
    "tuple": lambda decode, items: tuple(decode(one) for one in items),
    "dict": lambda decode, pairs: {decode(key): decode(one) for key, one in pairs},
    "named": _named,
    "slice": lambda decode, *ends: slice(*map(decode, ends)),
}
_SMALL: dict[str, Callable[..., Any]] = {
    "numbers": lambda array, is_tuple: tuple(array.tolist()) if is_tuple else array.tolist(),
    "ellipsis": lambda: ...,
    "not implemented": lambda: NotImplemented,
    "complex": lambda real, imag: complex(real, imag),
    "bytes": lambda array: array.tobytes(),
    "range": _range,
    "dtype": dtype_named,
    "type": lambda name: _TYPES[str(name)] if name in _TYPES else _number_type(name),
    "number type": _number_type,
    "ufunc": _ufunc,
    "blank": _blank,
    "unknown": _stand_in,
}


def is_library(value: Any) -> bool:
    """True if a value is a module, such as an ``xp`` argument."""
    return isinstance(value, types.ModuleType)
