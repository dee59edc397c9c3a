"""What a learner's function gave, and what it left in its arguments, as plain values and back.

A message has a value as a list that begins with what it is. What has no form is told as its type:
whoever looks at it finds something of that name, and nothing in it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.grading.wire import may_share_hash

_DEEPEST = 12
_DEEPEST_PLAIN = 30
"""Containers in each other, and those of which nothing has to be told; a message has a limit."""
_CONTAINERS = {"list": list, "tuple": tuple}
_LEAVES = (str, bool, float, type(None))
_READ = {str: str.__str__, int: int.__int__, float: float.__float__}
_MOST_ITEMS = 1_000_000
_KINDS = "biufcUS"
_MOST_BITS = 4_000
"""Of a whole number: beyond it Python takes long to write it, or refuses to."""
_EXACT = (Fraction, Decimal)
_COMPARED = (*_LEAVES, int, complex, bytes, *_EXACT, np.ndarray, np.generic)
_MOST_DIGITS = 1_000
"""Of a number that is told as it is written."""
_MOST_COSTLY = 2_000
"""Tensors, generators, exact numbers, values without a form and odd keys, in one result."""
_GENERATORS = {
    "PCG64": lambda state: True,
    "PCG64DXSM": lambda state: True,
    "SFC64": lambda state: True,
    "MT19937": lambda state: state["state"]["pos"] in range(625),
    "Philox": lambda state: state["buffer_pos"] in range(5),
}
"""NumPy's bit generators, and whether a state is one that NumPy may take: it believes positions."""


