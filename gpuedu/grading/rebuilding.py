"""What a learner's function returned, and what it left in its arguments, rebuilt.

The other side of ``gpuedu.grading.describing``; what arrives is from a process that is not trusted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.grading.describing import BYTES, CONTAINERS, DEEPEST, MOST_DIGITS, SETS, Again
from gpuedu.grading.parts import another, has_parts, is_equal, is_tensor, parts_of, put_part
from gpuedu.grading.wire import may_share_hash

_MOST_BYTES = 64 * 2**20
_MOST_NUMBERS = 129
"""Sides, steps and an offset of a tensor of 64 dimensions, which is the most that PyTorch has."""
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


def rebuild(encoded: Any) -> Any:
    """The value that was described.

    Raises:
        AnswerError: nothing is described like that, or it would take too long.

    >>> from gpuedu.grading.describing import describe
    >>> rebuild(describe([np.float32(2.5), {"a": (1, None)}]))
    [np.float32(2.5), {'a': (1, None)}]
    """
    return Rebuilding().value(encoded)


class _Key:
    """Stands for a key that has no form."""


_HASHED = (tuple, bytes, complex, frozenset)
_KEYS = (str, bool, float, int, type(None), *_HASHED, _Key)


class Rebuilding:
    """Values that belong together, on their way back; what takes long to make is counted.

    Args:
        found: the objects that are known here, by number.
        made: returns the tensor with a number, which operations made here.
    """

    def __init__(self, found: Sequence[Any] = (), made: Callable[[Any], Any] | None = None) -> None:
        self._made = made
        self._found = list(found)
        self._new: list[Any] = []
        self._costly = self._bytes = 0
        self._again = Again()

    def value(self, encoded: Any) -> Any:
        """The value that was described.

        Raises:
            AnswerError: nothing is described like that, or it would take too long.
        """
        self._costly = 0
        return self._value(encoded, 0)

    def _value(self, encoded: Any, depth: int) -> Any:
        if (
            type(encoded) is not list
            or len(encoded) < 2
            or type(encoded[0]) is not str
            or depth > DEEPEST
        ):
            raise AnswerError("a result arrived in an unknown form")
        kind, inside, *more = encoded
        if kind == "plain":
            return inside
        if kind == "known":
            return self._known(inside)
        if kind in CONTAINERS and type(inside) is list:
            return CONTAINERS[kind](self._value(one, depth + 1) for one in inside)
        if kind == "dict" and type(inside) is list:
            return {key: self._value(one, depth + 1) for key, one in map(self._pair, inside)}
        if kind in SETS and type(inside) is list:
            return SETS[kind]([self._pair([one, None])[0] for one in inside])
        return self._costly_one(kind, inside, more, depth)

    def _known(self, number: Any) -> Any:
        found = self._object(number)
        self._count(is_tensor(found) or type(found) is np.ndarray)
        self._weigh(getattr(found, "nbytes", 0))
        if not self._again.allows(number, found):
            raise AnswerError("a result has the same list in it too often")
        return found

    def _weigh(self, nbytes: int) -> None:
        """Count memory that a result has without sending it."""
        self._bytes += nbytes
        if self._bytes > _MOST_BYTES:
            raise AnswerError("a result has too much of its arguments in it")

    def _pair(self, encoded: Any) -> list:
        if type(encoded) is not list or len(encoded) != 2:
            raise AnswerError("a result arrived in an unknown form")
        key, one = encoded
        if type(key) is list:
            key = self._key(self._value(key, DEEPEST))
        self._count(may_share_hash(key))
        if type(key) not in _KEYS:
            raise AnswerError("a result arrived in an unknown form")
        return [key, one]

    def _key(self, found: Any) -> Any:
        """A key that was no plain one: itself if it is a tuple or the like, else one of its own."""
        self._count(True)
        try:
            hash(found)
        except TypeError:
            return _Key()
        return found if type(found) in _HASHED else _Key()

    def _count(self, is_costly: bool) -> None:
        self._costly += is_costly
        if self._costly > _MOST_COSTLY:
            raise AnswerError("a result has too many values that are not plain")

    def _costly_one(self, kind: str, inside: Any, more: list, depth: int) -> Any:
        self._count(True)
        if kind == "made" and len(more) in (0, 3) and self._made is not None:
            found = self._made(inside)
            return self._tensor(found.detach() if more else found, more, depth)
        if kind == "tensor" and len(more) in (2, 5):
            return self._tensor(tensor_of(inside, *more[:2]), more[2:], depth)
        if kind == "view" and len(more) in (3, 6):
            return self._tensor(self._view(self._object(inside), *more[:3]), more[3:], depth)
        if kind == "like" and len(more) == 1 and type(more[0]) is dict:
            return self._like(self._object(inside), more[0], depth)
        if kind == "generator" and len(more) == 1:
            return _generator(inside, *more)
        if kind in ("Fraction", "Decimal") and type(inside) is str:
            return _exact(kind, inside)
        if kind in BYTES:
            return _bytes(kind, inside)
        if kind == "dtype":
            return _dtype(inside)
        if kind == "complex" and type(inside) is list and list(map(type, inside)) == [float] * 2:
            return complex(*inside)
        if kind == "other" and type(inside) is str:
            return type(inside[:60] or "object", (), {})()
        raise AnswerError("a result arrived in an unknown form")

    def _object(self, number: Any) -> Any:
        if type(number) is not int or not -len(self._new) <= number < len(self._found):
            raise AnswerError("a result has an unknown object in it")
        return self._found[number] if number >= 0 else self._new[-1 - number]

    def _view(self, base: Any, shape: Any, strides: Any, offset: Any) -> Any:
        numbers = [*shape, *strides, offset] if type(shape) is type(strides) is list else [None]
        if not is_tensor(base) or len(numbers) > _MOST_NUMBERS or not all(map(_is_side, numbers)):
            raise AnswerError("a tensor arrived in an unknown form")
        self._weigh(math.prod(shape) * base.element_size())
        try:
            # PyTorch does not ask where a tensor without elements begins.
            if offset * base.element_size() > base.untyped_storage().nbytes():
                raise ValueError(offset)
            return base.detach().as_strided(shape, strides, offset)
        except (RuntimeError, TypeError, ValueError) as fault:
            raise AnswerError("a tensor arrived in an unknown form") from fault

    def _tensor(self, made: Any, more: list, depth: int) -> Any:
        """A new tensor with what else is told of it: whether it is a parameter, and gradients."""
        needs_grad, is_parameter, grad = more or (False, False, None)
        if not type(needs_grad) is type(is_parameter) is bool:
            raise AnswerError("a tensor arrived in an unknown form")
        try:
            if is_parameter:
                from torch.nn import Parameter

                made = Parameter(made, requires_grad=needs_grad)
            elif needs_grad:
                made.requires_grad_()
        except RuntimeError as fault:
            raise AnswerError("a tensor arrived in an unknown form") from fault
        self._new.append(made)
        if grad is not None and (found := self._value(grad, depth + 1)) is not None:
            put_part(made, "grad", found)
        return made

    def _like(self, base: Any, parts: dict, depth: int) -> Any:
        if not has_parts(base) or list(parts) != list(parts_of(base)):
            raise AnswerError("an object arrived in an unknown form")
        made = another(base)
        self._new.append(made)
        for name, one in parts.items():
            put_part(made, name, self._value(one, depth + 1))
        return made


def _is_side(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**40


def _exact(kind: str, written: str) -> Fraction | Decimal:
    try:
        if len(written) >= MOST_DIGITS:
            raise ValueError(written)
        return Decimal(written) if kind == "Decimal" else Fraction(*map(int, written.split("/")))
    except (ValueError, TypeError, ZeroDivisionError, InvalidOperation) as fault:
        raise AnswerError("a number arrived in an unknown form") from fault


def _bytes(kind: str, raw: Any) -> bytes | bytearray:
    if not (type(raw) is np.ndarray and raw.dtype == np.uint8 and raw.ndim == 1):
        raise AnswerError("a string of bytes arrived in an unknown form")
    return BYTES[kind](raw.tobytes())


def _generator(name: Any, state: Any) -> np.random.Generator:
    try:
        if not _GENERATORS[name](state):
            raise ValueError(name)
        bits = getattr(np.random, name)()
        bits.state = state
    except Exception as fault:
        raise AnswerError("a random generator arrived in an unknown form") from fault
    return np.random.Generator(bits)


def tensor_of(name: Any, shape: Any, raw: Any) -> Any:
    """The tensor with these parts.

    Raises:
        AnswerError: there is none.
    """
    import torch

    dtype = _dtype(name)
    is_raw = type(raw) is np.ndarray and raw.dtype == np.uint8 and raw.ndim == 1
    if not (is_raw and type(shape) is list):
        raise AnswerError("a tensor arrived in an unknown form")
    try:
        return torch.from_numpy(raw).view(dtype).reshape(shape)
    except (RuntimeError, TypeError) as fault:
        raise AnswerError("a tensor arrived in an unknown form") from fault


def _dtype(name: Any) -> Any:
    """PyTorch's dtype of this name."""
    import torch

    found = vars(torch).get(name) if type(name) is str else None  # `getattr` imports what it finds
    if not isinstance(found, torch.dtype):
        raise AnswerError("a dtype arrived that PyTorch does not have")
    return found


def write_back(mine: Any, theirs: Any) -> None:
    """Put into an argument what was left in it elsewhere; any other form is skipped.

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
        elif not is_equal(old, new):
            mine[at] = new


def _write_dict(mine: dict, theirs: dict) -> None:
    if list(mine) != list(theirs):
        mine.clear()
        mine.update(theirs)
        return
    for key, new in theirs.items():
        if _is_within(mine[key], new):
            write_back(mine[key], new)
        elif not is_equal(mine[key], new):
            mine[key] = new


def _is_within(old: Any, new: Any) -> bool:
    """Whether something is written into it, and not put in its place."""
    if type(old) is not type(new):
        return False
    is_array = type(old) is np.ndarray or is_tensor(old)
    return type(old) in (list, dict) or (is_array and old.shape == new.shape)
