"""What a learner's function gave, and what it left in its arguments, as plain values and back.

A message has a value as a list that begins with what it is. What has no form is told as its type:
whoever looks at it finds something of that name, and nothing in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.grading.parts import (
    another,
    has_parts,
    is_alike,
    is_equal,
    is_tensor,
    parts_of,
    put_part,
)
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
_SETS = {"set": set, "frozenset": frozenset}
_BYTES = {"bytes": bytes, "bytearray": bytearray}
_MOST_DIGITS = 1_000
"""Of a number that is told as it is written."""
_MOST_AGAIN = 8
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


def describe(value: Any) -> list:
    """A value as a message has it; never raises.

    >>> describe((1.5, "a")), describe(object())
    (['plain', (1.5, 'a')], ['other', 'object'])
    """
    return Describing().value(value)


def plainly(value: Any) -> Any:
    """The same with exact types, as ``gpuedu.exercises.plain`` reads them where a notebook checks.

    A named tuple is a tuple, a member of an enumeration of texts a text, an ordered dict a dict.

    >>> from collections import namedtuple
    >>> plainly([namedtuple("Pair", "a b")(1, 2.5), range(2)])
    [(1, 2.5), [0, 1]]
    """
    return Describing().plainly(value)


class Describing:
    """Tells values that belong together: objects that are known there already, by their numbers.

    Each new tensor, and each new object with parts, gets the next number below zero: told again, it
    is the same one.

    Args:
        found: the objects that are known; see ``gpuedu.grading.objects``.
        opaque: gets the objects that have no form, by their ``id``.
        number_made: gives the number of a tensor that operations made, which are told, too.
    """

    def __init__(
        self,
        found: Sequence[Any] = (),
        opaque: dict[int, Any] | None = None,
        number_made: Callable[[Any], int] | None = None,
    ) -> None:
        self._number_made = number_made
        self._found = list(found)
        self._opaque = {} if opaque is None else opaque
        self._new: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._bases: dict[int, int] = {}
        self._again = _Again()
        for number, one in enumerate(self._found):
            self._know(number, one)

    def value(self, value: Any) -> list:
        """A value as a message has it; never raises."""
        return self._told(self.plainly(value), 0)

    def inside(self, value: Any) -> list:
        """The same of what is in a known list, dict, array or tensor."""
        try:
            if is_tensor(value) and self._number_made is not None:
                return ["made", self._number_made(value)]
            if is_tensor(value):
                told = ["tensor", *tensor_parts(value)]
                self._add(value, has_all=_fills_its_memory(value))
                return told
            plain = self._base_plainly(value, 0) if isinstance(value, (list, dict)) else value
            return self._describe(plain, 0)
        except Exception:
            return self._other(value)

    def plainly(self, value: Any, depth: int = 0) -> Any:
        """See the function of this name; what has a number stays the object that it is."""
        try:
            return value if id(value) in self._numbers else self._plainly(value, depth)
        except Exception:  # whatever its own methods raise: it stays what it is
            return value

    def _plainly(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in (*_LEAVES, int) or isinstance(value, (np.ndarray, np.generic)):
            return value
        if is_tensor(value):
            return value
        for base, read in _READ.items():
            if isinstance(value, base):
                return read(value)
        if kind is range and not value[_MOST_ITEMS:]:
            return list(value)
        return value if depth >= _DEEPEST else self._base_plainly(value, depth)

    def _base_plainly(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            pairs = dict.items(value)
            return {self.plainly(key): self.plainly(one, depth + 1) for key, one in pairs}
        for base in _CONTAINERS.values():
            if isinstance(value, base):
                return base(self.plainly(one, depth + 1) for one in base.__iter__(value))
        return value

    def _add(self, value: Any, *, has_all: bool = True) -> None:
        """Give a new object the next number.

        Others can be told as views of a tensor where whoever is told ``has_all`` of its memory.
        """
        self._new.append(value)
        self._know(-len(self._new), value, has_all)

    def _know(self, number: int, value: Any, has_all: bool = True) -> None:
        self._numbers.setdefault(id(value), number)
        if is_tensor(value) and has_all and (place := _place_in_memory(value)):
            self._bases.setdefault(place, number)

    def _object(self, number: int) -> Any:
        return self._found[number] if number >= 0 else self._new[-1 - number]

    def _forget(self, count: int) -> None:
        """Take numbers back, of what could not be told to its end."""
        for one in self._new[count:]:
            self._numbers.pop(id(one), None)
        del self._new[count:]
        self._bases = {at: number for at, number in self._bases.items() if number >= -count}

    def _told(self, value: Any, depth: int) -> list:
        count = len(self._new)
        try:
            number = self._numbers.get(id(value))
            if number is not None and self._again.allows(number, value):
                return ["known", number]
            return self._describe(value, depth)
        except Exception:  # whatever its own methods raise: it has no form
            self._forget(count)
            return self._other(value)

    def _describe(self, value: Any, depth: int) -> list:
        if is_tensor(value):
            return self._tensor(value, depth)
        if isinstance(value, np.random.Generator):
            bits = value.bit_generator
            return ["generator", type(bits).__name__, bits.state]
        if type(value) in _EXACT and len(written := str(value)) < _MOST_DIGITS:
            return [type(value).__name__, written]
        if type(value) in _BYTES.values():
            return [type(value).__name__, np.frombuffer(value, np.uint8)]
        if type(value) is complex:
            return ["complex", [value.real, value.imag]]
        if type(value) in _SETS.values():
            return [type(value).__name__, [self._key(one) for one in value]]
        if self._is_plain(value, 2 * depth):
            return ["plain", value]
        if depth < _DEEPEST and type(value) in (list, tuple):
            return [type(value).__name__, [self._told(one, depth + 1) for one in value]]
        if depth < _DEEPEST and type(value) is dict:
            pairs = [[self._key(key), self._told(one, depth + 1)] for key, one in value.items()]
            return ["dict", pairs]
        if depth < _DEEPEST and has_parts(value):
            return self._like(value, depth)
        return self._other(value)

    def _key(self, key: Any) -> Any:
        """A key that a message takes, or a list that begins with what it is."""
        return key if _is_key(key) else self._told(key, _DEEPEST)

    def _tensor(self, value: Any, depth: int) -> list:
        import torch

        base = self._bases.get(_place_in_memory(value))
        is_view = base is not None and _is_view(value, self._object(base))
        if self._number_made is not None:
            told = ["made", self._number_made(value)]
        elif is_view:
            place = list(value.shape), list(value.stride()), value.storage_offset()
            told = ["view", base, *place]
        else:
            told = ["tensor", *tensor_parts(value)]
        self._add(value, has_all=is_view or _fills_its_memory(value))
        grad = value.grad if value.is_leaf else None
        is_parameter = isinstance(value, torch.nn.Parameter)
        if value.requires_grad or is_parameter or grad is not None:
            told += [bool(value.requires_grad), is_parameter, self._told(grad, depth + 1)]
        return told

    def _like(self, value: Any, depth: int) -> list:
        """An object by one of its kind that is known, and its own parts."""
        kin = (at for at, one in enumerate(self._found) if has_parts(one) and is_alike(one, value))
        number = next(kin, None)
        if number is None:
            return self._other(value)
        self._add(value)
        parts = {
            name: self._told(self.plainly(one), depth + 1) for name, one in parts_of(value).items()
        }
        return ["like", number, parts]

    def _is_plain(self, value: Any, depth: int) -> bool:
        """True if a message takes it as it is, and nothing in it has a number."""
        kind = type(value)
        if kind in (list, tuple):
            inside = value
        elif kind is dict:
            if not all(map(_is_key, value)):
                return False
            inside = value.values()
        elif kind is np.ndarray or issubclass(kind, np.generic):
            return value.dtype.kind in _KINDS
        else:
            return _is_key(value)
        return depth < _DEEPEST_PLAIN and all(
            id(one) not in self._numbers and self._is_plain(one, depth + 1) for one in inside
        )

    def _other(self, value: Any) -> list:
        self._opaque[id(value)] = value
        return ["other", str(type(value).__name__)[:60]]


class _Again:
    """Counts how often lists and the like are told by number a second time.

    More than a few times in each other would be more than anybody gets through.
    """

    def __init__(self) -> None:
        self._told: set[int] = set()
        self._count = 0

    def allows(self, number: int, value: Any) -> bool:
        if is_tensor(value) or type(value) is np.ndarray:
            return True
        self._count += number in self._told
        self._told.add(number)
        return self._count <= _MOST_AGAIN


def _place_in_memory(tensor: Any) -> int:
    """Where its memory begins; 0 where it has none."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):  # of a layout that has no memory of its own
        return 0


