"""Statements: what touches memory or other threads, and control flow as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gpuedu.simt.program.expressions import ArraySlot, Axis, Expression, Slot
from gpuedu.trace import Place


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
    """An array slot becomes another's memory, one-dimensional, as elements of its own type.

    ``at`` is the element of ``base`` where it starts; it must be at a multiple of the new element's
    size.
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

    ``slot`` is the thread's own part, ``length`` elements of one dimension; ``site`` says where the
    source names it.
    """

    slot: ArraySlot
    shape: tuple[int, int]
    length: int
    site: int


@dataclass(eq=False)
class FillFragment(Statement):
    """All elements of a fragment get one value; like all of these, only whole warps may run it."""

    fragment: Fragment
    value: Expression
    place: Place


@dataclass(eq=False)
class MoveFragment(Statement):
    """A fragment is read from memory or written to it: ``kind`` is "load" or "store".

    The matrix begins at ``index`` of an array of one dimension; its lines (rows, or columns with
    ``by_columns``) are ``stride`` elements apart. ``role`` says how the warp asks for it, as
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

    With ``form`` it is C's ``printf``, whose lines end where the format says.
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
    """Threads split on ``condition`` and meet again; ``joins`` pick each thread's value."""

    condition: Expression
    then: list[Statement]
    orelse: list[Statement]
    branch: int | None
    joins: list[tuple[Slot | ArraySlot, Any, Any]] = field(default_factory=list)


@dataclass(eq=False)
class Loop(Statement):
    """Repeat ``body`` for the threads for which ``test`` holds, or over a range.

    ``entry`` sets the carried slots before the loop, ``again`` at the end of the body. ``leave``
    sets slots for threads that end the loop by its own test, if the types of values at a ``break``
    differ.
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
