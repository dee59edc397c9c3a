"""Values: pure expressions over slots, and what a kernel knows about an array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.trace import Space

BOOL = np.dtype(np.bool_)
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)
FLOAT64 = np.dtype(np.float64)


class Expression:
    """A pure value with a ``dtype``."""

    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Const(Expression):
    """A number known when the kernel is compiled; ``value`` is a NumPy scalar."""

    value: np.generic

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        """The scalar's dtype."""
        return self.value.dtype


@dataclass(frozen=True, eq=False)
class Slot(Expression):
    """A named value of each thread."""

    name: str
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Special(Expression):
    """A value that the launch gives each thread, such as ``tx`` or ``grid_x``."""

    name: str
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Extent(Expression):
    """The length of an array along ``axis``, int64; ``axis`` may be -1 for its element count."""

    array: ArraySlot
    axis: int
    dtype: np.dtype = INT64


@dataclass(frozen=True, eq=False)
class Stride(Expression):
    """The stride of an array along ``axis`` in bytes, int64."""

    array: ArraySlot
    axis: int
    dtype: np.dtype = INT64


@dataclass(frozen=True, eq=False)
class Cast(Expression):
    """A conversion to ``dtype``."""

    value: Expression
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Unary(Expression):
    """``-``, ``~`` or ``not`` on an operand that already has the dtype Numba computes in."""

    operator: str
    value: Expression
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Binary(Expression):
    """An operator on operands that already have the dtype Numba computes in."""

    operator: str
    left: Expression
    right: Expression
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Select(Expression):
    """``then`` where ``condition`` holds, ``orelse`` elsewhere; both are computed."""

    condition: Expression
    then: Expression
    orelse: Expression
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Call(Expression):
    """A pure function by its name in ``gpuedu.simt.intrinsics``; ``item`` picks from a tuple."""

    function: str
    arguments: tuple[Expression, ...]
    dtype: np.dtype
    item: int | None = None


@dataclass(frozen=True, eq=False)
class Part(Expression):
    """A field of a record."""

    record: Expression
    name: str
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Record(Expression):
    """A record made of its fields, in the order of ``dtype.names``."""

    items: tuple[Expression, ...]
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class ArrayType:
    """What a kernel knows about an array: element dtype (may be structured), dimensions, memory."""

    dtype: np.dtype
    ndim: int
    space: Space
    readonly: bool = False


@dataclass(frozen=True, eq=False)
class ArraySlot:
    """A named view of memory."""

    name: str
    type: ArrayType


def name_in_source(slot_name: str) -> str:
    """The name in the source that a slot was made for: each slot adds a number to it.

    >>> name_in_source("row_sum_12")
    'row_sum'
    """
    return slot_name.rpartition("_")[0] or slot_name


@dataclass(frozen=True)
class Axis:
    """One dimension of a sub-view: a slice, with None for what was left out."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None
