"""Where paths meet: the sides of a condition, and the iterations of a loop."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpuedu.simt.kinds import Clash, convert, say, unify_kinds
from gpuedu.simt.program import ArraySlot, Const, If, Move, Return, Slot
from gpuedu.simt.typing_rules import TypingError
from gpuedu.simt.values import Kind, Value, kind_of, leaves

if TYPE_CHECKING:
    from gpuedu.simt.builder import Builder

Names = dict[str, Value]


class UnreachableError(Exception):
    """A name is read that no iteration has set yet: no thread gets here on the first iteration."""


@dataclass
class Edge:
    """A jump: the statement whose moves are still open, and the names at that point."""

    statement: Any
    names: Names


@dataclass
class LoopScope:
    """What leaves a loop that is being lowered, or goes on to its next iteration."""

    breaks: list[Edge] = field(default_factory=list)
    continues: list[Edge] = field(default_factory=list)


@dataclass
class CallScope:
    """What leaves a device function that is being lowered: its returns, and the open loops."""

    returns: list[tuple[Return, Value | None]] = field(default_factory=list)
    loops: list[LoopScope] = field(default_factory=list)


def join(
    builder: Builder, statement: If, first: Names, second: Names, live: Iterable[str]
) -> Names:
    """The names after a condition: of those in ``live`` that differ, new slots of one kind."""
    live = set(live)
    joined = {}
    for name in first.keys() | second.keys():
        left, right = first.get(name), second.get(name)
        if left is right:
            joined[name] = left
        elif left is None or right is None:
            present = right if left is None else left
            if name in live:
                present = _meet_nothing(builder, statement, name, left, right)
            joined[name] = present
        elif name in live:
            joined[name] = _meet(builder, statement, name, left, right)
    return joined


def _meet(builder: Builder, statement: If, name: str, left: Value, right: Value) -> Value:
    try:
        kind = unify_kinds(kind_of(left), kind_of(right))
    except (TypingError, TypeError):
        return Clash(left, right)
    value = builder.value_of(kind, name)
    for slot, one, other in zip(
        leaves(value), convert(left, kind), convert(right, kind), strict=True
    ):
        statement.joins.append((slot, one, other))
    builder.tables.note_variable(name, value)
    return value


def _meet_nothing(
    builder: Builder, statement: If, name: str, left: Value | None, right: Value | None
) -> Value:
    """A name that one side leaves unset: there it is 0, which no right program reads."""
    present = right if left is None else left
    assert present is not None
    parts = [] if isinstance(present, Clash) else list(leaves(present))
    if not parts:
        return present
    value = builder.value_of(kind_of(present), name)
    for slot, part in zip(leaves(value), parts, strict=True):
        nothing = part if isinstance(part, ArraySlot) else Const(part.dtype.type(0))
        sides = (nothing, part) if left is None else (part, nothing)
        statement.joins.append((slot, *sides))
    return value


def widen(
    kinds: dict[str, Kind], names: list[str], backs: list[Names], scope: LoopScope
) -> dict[str, Kind]:
    """Kinds of a loop's names, of those that come back as well.

    Raises:
        TypingError: a name has another kind after an iteration, and the two cannot be unified.
    """
    wider = dict(kinds)
    for name in names:
        seen = [back[name] for back in backs if name in back]
        if name not in kinds:
            seen += [edge.names[name] for edge in scope.breaks if name in edge.names]
        for value in seen:
            if isinstance(value, Clash):
                continue
            kind = kind_of(value)
            try:
                wider[name] = unify_kinds(wider[name], kind) if name in wider else kind
            except (TypingError, TypeError):
                raise TypingError(
                    f"`{name}` is {say(wider[name])} before the loop turns and {say(kind)} "
                    "after: Numba cannot unify them",
                    remedy="give the variable one type, or use a second name",
                ) from None
    return wider


def moves_before(entry: list[Move]) -> list[Move]:
    """The moves before a loop: a number without a value starts as 0."""
    return [
        (slot, Const(slot.dtype.type(0)) if value is None and isinstance(slot, Slot) else value)
        for slot, value in entry
    ]
