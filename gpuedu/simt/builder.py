"""Builds a program: names become slots that are assigned once, and joining paths are merged.

A front end walks its source and calls the builder. Where two paths meet (after an ``if``, at the
head of a loop) the builder makes a new slot for each name that is still needed, with the type that
both values unify to, as in Numba. A loop's head must know the types that its own body produces: the
body is lowered again until they no longer change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.simt.joins import (
    CallScope,
    Edge,
    LoopScope,
    Names,
    join,
    moves_before,
    widen,
)
from gpuedu.simt.kinds import Clash, moves, unify_kinds
from gpuedu.simt.program import (
    BOOL,
    ArraySlot,
    ArrayType,
    Break,
    Const,
    Continue,
    Expression,
    If,
    Inline,
    Loop,
    Mark,
    Return,
    Set,
    Slot,
    Statement,
)
from gpuedu.simt.tables import Tables
from gpuedu.simt.typing_rules import TypingError
from gpuedu.simt.values import Array, Kind, Optional, Scalar, Static, Tuple, Value, kind_of
from gpuedu.trace import Place


class Builder:
    """The program under construction, at one point of its source."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.names: Names | None = {}
        self.block: list[Statement] = []
        self._calls = [CallScope()]
        self._count = 0
        self.unknown: frozenset[str] = frozenset()
        self.unknown_was_read = False

    # Slots and statements

    def emit(self, statement: Statement) -> None:
        """Append a statement, unless no thread can get here."""
        if self.names is not None:
            self.block.append(statement)

    def mark(self, place: Place) -> None:
        """A new source line begins."""
        self.emit(Mark(place))

    def slot(self, name: str, dtype: np.dtype) -> Slot:
        """A new slot for a number."""
        self._count += 1
        return Slot(f"{name}_{self._count}", dtype)

    def array_slot(self, name: str, type_: ArrayType) -> ArraySlot:
        """A new slot for a view."""
        self._count += 1
        return ArraySlot(f"{name}_{self._count}", type_)

    def keep(self, expression: Expression, name: str = "t") -> Expression:
        """The expression's value now, in a slot; what is a slot or constant stays as it is."""
        if isinstance(expression, Const | Slot):
            return expression
        slot = self.slot(name, expression.dtype)
        self.emit(Set(slot, expression))
        return slot

    def assign(self, name: str, value: Value) -> None:
        """Bind a source name."""
        if self.names is None:
            return
        self.names[name] = self.hold(value, name)
        self.tables.note_variable(name, self.names[name])

    def hold(self, value: Value, name: str = "t") -> Value:
        """The value with every number kept in a slot."""
        if isinstance(value, Scalar):
            return Scalar(self.keep(value.expression, name), value.literal)
        if isinstance(value, Tuple):
            return Tuple(tuple(self.hold(item, name) for item in value.items), value.names)
        if isinstance(value, Optional):
            number, there = (
                Scalar(self.keep(part.expression, name)) for part in (value.number, value.there)
            )
            return Optional(number, there)
        return value

    # Paths

    def branch(
        self,
        condition: Expression,
        then: Callable[[], None],
        orelse: Callable[[], None],
        live: Iterable[str],
        branch: int | None = None,
    ) -> None:
        """Lower both sides of a condition and join the names in ``live``."""
        if self.names is None:
            return
        statement = If(condition, [], [], branch)
        self.emit(statement)
        before = self.names
        first = self._side(before, statement.then, then)
        second = self._side(before, statement.orelse, orelse)
        if first is None or second is None:
            self.names = second if first is None else first
            return
        self.names = join(self, statement, first, second, live)

    def _side(
        self, names: Names, block: list[Statement], lower: Callable[[], None]
    ) -> Names | None:
        with self._into(block):
            self.names = dict(names)
            lower()
            return self.names

    def joined(self, statement: If, first: Names, second: Names, live: Iterable[str]) -> Names:
        """The names after a condition whose sides a front end lowered itself."""
        return join(self, statement, first, second, live)

    def value_of(self, kind: Kind, name: str) -> Value:
        """A value of new slots of one kind."""
        match kind:
            case ("scalar", dtype):
                return Scalar(self.slot(name, dtype))
            case ("array", dtype, ndim, space, readonly):
                return Array(self.array_slot(name, ArrayType(dtype, ndim, space, readonly)))
            case ("tuple", kinds, fields):
                return Tuple(tuple(self.value_of(item, name) for item in kinds), fields)
            case ("optional", dtype):
                return Optional(Scalar(self.slot(name, dtype)), Scalar(self.slot(name, BOOL)))
        return Static(kind[1].object)

    @contextmanager
    def _into(self, block: list[Statement]) -> Any:
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    # Loops

    def loop(
        self,
        lower: Callable[[Loop], None],
        carried: Iterable[str],
        place: Place,
    ) -> None:
        """Lower a loop whose test and body ``lower`` fills in.

        ``carried`` are the names that the loop assigns and that are needed at its head or after it.
        """
        if self.names is None:
            return
        before = self.names
        names = [name for name in carried if not isinstance(before.get(name), Clash)]
        kinds = {name: kind_of(before[name]) for name in names if name in before}
        returns = len(self._calls[-1].returns)
        allow: frozenset[str] = frozenset()
        while True:
            mark = self.tables.mark()
            outer = self.unknown, self.unknown_was_read
            self.unknown, self.unknown_was_read = frozenset(names) - kinds.keys() - allow, False
            statement = Loop([], None, None, [], None, place)
            heads = {name: self.value_of(kind, name) for name, kind in kinds.items()}
            del self._calls[-1].returns[returns:]
            scope, end = self._try_loop(statement, lower, {**before, **heads})
            backs = [edge.names for edge in scope.continues] + ([end] if end is not None else [])
            wider = widen(kinds, names, backs, scope)
            guessed = self.unknown_was_read
            self.unknown, self.unknown_was_read = outer
            if wider == kinds and not guessed:
                break
            if wider == kinds:
                allow = frozenset(names)
            self.tables.rewind(mark)
            kinds = wider
        for name, head in heads.items():
            self.tables.note_variable(name, head)
        self.block.append(statement)  # also where its body ends in a jump
        self._close(statement, scope, heads, kinds, before, end)

    def _try_loop(
        self, statement: Loop, lower: Callable[[Loop], None], names: Names
    ) -> tuple[LoopScope, Names | None]:
        scope = LoopScope()
        self._calls[-1].loops.append(scope)
        self.names = dict(names)
        lower(statement)
        self._calls[-1].loops.pop()
        return scope, self.names

    @contextmanager
    def lowering(self, block: list[Statement]) -> Any:
        """Statements go into a part of a loop."""
        with self._into(block):
            yield

    def _close(
        self,
        statement: Loop,
        scope: LoopScope,
        heads: Names,
        kinds: dict[str, Kind],
        before: Names,
        end: Names | None,
    ) -> None:
        after = {**before, **heads}
        for name, head in heads.items():
            kind = kinds[name]
            statement.entry += moves_before(moves(head, before.get(name), kind))
            if end is not None:
                statement.again += moves(head, end.get(name), kind)
            for edge in scope.continues:
                edge.statement.moves += moves(head, edge.names.get(name), kind)
            after[name] = self._exit(statement, scope, name, head, kind)
        endless = isinstance(statement.condition, Const) and bool(statement.condition.value)
        self.names = None if endless and not scope.breaks else after

    def _exit(self, statement: Loop, scope: LoopScope, name: str, head: Value, kind: Kind) -> Value:
        exit_kind = kind
        for edge in scope.breaks:
            if name in edge.names and not isinstance(edge.names[name], Clash):
                try:
                    exit_kind = unify_kinds(exit_kind, kind_of(edge.names[name]))
                except (TypingError, TypeError):
                    return Clash(head, edge.names[name])
        value = head
        if exit_kind != kind:
            value = self.value_of(exit_kind, name)
            statement.entry += moves_before(moves(value, None, exit_kind))
            statement.leave += moves(value, head, exit_kind)
            self.tables.note_variable(name, value)
        for edge in scope.breaks:
            edge.statement.moves += moves(value, edge.names.get(name), exit_kind)
        return value

    def leave_loop(self) -> None:
        """``break``."""
        self._jump(Break(), "breaks")

    def next_iteration(self) -> None:
        """``continue``."""
        self._jump(Continue(), "continues")

    def _jump(self, statement: Any, kind: str) -> None:
        if self.names is None:
            return
        self.emit(statement)
        getattr(self._calls[-1].loops[-1], kind).append(Edge(statement, self.names))
        self.names = None

    # Functions

    def leave_function(self, value: Value | None) -> None:
        """``return``."""
        if self.names is None:
            return
        statement = Return()
        if value is not None:
            value = self.hold(value)
        self.emit(statement)
        self._calls[-1].returns.append((statement, value))
        self.names = None

    def end_thread(self) -> None:
        """An exception: the active threads leave the function without a result."""
        self.emit(Return())
        self.names = None

    def inline(
        self, names: Names, lower: Callable[[], None], name: str, *, has_none: bool = False
    ) -> Value:
        """Lower a device function's body here; returns its result.

        ``has_none`` says that a path without a result gives None, even if other paths give a
        number.
        """
        if self.names is None:
            return Static(None)
        outer, scope, statement = self.names, CallScope(), Inline([])
        self.emit(statement)
        self._calls.append(scope)
        with self._into(statement.body):
            self.names = dict(names)
            lower()
            if has_none and any(isinstance(v, Scalar) for _, v in scope.returns):
                self.leave_function(Static(None))
        self._calls.pop()
        falls_through = self.names is not None
        self.names = outer
        return self._result(scope, falls_through, name)

    def _result(self, scope: CallScope, falls_through: bool, name: str) -> Value:
        values = [value for _, value in scope.returns if value is not None]
        given = [v for v in values if not (isinstance(v, Static) and v.object is None)]
        if not given:
            return Static(None)
        may_be_none = len(given) < len(values)
        if (
            falls_through
            or len(values) < len(scope.returns)
            or (may_be_none and not all(isinstance(v, Scalar | Optional) for v in given))
        ):
            raise TypingError(
                f"`{name}` returns a value on some paths and none on others",
                remedy="end every path of the function with `return` and a value",
            )
        kind = kind_of(values[0])
        for value in values[1:]:
            kind = unify_kinds(kind, kind_of(value))
        result = self.value_of(kind, name)
        for statement, value in scope.returns:
            statement.moves += moves(result, value, kind)
        return result
