"""The program form: what a kernel is between its front end and the machine.

Both front ends (Python kernels, CUDA C kernels) end here. A program is typed and structured: values
are pure expressions over slots, everything that touches memory or other threads is a statement, and
control flow is a tree. Slots are assigned once, but for the slots that a loop carries and the
results of an inlined function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from gpuedu.trace import Finding, Place, Source, Space

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
    """``then`` where ``condition`` holds, else ``orelse``; both are computed."""

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


@dataclass(frozen=True)
class Axis:
    """One dimension of a sub-view: a slice, with None for what was left out."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None


class Statement:
    """Something that happens in order."""


@dataclass(eq=False)
class Mark(Statement):
    """A line of the source begins here."""

    place: Place


@dataclass(eq=False)
class Set(Statement):
    """A slot gets a value."""

    slot: Slot
    value: Expression


@dataclass(eq=False)
class SetArray(Statement):
    """An array slot becomes a view of another.

    ``parts`` are integers (expressions), which drop a dimension, and ``Axis`` slices; ``field``
    names a field of a structured dtype; ``shape`` reshapes a contiguous view.
    """

    slot: ArraySlot
    base: ArraySlot
    parts: tuple[Expression | Axis, ...] = ()
    field: str | None = None
    shape: tuple[Expression, ...] | None = None


@dataclass(eq=False)
class Retype(Statement):
    """An array slot becomes the memory of another, of one dimension, as elements of its own type.

    ``at`` is the element of ``base`` that is about to be meant; it must lie on a multiple of the
    new element's size.
    """

    slot: ArraySlot
    base: ArraySlot
    at: Expression
    place: Place


@dataclass(eq=False)
class Load(Statement):
    """Read one element per thread. ``site`` counts in ``Program.sites``."""

    slot: Slot
    array: ArraySlot
    index: tuple[Expression, ...]
    site: int


@dataclass(eq=False)
class Store(Statement):
    """Write one element per thread."""

    array: ArraySlot
    index: tuple[Expression, ...]
    value: Expression
    site: int


@dataclass(eq=False)
class Fill(Statement):
    """``out[:] = value``: each thread writes every element of the view."""

    array: ArraySlot
    value: Expression
    site: int


@dataclass(eq=False)
class Atomic(Statement):
    """Read, change and write one element per thread, one thread after the other."""

    slot: Slot | None
    operation: str
    array: ArraySlot
    index: tuple[Expression, ...]
    operands: tuple[Expression, ...]
    site: int


@dataclass(eq=False)
class Barrier(Statement):
    """``syncthreads``; ``kind`` is "", "count", "and" or "or" (then with a predicate and slot)."""

    kind: str
    slot: Slot | None
    predicate: Expression | None
    site: int


@dataclass(eq=False)
class WarpOperation(Statement):
    """A shuffle, vote, match, ``syncwarp`` or ``activemask``: lanes of a warp meet."""

    kind: str
    slots: tuple[Slot, ...]
    arguments: tuple[Expression, ...]
    place: Place


@dataclass(frozen=True, eq=False)
class Fragment:
    """A matrix that a warp holds together.

    ``slot`` is the thread's own part, ``length`` elements of one dimension; ``site`` tells where
    the source names it.
    """

    slot: ArraySlot
    shape: tuple[int, int]
    length: int
    site: int


@dataclass(eq=False)
class FillFragment(Statement):
    """All elements of a fragment get one value; as all of these, whole warps only may run it."""

    fragment: Fragment
    value: Expression
    place: Place


@dataclass(eq=False)
class MoveFragment(Statement):
    """A fragment is read from memory or written to it: ``kind`` is "load" or "store".

    The matrix begins at ``index`` of an array of one dimension; its lines (rows, or columns with
    ``by_columns``) are ``stride`` elements apart. ``role`` tells how the warp asks for it, as
    ``gpuedu.simt.intrinsics.matrices.requests`` has it.
    """

    kind: str
    fragment: Fragment
    array: ArraySlot
    index: Expression
    stride: Expression
    by_columns: bool
    role: str
    site: int


@dataclass(eq=False)
class MultiplyFragments(Statement):
    """``result = left @ right + start``, of a warp."""

    result: Fragment
    left: Fragment
    right: Fragment
    start: Fragment
    place: Place


@dataclass(eq=False)
class Fence(Statement):
    """A memory fence of ``scope`` "block", "device" or "system"."""

    scope: str
    place: Place


@dataclass(eq=False)
class Random(Statement):
    """A draw from a generator's state array: reads and writes ``states[index]``."""

    slot: Slot
    function: str
    array: ArraySlot
    index: Expression
    load_site: int
    store_site: int


@dataclass(eq=False)
class Print(Statement):
    """``print`` in a kernel: one line for each active thread; a tuple in it is shown as one.

    With ``form`` it is C's ``printf``, whose lines end where the form says.
    """

    items: tuple[Any, ...]
    form: str | None = None


