"""What a learner's function returned, and what it left in its arguments, as plain values.

A message holds a value as a list that begins with its kind. What has no form is described by its
type: on the other side there is something of that name, with nothing in it.
``gpuedu.grading.rebuilding`` puts values together again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.grading.parts import (
    has_parts,
    is_alike,
    is_dtype,
    is_tensor,
    parts_of,
)

DEEPEST = 12
_DEEPEST_PLAIN = 30
"""Containers in each other, and those of which nothing has to be told; a message has a limit."""
CONTAINERS = {"list": list, "tuple": tuple}
_LEAVES = (str, bool, float, type(None))
_READ = {str: str.__str__, int: int.__int__, float: float.__float__}
_MOST_ITEMS = 1_000_000
_KINDS = "biufcUS"
_MOST_BITS = 4_000
"""Of a whole number: beyond it Python takes long to write it, or refuses to."""
_EXACT = (Fraction, Decimal)
SETS = {"set": set, "frozenset": frozenset}
BYTES = {"bytes": bytes, "bytearray": bytearray}
MOST_DIGITS = 1_000
"""Of a number that is written out."""
_MOST_AGAIN = 8


def describe(value: Any) -> list:
    """A value in a message's form; never raises.

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
    """Describes values that belong together; objects that are already known there, by number.

    Each new tensor, and each new object with parts, gets the next number below zero: described
    again, it is the same one.

    Args:
        found: the objects that are known; see ``gpuedu.grading.objects``.
        opaque: gets the objects that are described only by type, by their ``id``.
        number_made: returns the number of a tensor that operations made, which are described too.
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
        self._again = Again()
        for number, one in enumerate(self._found):
            self._know(number, one)

    def value(self, value: Any) -> list:
        """A value in a message's form; never raises."""
        return self._told(self.plainly(value), 0)

    def inside(self, value: Any) -> list:
        """The same for what is in a known list, dict, array or tensor."""
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
            return self.opaque(value)

    def opaque(self, value: Any) -> list:
        """What has no form, or does not matter: as its type."""
        self._opaque[id(value)] = value
        return ["other", str(type(value).__name__)[:60]]

    def plainly(self, value: Any, depth: int = 0) -> Any:
        """See the function of this name; what has a number stays the same object."""
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
        return value if depth >= DEEPEST else self._base_plainly(value, depth)

    def _base_plainly(self, value: Any, depth: int) -> Any:
        if isinstance(value, dict):
            pairs = dict.items(value)
            return {self._plain_key(key): self.plainly(one, depth + 1) for key, one in pairs}
        for base in CONTAINERS.values():
            if isinstance(value, base):
                return base(self.plainly(one, depth + 1) for one in base.__iter__(value))
        return value

    def _plain_key(self, key: Any) -> Any:
        """What finds the same as the key: Python's own number or text for one of NumPy's."""
        return self.plainly(key.item() if isinstance(key, np.generic) else key)

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
            return self.opaque(value)

    def _describe(self, value: Any, depth: int) -> list:
        if is_tensor(value):
            return self._tensor(value, depth)
        if is_dtype(value):
            return ["dtype", str(value).removeprefix("torch.")]
        if isinstance(value, np.random.Generator):
            bits = value.bit_generator
            return ["generator", type(bits).__name__, bits.state]
        if type(value) in _EXACT and len(written := str(value)) < MOST_DIGITS:
            return [type(value).__name__, written]
        if type(value) in BYTES.values():
            return [type(value).__name__, np.frombuffer(value, np.uint8)]
        if type(value) is complex:
            return ["complex", [value.real, value.imag]]
        if type(value) in SETS.values():
            return [type(value).__name__, [self._key(one) for one in value]]
        if self._is_plain(value, 2 * depth):
            return ["plain", value]
        if depth < DEEPEST and type(value) in (list, tuple):
            return [type(value).__name__, [self._told(one, depth + 1) for one in value]]
        if depth < DEEPEST and type(value) is dict:
            pairs = [[self._key(key), self._told(one, depth + 1)] for key, one in value.items()]
            return ["dict", pairs]
        if depth < DEEPEST and has_parts(value):
            return self._like(value, depth)
        return self.opaque(value)

    def _key(self, key: Any) -> Any:
        """A key that a message takes, or a list that begins with what it is."""
        return key if _is_key(key) else self._told(key, DEEPEST)

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
            return self.opaque(value)
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


class Again:
    """Counts how often lists and the like are described by number a second time.

    Nested more than a few times, they would be too much to process.
    """

    def __init__(self) -> None:
        self._told: set[int] = set()
        self._count = 0

    def allows(self, number: int, value: Any) -> bool:
        """Whether this may be described, or found, by this number once more."""
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
    """The name of its dtype, its shape, and its bytes."""
    import torch

    # `contiguous` leaves the stride of a single element as it is, and `view` asks for 1.
    apart = tensor.detach().clone(memory_format=torch.contiguous_format)
    raw = apart.reshape(-1).view(torch.uint8).numpy()
    return str(tensor.dtype).removeprefix("torch."), list(tensor.shape), raw