def _fills_its_memory(tensor: Any) -> bool:
    """Whether its elements, in their order, are all that is in its memory."""
    size_bytes = tensor.numel() * tensor.element_size()
    return tensor.is_contiguous() and size_bytes == tensor.untyped_storage().nbytes()


def _is_view(tensor: Any, base: Any) -> bool:
    """Whether it can be told by where it lies in the memory of another."""
    strides = zip(tensor.shape, tensor.stride(), strict=True)
    return (
        tensor.dtype == base.dtype
        and tensor.numel() > 0
        and all(side == 1 or step > 0 for side, step in strides)
    )


def _is_key(value: Any) -> bool:
    kind = type(value)
    return kind in _LEAVES or (kind is int and value.bit_length() < _MOST_BITS)


def tensor_parts(tensor: Any) -> tuple[str, list[int], np.ndarray]:
    """Name of its dtype, its shape, and its bytes."""
    import torch

    # `contiguous` leaves the stride of a single element as it is, and `view` asks for 1.
    apart = tensor.detach().clone(memory_format=torch.contiguous_format)
    raw = apart.reshape(-1).view(torch.uint8).numpy()
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
    return Rebuilding().value(encoded)


class _Key:
    """Stands for a key that has no form."""


_HASHED = (tuple, bytes, complex, frozenset)
_KEYS = (*_LEAVES, int, *_HASHED, _Key)


