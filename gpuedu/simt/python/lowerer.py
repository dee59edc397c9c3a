"""The state of lowering one kernel, and what its parts share."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuedu.errors import KernelSourceError
from gpuedu.simt.builder import Builder
from gpuedu.simt.kinds import Clash, convert, say, unify_kinds
from gpuedu.simt.program import (
    BOOL,
    INT64,
    ArraySlot,
    Binary,
    Cast,
    Const,
    Expression,
    Extent,
    If,
    Load,
    Raise,
    Select,
    Site,
    Statement,
    Unary,
    name_in_source,
)
from gpuedu.simt.python.source import Function
from gpuedu.simt.tables import Tables
from gpuedu.simt.typing_rules import TypingError, unify
from gpuedu.simt.values import Array, Optional, Scalar, Static, Tuple, Value, kind_of, leaves
from gpuedu.trace import Operation
from gpuedu.widths import as_array


@dataclass
class Lowerer:
    """One kernel on its way to a program; ``functions`` is the stack of functions being inlined."""

    builder: Builder
    tables: Tables
    functions: list[Function] = field(default_factory=list)
    early_reads: set[tuple[str, int]] = field(default_factory=set)

    @property
    def function(self) -> Function:
        """The function whose source is being read."""
        return self.functions[-1]

    def refuse(self, node: ast.AST, message: str, remedy: str = "") -> KernelSourceError:
        """The error for a construct."""
        return self.function.refuse(node, message, remedy)

    def at(self, node: ast.AST, action: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Run a typing rule, and report its error with the line."""
        try:
            return action(*arguments, **options)
        except TypingError as error:
            raise self.refuse(node, error.message, error.remedy) from None

    # Values

    def cast(self, node: ast.AST, value: Value, dtype: np.dtype) -> Expression:
        """A scalar's expression in another type."""
        scalar = self.scalar(node, value)
        return cast(scalar.expression, dtype)

    def scalar(self, node: ast.AST, value: Value) -> Scalar:
        """The value, which must be a number."""
        if isinstance(value, Scalar):
            return value
        if isinstance(value, Optional):
            return self._number(node, value)
        if isinstance(value, Clash):
            first, second = say(kind_of(value.first)), say(kind_of(value.second))
            raise self.refuse(
                node,
                f"this variable is {first} on one path and {second} on another: "
                "Numba cannot unify them",
                "use two names",
            )
        if isinstance(value, Array) and value.slot.type.ndim == 0:
            return self.load(node, value.slot, ())
        raise self.refuse(node, f"a number is needed here, not {say(kind_of(value))}")

    def _number(self, node: ast.AST, value: Optional) -> Scalar:
        """The number of a value that may be None; for threads for which it is None, the end."""
        self.end_unless(
            node, value.there, TypeError, f"expected {value.number.dtype.name}, got None"
        )
        return value.number

    def _require_number(self, node: ast.AST, value: Value, what: str) -> None:
        if isinstance(value, Optional):
            raise self.refuse(
                node,
                f"{what} may be None here: it is a number on some paths only",
                "return a number on every path, such as -1, and compare with that",
            )

    def integer(self, node: ast.AST, value: Value) -> Expression:
        """The value as an int64 index."""
        self._require_number(node, value, "the index")
        scalar = self.scalar(node, value)
        if scalar.dtype.kind not in "iub":
            raise self.refuse(
                node,
                f"an index must be an integer, this is {scalar.dtype.name}",
                "use `//` for whole numbers, or int(...)",
            )
        return cast(scalar.expression, INT64)

    def truth(self, node: ast.AST, value: Value) -> Expression:
        """The value as a condition."""
        if isinstance(value, Static):
            return Const(np.bool_(bool(value.object)))
        if isinstance(value, Tuple):
            return Const(np.bool_(bool(value.items)))
        self._require_number(node, value, "the condition")
        expression = self.scalar(node, value).expression
        if expression.dtype == BOOL:
            return expression
        if isinstance(expression, Const):
            return Const(np.bool_(expression.value != 0))
        zero = Const(expression.dtype.type(0))
        return Binary("!=", expression, zero, BOOL)

    def static(self, value: Value) -> Any:
        """The Python object a value stands for when the kernel is compiled; LookupError if none."""
        match value:
            case Static(thing):
                return thing
            case Scalar(_, literal) if literal is not None:
                return literal
            case Scalar(Const(number), _):
                return number.item()
            case Tuple(items):
                return tuple(self.static(item) for item in items)
        raise LookupError

    # Memory

    def site(self, node: ast.AST, operation: Operation, array: ArraySlot) -> int:
        """Enter an access into the program's table."""
        entry = Site(
            self.function.place(node),
            getattr(node, "col_offset", 0),
            self.function.text(node),
            operation,
            array.type.space,
            name_in_source(array.name),
            array.type.dtype,
        )
        return self.tables.add("sites", entry)

    def load(self, node: ast.AST, array: ArraySlot, index: tuple[Expression, ...]) -> Scalar:
        """Read one element."""
        slot = self.builder.slot("t", array.type.dtype)
        self.builder.emit(Load(slot, array, index, self.site(node, Operation.LOAD, array)))
        return Scalar(slot)

    # Threads that raise

    def end_unless(self, node: ast.AST, holds: Scalar, kind: type, *arguments: Any) -> None:
        """Threads for which it does not hold raise an exception of this kind, and end."""
        failed = Unary("not", holds.expression, BOOL)
        self.builder.branch(failed, lambda: self.end(node, kind, arguments), lambda: None, ())

    def end(self, node: ast.AST, kind: type, arguments: tuple) -> None:
        """The threads here raise an exception of this kind, and end."""
        text = ", ".join(map(str, arguments))
        self.builder.emit(Raise(kind, text, self.function.place(node)))
        self.builder.end_thread()

    # Paths inside expressions

    def either(
        self,
        node: ast.AST,
        condition: Expression,
        then: Callable[[], Value],
        orelse: Callable[[], Value],
    ) -> Value:
        """A value from one of two expressions; only threads that need one run its accesses."""
        first_block: list[Statement] = []
        second_block: list[Statement] = []
        with self.builder.lowering(first_block):
            first = member_value(then())
        with self.builder.lowering(second_block):
            second = member_value(orelse())
        if isinstance(first, Static) or isinstance(second, Static):
            return self._either_static(node, condition, first, second)
        if isinstance(first, Tuple) and isinstance(second, Tuple):
            return self._either_tuple(node, condition, first, second, (first_block, second_block))
        if isinstance(first, Array) and isinstance(second, Array):
            self.at(node, unify_kinds, kind_of(first), kind_of(second))
            target = self.builder.value_of(kind_of(first), "view")
            statement = If(condition, first_block, second_block, None)
            statement.joins.append((target.slot, first.slot, second.slot))
            self.builder.emit(statement)
            return target
        dtype = self.at(
            node, unify, self.scalar(node, first).dtype, self.scalar(node, second).dtype
        )
        one, other = cast(first.expression, dtype), cast(second.expression, dtype)
        if not first_block and not second_block:
            return Scalar(Select(condition, one, other, dtype))
        slot = self.builder.slot("t", dtype)
        statement = If(condition, first_block, second_block, None, [(slot, one, other)])
        self.builder.emit(statement)
        return Scalar(slot)

    def _either_tuple(
        self,
        node: ast.AST,
        condition: Expression,
        first: Tuple,
        second: Tuple,
        blocks: tuple[list[Statement], list[Statement]],
    ) -> Value:
        kind = self.at(node, unify_kinds, kind_of(first), kind_of(second))
        result = self.builder.value_of(kind, "t")
        sides = zip(leaves(result), convert(first, kind), convert(second, kind), strict=True)
        self.builder.emit(If(condition, *blocks, None, list(sides)))
        return result

    def _either_static(
        self, node: ast.AST, condition: Expression, first: Value, second: Value
    ) -> Value:
        if isinstance(condition, Const):
            return first if condition.value else second
        if kind_of(first) == kind_of(second):
            return first
        raise self.refuse(node, "the two sides of this expression have no common type")


def member_value(value: Value) -> Value:
    """An enumeration's member as the number that it is at run time; other values unchanged."""
    if not isinstance(value, Static) or not isinstance(value.object, enum.Enum):
        return value
    number = value.object.value
    if isinstance(number, bool | int | float) and not isinstance(number, np.generic):
        return Scalar(Const(as_array(number)[()]))
    return value


@dataclass(frozen=True, eq=False)
class BitCount:
    """``n.bit_count`` before it is called."""

    value: Scalar


@dataclass(frozen=True, eq=False)
class Conjugate:
    """``z.conjugate`` before it is called."""

    value: Scalar


def cast(expression: Expression, dtype: np.dtype) -> Expression:
    """The expression in another type; a constant is converted at once."""
    if expression.dtype == dtype:
        return expression
    if isinstance(expression, Const):
        with np.errstate(all="ignore"):
            return Const(expression.value.astype(dtype))
    return Cast(expression, dtype)


def shape_of(array: ArraySlot) -> Tuple:
    """An array's shape as a tuple of int64."""
    return Tuple(tuple(Scalar(Extent(array, axis)) for axis in range(array.type.ndim)))
