"""The state of lowering one CUDA C kernel: scopes, values with C types, places, errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuedu.errors import KernelSourceError
from gpuedu.simt.builder import Builder
from gpuedu.simt.cuda_c.module import Function, Module
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import line_of, short
from gpuedu.simt.cuda_c.types import CType, Number, Struct
from gpuedu.simt.program import ArraySlot, Const, Expression, Site, name_in_source
from gpuedu.simt.tables import Tables
from gpuedu.simt.typing_rules import TypingError
from gpuedu.simt.values import Array, Scalar, Static, Tuple, Value
from gpuedu.trace import Operation, Place


@dataclass(frozen=True, eq=False)
class Typed:
    """A value and its C type.

    A number is a ``Scalar``; a structure a ``Tuple`` of its members; a pointer a ``Tuple`` of an
    array of one dimension and an int64 offset into it, in elements; no value a ``Static(None)``.
    """

    type: CType
    value: Value

    @property
    def expression(self) -> Expression:
        """The expression of a number."""
        assert isinstance(self.value, Scalar)
        return self.value.expression


NOTHING = Static(None)


class Binding:
    """What a name stands for in a scope."""


@dataclass(frozen=True, eq=False)
class Variable(Binding):
    """A variable in registers; ``key`` is its name in the builder."""

    key: str
    type: CType
    const: bool = False


@dataclass(frozen=True, eq=False)
class Memory(Binding):
    """An array, or a variable whose address is taken: ``slot`` has a dimension for each extent."""

    slot: ArraySlot
    type: CType
    is_scalar: bool = False


@dataclass(frozen=True, eq=False)
class Fixed(Binding):
    """A number known when the kernel is compiled."""

    value: Typed


@dataclass(frozen=True, eq=False)
class TypeName(Binding):
    """A type by its name: an argument of a template, or a local alias."""

    type: CType


@dataclass(frozen=True, eq=False)
class Functions(Binding):
    """A function's overloads: an argument of a template."""

    name: str
    functions: list[Function]


@dataclass(frozen=True, eq=False)
class Alias(Binding):
    """A reference; ``place`` is what it refers to."""

    place: Any


@dataclass(frozen=True, eq=False)
class Method(Binding):
    """A function of a structure, named in another one of it: ``place`` is the object."""

    place: Any
    type: CType
    functions: Any


@dataclass(frozen=True, eq=False)
class Lambda(Binding):
    """A lambda; ``scopes`` are the names that it sees."""

    function: Function
    scopes: tuple[dict[str, Binding], ...]


@dataclass
class Frame:
    """A function being lowered: its scopes, and what ``return`` and ``continue`` do in it.

    ``place`` is where an object that it returns is left, if that lives in memory.
    """

    function: Function
    scopes: list[dict[str, Binding]]
    result: CType
    references: list[tuple[str, CType]] = field(default_factory=list)
    loops: list[Callable[[], None] | str] = field(default_factory=list)
    in_memory: frozenset[str] = frozenset()
    this: Any = None
    place: Any = None


@dataclass
class Lowerer:
    """One kernel on its way to a program.

    ``frames`` are the functions being inlined, ``arrays`` what the kernel's pointers point to,
    ``shared`` the shared memory by its declaration, so all calls of a function use the same.
    ``outside`` is the memory that is declared outside functions, by name.
    """

    builder: Builder
    tables: Tables
    module: Module
    frames: list[Frame] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)
    arrays: list[ArraySlot] = field(default_factory=list)
    shared: dict[tuple[object, ...], Memory] = field(default_factory=dict)
    outside: dict[str, Binding] = field(default_factory=dict)

    @property
    def frame(self) -> Frame:
        """The function whose source is being read."""
        return self.frames[-1]

    # Places and errors

    def place(self, node: Node) -> Place:
        """Where a node is."""
        return Place(self.frame.function.name, line_of(node))

    def refuse(self, node: Node, message: str, remedy: str = "") -> KernelSourceError:
        """The error for a construct."""
        name = self.frame.function.name if self.frames else "the source"
        return self.module.refuse(node, message, remedy, function=name)

    def at(self, node: Node, action: Callable[..., Any], *arguments: Any) -> Any:
        """Run a step of the builder, and report its error with the line."""
        try:
            return action(*arguments)
        except TypingError as error:
            raise self.refuse(node, error.message, error.remedy) from None

    # Scopes

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block with its own names."""
        self.frame.scopes.append({})
        try:
            yield
        finally:
            self.frame.scopes.pop()

    def find(self, name: str) -> Binding | None:
        """What a name stands for here."""
        for scope in reversed(self.frame.scopes):
            if name in scope:
                return scope[name]
        found = self.outside.get(name) or self.module.bindings.get(name)
        if found is None and name in self.module.refused:
            raise self.module.refused[name]
        return found

    def bind(self, name: str, binding: Binding) -> None:
        """A name in the innermost scope."""
        self.frame.scopes[-1][name] = binding

    def new_key(self, name: str) -> str:
        """A name for the builder that no other variable has."""
        self.keys[name] = self.keys.get(name, 0) + 1
        count = self.keys[name]
        return name if count == 1 else f"{name}__{count}"

    # Memory

    def site(self, node: Node, operation: Operation, array: ArraySlot) -> int:
        """Enter an access into the program's table."""
        entry = Site(
            self.place(node),
            node.start_point.column,
            short(node),
            operation,
            array.type.space,
            name_in_source(array.name),
            array.type.dtype,
        )
        return self.tables.add("sites", entry)


def constant(type_: Number, value: Any) -> Typed:
    """A number known when the kernel is compiled."""
    with np.errstate(all="ignore"):
        return Typed(type_, Scalar(Const(np.asarray(value).astype(type_.dtype)[()])))


def known(typed: Typed) -> Any:
    """The number that a constant is; None for run-time values."""
    if isinstance(typed.value, Scalar) and isinstance(typed.value.expression, Const):
        return typed.value.expression.value
    return None


def pointer_to(slot: ArraySlot, offset: Expression) -> Tuple:
    """A pointer's value."""
    return Tuple((Array(slot), Scalar(offset)), ("array", "offset"))


def pointer_parts(typed: Typed) -> tuple[ArraySlot, Expression]:
    """The array of a pointer and its offset in elements."""
    assert isinstance(typed.value, Tuple)
    array, offset = typed.value.items
    assert isinstance(array, Array) and isinstance(offset, Scalar)
    return array.slot, offset.expression


def member(typed: Typed, name: str) -> Typed:
    """A member of a structure's value."""
    assert isinstance(typed.type, Struct) and isinstance(typed.value, Tuple)
    names = [field_name for field_name, _ in typed.type.fields]
    at = names.index(name)
    return Typed(typed.type.fields[at][1], typed.value.items[at])