@dataclass(eq=False)
class Undefined(Statement):
    """A variable is read that the active threads never set; without ``slot`` the launch ends."""

    name: str
    slot: Slot | None
    place: Place


@dataclass(eq=False)
class Raise(Statement):
    """The active threads raise: ``exception`` is a class or an object; they return next."""

    exception: Any
    message: str
    place: Place


Move = tuple[Slot | ArraySlot, Expression | ArraySlot | None]


@dataclass(eq=False)
class If(Statement):
    """Threads part by ``condition`` and meet again; ``joins`` pick each thread's value."""

    condition: Expression
    then: list[Statement]
    orelse: list[Statement]
    branch: int | None
    joins: list[tuple[Slot | ArraySlot, Any, Any]] = field(default_factory=list)


@dataclass(eq=False)
class Loop(Statement):
    """Repeat ``body`` for the threads for which ``test`` holds, or over a range.

    ``entry`` sets the carried slots before the loop, ``again`` at the end of the body.
    ``leave`` sets slots for threads that end the loop by its own test, where the types of values at
    a ``break`` differ.
    """

    test: list[Statement]
    condition: Expression | None
    span: tuple[Slot, Expression, Expression, Expression] | None
    body: list[Statement]
    branch: int | None
    place: Place
    entry: list[Move] = field(default_factory=list)
    again: list[Move] = field(default_factory=list)
    leave: list[Move] = field(default_factory=list)


@dataclass(eq=False)
class Break(Statement):
    """The active threads leave the loop."""

    moves: list[Move] = field(default_factory=list)


@dataclass(eq=False)
class Continue(Statement):
    """The active threads begin the next iteration."""

    moves: list[Move] = field(default_factory=list)


@dataclass(eq=False)
class Return(Statement):
    """The active threads leave the function; ``moves`` set its results."""

    moves: list[Move] = field(default_factory=list)


@dataclass(eq=False)
class Inline(Statement):
    """The body of a device function at one call: a ``Return`` in it ends it, not the kernel."""

    body: list[Statement]


@dataclass(frozen=True)
class Site:
    """One access of the source, as ``gpuedu.trace.AccessSite`` without its counts."""

    place: Place
    column: int
    text: str
    operation: str
    space: Space
    array: str
    dtype: np.dtype


@dataclass(frozen=True)
class Branch:
    """One condition of the source."""

    place: Place
    text: str


@dataclass(frozen=True)
class BarrierPoint:
    """One barrier of the source."""

    place: Place
    text: str


@dataclass(frozen=True)
class SharedArray:
    """Shared memory of a block; ``shape`` is () for dynamic shared memory."""

    slot: ArraySlot
    shape: tuple[int, ...]
    dynamic: bool
    alignment: int


@dataclass(frozen=True)
class LocalArray:
    """An array of each thread."""

    slot: ArraySlot
    shape: tuple[int, ...]


@dataclass(frozen=True)
class ConstantArray:
    """An array from outside the kernel: a copy of a host array, or device memory."""

    slot: ArraySlot
    data: Any


class Language(StrEnum):
    """What a kernel was written in: it decides what an index below zero means, and the remedies."""

    PYTHON = "python"
    CUDA_C = "cuda c"


@dataclass
class Program:
    """A kernel for one set of argument types.

    ``parameters`` are the slots that the launch fills, in order (tuples flattened);
    ``variables`` tells the types that each source variable takes, by Numba's names. With
    ``has_choices`` a name may stand for one array or another. ``notes`` are findings that the
    source alone gives, before any launch.
    """

    name: str
    parameters: list[Slot | ArraySlot]
    body: list[Statement]
    sources: list[Source]
    sites: list[Site]
    branches: list[Branch]
    barriers: list[BarrierPoint]
    shared: list[SharedArray]
    local: list[LocalArray]
    constants: list[ConstantArray]
    variables: dict[str, set[str]]
    has_fences: bool = False
    has_choices: bool = False
    language: Language = Language.PYTHON
    notes: tuple[Finding, ...] = ()

    @cached_property
    def swaps(self) -> frozenset[int]:
        """The access sites that are a compare-and-swap."""
        return frozenset(
            statement.site
            for statement in walk(self.body)
            if isinstance(statement, Atomic) and statement.operation in ("cas", "compare_and_swap")
        )


def walk(block: list[Statement]) -> Iterator[Statement]:
    """The statements of a block and everything inside them, in order."""
    for statement in block:
        yield statement
        match statement:
            case If(then=then, orelse=orelse):
                yield from walk(then)
                yield from walk(orelse)
            case Loop(test=test, body=body):
                yield from walk(test)
                yield from walk(body)
            case Inline(body=body):
                yield from walk(body)