class Rebuilding:
    """Values that belong together on their way back; what takes long to make is counted.

    Args:
        found: the objects that are known here, by number.
        made: gives the tensor of a number, which operations made here.
    """

    def __init__(self, found: Sequence[Any] = (), made: Callable[[Any], Any] | None = None) -> None:
        self._made = made
        self._found = list(found)
        self._new: list[Any] = []
        self._costly = self._bytes = 0
        self._again = _Again()

    def value(self, encoded: Any) -> Any:
        """The value that was described.

        Raises:
            AnswerError: nothing is described so, or more than is worth the time it takes.
        """
        self._costly = 0
        return self._value(encoded, 0)

    def _value(self, encoded: Any, depth: int) -> Any:
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
        if kind == "known":
            return self._known(inside)
        if kind in _CONTAINERS and type(inside) is list:
            return _CONTAINERS[kind](self._value(one, depth + 1) for one in inside)
        if kind == "dict" and type(inside) is list:
            return {key: self._value(one, depth + 1) for key, one in map(self._pair, inside)}
        if kind in _SETS and type(inside) is list:
            return _SETS[kind]([self._pair([one, None])[0] for one in inside])
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
            raise AnswerError("a result arrived in a form that none has")
        key, one = encoded
        if type(key) is list:
            key = self._key(self._value(key, _DEEPEST))
        self._count(may_share_hash(key))
        if type(key) not in _KEYS:
            raise AnswerError("a result arrived in a form that none has")
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
        if kind in _BYTES:
            return _bytes(kind, inside)
        if kind == "complex" and type(inside) is list and list(map(type, inside)) == [float] * 2:
            return complex(*inside)
        if kind == "other" and type(inside) is str:
            return type(inside[:60] or "object", (), {})()
        raise AnswerError("a result arrived in a form that none has")

    def _object(self, number: Any) -> Any:
        if type(number) is not int or not -len(self._new) <= number < len(self._found):
            raise AnswerError("a result has an object in it that nobody knows")
        return self._found[number] if number >= 0 else self._new[-1 - number]

    def _view(self, base: Any, shape: Any, strides: Any, offset: Any) -> Any:
        numbers = [*shape, *strides, offset] if type(shape) is type(strides) is list else [None]
        if not is_tensor(base) or len(numbers) > _MOST_NUMBERS or not all(map(_is_side, numbers)):
            raise AnswerError("a tensor arrived in a form that none has")
        self._weigh(math.prod(shape) * base.element_size())
        try:
            return base.detach().as_strided(shape, strides, offset)
        except (RuntimeError, TypeError, ValueError) as fault:
            raise AnswerError("a tensor arrived in a form that none has") from fault

    def _tensor(self, made: Any, more: list, depth: int) -> Any:
        """A new tensor with what else is told of it: whether it is a parameter, and gradients."""
        needs_grad, is_parameter, grad = more or (False, False, None)
        if not type(needs_grad) is type(is_parameter) is bool:
            raise AnswerError("a tensor arrived in a form that none has")
        try:
            if is_parameter:
                from torch.nn import Parameter

                made = Parameter(made, requires_grad=needs_grad)
            elif needs_grad:
                made.requires_grad_()
        except RuntimeError as fault:
            raise AnswerError("a tensor arrived in a form that none has") from fault
        self._new.append(made)
        if grad is not None and (found := self._value(grad, depth + 1)) is not None:
            put_part(made, "grad", found)
        return made

    def _like(self, base: Any, parts: dict, depth: int) -> Any:
        if not has_parts(base) or list(parts) != list(parts_of(base)):
            raise AnswerError("an object arrived in a form that none has")
        made = another(base)
        self._new.append(made)
        for name, one in parts.items():
            put_part(made, name, self._value(one, depth + 1))
        return made


def _is_side(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**40


def _exact(kind: str, written: str) -> Fraction | Decimal:
    try:
        if len(written) >= _MOST_DIGITS:
            raise ValueError(written)
        return Decimal(written) if kind == "Decimal" else Fraction(*map(int, written.split("/")))
    except (ValueError, TypeError, ZeroDivisionError, InvalidOperation) as fault:
        raise AnswerError("a number arrived in a form that none has") from fault


def _bytes(kind: str, raw: Any) -> bytes | bytearray:
    if not (type(raw) is np.ndarray and raw.dtype == np.uint8 and raw.ndim == 1):
        raise AnswerError("a text of bytes arrived in a form that none has")
    return _BYTES[kind](raw.tobytes())


def _generator(name: Any, state: Any) -> np.random.Generator:
    try:
        if not _GENERATORS[name](state):
            raise ValueError(name)
        bits = getattr(np.random, name)()
        bits.state = state
    except Exception as fault:
        raise AnswerError("a random generator arrived in a form that none has") from fault
    return np.random.Generator(bits)


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
