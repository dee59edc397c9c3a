"""What a name in a kernel can stand for while the kernel is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.simt.program import ArraySlot, Expression


class Value:
    """Something that a name or an expression stands for."""


@dataclass(frozen=True, eq=False)
class Scalar(Value):
    """A number of each thread; ``literal`` is its int if the source spells it out."""

    expression: Expression
    literal: int | None = None

    @property
    def dtype(self) -> np.dtype:
        """The number's type."""
        return self.expression.dtype


@dataclass(frozen=True, eq=False)
class Array(Value):
    """A view of memory; one without dimensions is a record of a structured array."""

    slot: ArraySlot


@dataclass(frozen=True, eq=False)
class Tuple(Value):
    """Several values together; ``names`` are those of a named tuple's fields."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Optional(Value):
    """A number, or None: ``there`` says for which threads it is a number."""

    number: Scalar
    there: Scalar


@dataclass(frozen=True, eq=False)
class Static(Value):
    """A Python object known when the kernel is compiled: a module, function, type, text, None."""

    object: Any


Kind = tuple
"""A description of a value's type that two values share when a slot could hold both."""


def kind_of(value: Value) -> Kind:
    """The kind of a value: what must agree for two values to meet in one name.

    >>> from gpuedu.simt.program import Const
    >>> kind_of(Scalar(Const(np.float32(1))))
    ('scalar', dtype('float32'))
    """
    match value:
        case Scalar():
            return ("scalar", value.dtype)
        case Array(slot):
            return ("array", slot.type.dtype, slot.type.ndim, slot.type.space, slot.type.readonly)
        case Tuple(items, names):
            return ("tuple", tuple(kind_of(item) for item in items), names)
        case Optional(number):
            return ("optional", number.dtype)
        case Static(thing):
            return ("static", _StaticKey(thing))
    raise TypeError(value)


@dataclass(frozen=True)
class _StaticKey:
    """Equal objects are one kind; what cannot be compared is compared by identity."""

    object: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _StaticKey):
            return NotImplemented
        mine, theirs = self.object, other.object
        return mine is theirs or (
            type(mine) is type(theirs) and isinstance(mine, str) and mine == theirs
        )

    def __hash__(self) -> int:
        return 0


def leaves(value: Value) -> Iterator[Expression | ArraySlot]:
    """The expressions and array slots inside a value, in order."""
    match value:
        case Scalar(expression):
            yield expression
        case Array(slot):
            yield slot
        case Tuple(items):
            for item in items:
                yield from leaves(item)
        case Optional(number, there):
            yield from (number.expression, there.expression)


def numba_name(value: Value) -> str | None:
    """Numba's name for a scalar's type; None for other values.

    >>> from gpuedu.simt.program import Const
    >>> numba_name(Scalar(Const(np.int64(1))))
    'int64'
    """
    return value.dtype.name if isinstance(value, Scalar) else None