def is_tensor(value: Any) -> bool:
    """True if it is a tensor of PyTorch, without importing PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def describe(value: Any) -> list:
    """A value as a message has it; never raises.

    >>> describe((1.5, "a")), describe(object())
    (['plain', (1.5, 'a')], ['other', 'object'])
    """
    return _told(plainly(value), 0)


def _told(value: Any, depth: int) -> list:
    try:
        return _describe(value, depth)
    except Exception:  # whatever its own methods raise: it has no form
        return _other(value)


def plainly(value: Any, depth: int = 0) -> Any:
    """The same with exact types, as ``gpuedu.exercises.plain`` reads them where a notebook checks.

    A named tuple is a tuple, a member of an enumeration of texts a text, an ordered dict a dict.

    >>> from collections import namedtuple
    >>> plainly([namedtuple("Pair", "a b")(1, 2.5), range(2)])
    [(1, 2.5), [0, 1]]
    """
    try:
        return _plainly(value, depth)
    except Exception:  # whatever its own methods raise: it stays what it is
        return value


def _plainly(value: Any, depth: int) -> Any:
    kind = type(value)
    if kind in (*_LEAVES, int) or isinstance(value, (np.ndarray, np.generic)) or is_tensor(value):
        return value
    for base, read in _READ.items():
        if isinstance(value, base):
            return read(value)
    if kind is range and not value[_MOST_ITEMS:]:
        return list(value)
    if depth >= _DEEPEST:
        return value
    if isinstance(value, dict):
        return {plainly(key): plainly(one, depth + 1) for key, one in dict.items(value)}
    for base in _CONTAINERS.values():
        if isinstance(value, base):
            return base(plainly(one, depth + 1) for one in base.__iter__(value))
    return value


def _describe(value: Any, depth: int) -> list:
    if is_tensor(value):
        return ["tensor", *tensor_parts(value)]
    if isinstance(value, np.random.Generator):
        bits = value.bit_generator
        return ["generator", type(bits).__name__, bits.state]
    if type(value) in _EXACT and len(written := str(value)) < _MOST_DIGITS:
        return [type(value).__name__, written]
    if _is_plain(value, 2 * depth):
        return ["plain", value]
    if depth < _DEEPEST and type(value) in (list, tuple):
        return [type(value).__name__, [_told(one, depth + 1) for one in value]]
    if depth < _DEEPEST and type(value) is dict:
        return ["dict", [[_told_key(key), _told(one, depth + 1)] for key, one in value.items()]]
    return _other(value)


def _told_key(key: Any) -> Any:
    """A key that a message takes, or a list that begins with what it is."""
    return key if _is_key(key) else _told(key, _DEEPEST)


def _other(value: Any) -> list:
    return ["other", str(type(value).__name__)[:60]]


def _is_plain(value: Any, depth: int) -> bool:
    """True if a message takes it as it is."""
    kind = type(value)
    if kind in (list, tuple):
        return depth < _DEEPEST_PLAIN and all(_is_plain(one, depth + 1) for one in value)
    if kind is dict:
        return all(map(_is_key, value)) and _is_plain(list(value.values()), depth)
    if kind is np.ndarray or issubclass(kind, np.generic):
        return value.dtype.kind in _KINDS
    return _is_key(value)


def _is_key(value: Any) -> bool:
    kind = type(value)
    return kind in _LEAVES or (kind is int and value.bit_length() < _MOST_BITS)


def tensor_parts(tensor: Any) -> tuple[str, list[int], np.ndarray]:
    """Name of its dtype, its shape, and its bytes."""
    import torch

    raw = tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().copy()
    return str(tensor.dtype).removeprefix("torch."), list(tensor.shape), raw


def tensor_of(name: Any, shape: Any, raw: Any) -> Any:
    """The tensor of these parts.

    Raises:
        AnswerError: there is none.
    """
    import torch

    dtype = vars(torch).get(name) if type(name) is str else None  # `getattr` imports what it finds
    is_raw = type(raw) is np.ndarray and raw.dtype == np.uint8 and raw.ndim == 1
    if not (isinstance(dtype, torch.dtype) and is_raw and type(shape) is list):
        raise AnswerError("a tensor arrived in a form that none has")
    try:
        return torch.from_numpy(raw).view(dtype).reshape(shape)
    except (RuntimeError, TypeError) as fault:
        raise AnswerError("a tensor arrived in a form that none has") from fault


def rebuild(encoded: Any) -> Any:
    """The value that was described.

    Raises:
        AnswerError: nothing is described so, or more than is worth the time it takes.

    >>> rebuild(describe([np.float32(2.5), {"a": (1, None)}]))
    [np.float32(2.5), {'a': (1, None)}]
    """
    return _Rebuilding().value(encoded, 0)


class _Key:
    """Stands for a key that has no form."""


_KEYS = (*_LEAVES, int, tuple, _Key)


class _Rebuilding:
    """One value on its way back; what takes long to make is counted."""

    def __init__(self) -> None:
        self._costly = 0

    def value(self, encoded: Any, depth: int) -> Any:
        if (
            type(encoded) is not list
            or len(encoded) < 2
            or type(encoded[0]) is not str
            or depth > _DEEPEST
        ):
            raise AnswerError("a result arrived in a form that none has")
        kind, inside, *more = encoded
        if kind == "plain":
            return inside
        if kind in _CONTAINERS and type(inside) is list:
            return _CONTAINERS[kind](self.value(one, depth + 1) for one in inside)
        if kind == "dict" and type(inside) is list:
            return {key: self.value(one, depth + 1) for key, one in map(self._pair, inside)}
        return self._costly_one(kind, inside, more)

    def _pair(self, encoded: Any) -> list:
        if type(encoded) is not list or len(encoded) != 2:
            raise AnswerError("a result arrived in a form that none has")
        key, one = encoded
        if type(key) is list:
            key = self._key(self.value(key, _DEEPEST))
        self._count(may_share_hash(key))
        if type(key) not in _KEYS:
            raise AnswerError("a result arrived in a form that none has")
        return [key, one]

    def _key(self, found: Any) -> Any:
        """A key that was no plain one: itself if it is a tuple, else one of its own."""
        self._count(True)
        try:
            hash(found)
        except TypeError:
            return _Key()
        return found if type(found) is tuple else _Key()

    def _count(self, is_costly: bool) -> None:
        self._costly += is_costly
        if self._costly > _MOST_COSTLY:
            raise AnswerError("a result has too many values that are not plain")

    def _costly_one(self, kind: str, inside: Any, more: list) -> Any:
        self._count(True)
        if kind == "tensor" and len(more) == 2:
            return tensor_of(inside, *more)
        if kind == "generator" and len(more) == 1:
            return _generator(inside, *more)
        if kind in ("Fraction", "Decimal") and type(inside) is str:
            return _exact(kind, inside)
        if kind == "other" and type(inside) is str:
            return type(inside[:60] or "object", (), {})()
        raise AnswerError("a result arrived in a form that none has")


def _exact(kind: str, written: str) -> Fraction | Decimal:
    try:
        if len(written) >= _MOST_DIGITS:
            raise ValueError(written)
        return Decimal(written) if kind == "Decimal" else Fraction(*map(int, written.split("/")))
    except (ValueError, TypeError, ZeroDivisionError, InvalidOperation) as fault:
        raise AnswerError("a number arrived in a form that none has") from fault


def _generator(name: Any, state: Any) -> np.random.Generator:
    try:
        if not _GENERATORS[name](state):
            raise ValueError(name)
        bits = getattr(np.random, name)()
        bits.state = state
    except Exception as fault:
        raise AnswerError("a random generator arrived in a form that none has") from fault
    return np.random.Generator(bits)


def changeable_in(arguments: Any, depth: int = 0) -> Iterator[Any]:
    """What a function could leave something in: arrays, tensors, lists and dicts, in an order."""
    if type(arguments) in (list, dict) or type(arguments) is np.ndarray or is_tensor(arguments):
        yield arguments
    if type(arguments) in (list, tuple, dict) and depth < _DEEPEST:
        for one in list(arguments.values() if type(arguments) is dict else arguments):
            yield from changeable_in(one, depth + 1)


def write_back(mine: Any, theirs: Any) -> None:
    """Have in an argument what was left in it elsewhere; another form is passed over.

    >>> mine = [3, [1.5], 2]
    >>> write_back(mine, [2, [1.5], 3]); mine
    [2, [1.5], 3]
    """
    if type(mine) is type(theirs) is list:
        _write_list(mine, theirs)
    elif type(mine) is type(theirs) is dict:
        _write_dict(mine, theirs)
    elif getattr(mine, "shape", None) != getattr(theirs, "shape", None):
        return
    elif is_tensor(mine) and is_tensor(theirs) and mine.dtype == theirs.dtype:
        mine.detach().copy_(theirs)
    elif type(mine) is type(theirs) is np.ndarray and mine.flags.writeable:
        mine[...] = theirs.astype(mine.dtype, copy=False)


def _write_list(mine: list, theirs: list) -> None:
    """Item by item, so that what is as it was stays the same object."""
    if len(mine) != len(theirs):
        mine[:] = theirs
        return
    for at, (old, new) in enumerate(zip(mine, theirs, strict=True)):
        if _is_within(old, new):
            write_back(old, new)
        elif not _is_equal(old, new):
            mine[at] = new


def _write_dict(mine: dict, theirs: dict) -> None:
    if list(mine) != list(theirs):
        mine.clear()
        mine.update(theirs)
        return
    for key, new in theirs.items():
        if _is_within(mine[key], new):
            write_back(mine[key], new)
        elif not _is_equal(mine[key], new):
            mine[key] = new


def _is_within(old: Any, new: Any) -> bool:
    """Whether something is written into it, and not put in its place."""
    if type(old) is not type(new):
        return False
    is_array = type(old) is np.ndarray or is_tensor(old)
    return type(old) in (list, dict) or (is_array and old.shape == new.shape)


def _is_equal(old: Any, new: Any) -> bool:
    """Whether it is the same; of what is neither a number nor a text, the same object."""
    if old is new or type(old) is not type(new):
        return old is new
    if isinstance(old, tuple):
        return len(old) == len(new) and all(map(_is_equal, old, new))
    if not (isinstance(old, _COMPARED) or is_tensor(old)):
        return False
    try:
        return bool(old == new or (old != old and new != new))
    except (ValueError, TypeError, RuntimeError):  # arrays of several elements
        return False
