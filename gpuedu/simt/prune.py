"""Joins and moves whose results are never read are dropped from a program.

Where paths meet, a front end joins every variable that either path set. Most of them are never
read again, and joining each costs as much as arithmetic. What is computed stays, so that counts do
not change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from gpuedu.simt.program import (
    ArraySlot,
    Axis,
    Break,
    Continue,
    Expression,
    Fragment,
    If,
    Inline,
    Loop,
    Move,
    Return,
    Slot,
    Statement,
    walk,
)

_Target = Slot | ArraySlot


def prune(block: list[Statement]) -> list[Statement]:
    """The block, its joins and moves reduced in place to those that are read."""
    read: set[str] = set()
    waiting: dict[str, list[Any]] = {}
    for statement in walk(block):
        for target, sources in joins_of(statement):
            waiting.setdefault(target.name, []).extend(sources)
        for part in read_by(statement):
            read |= names_in(part)
    todo = list(read)
    while todo:
        for source in waiting.pop(todo.pop(), ()):
            fresh = names_in(source) - read
            read |= fresh
            todo += fresh
    for statement in walk(block):
        _drop(statement, read)
    return block


def has_choices(block: list[Statement]) -> bool:
    """True if a name may stand for one array or another."""
    return any(
        isinstance(target, ArraySlot)
        for statement in walk(block)
        for target, _ in joins_of(statement)
    )


def joins_of(statement: Statement) -> Iterator[tuple[_Target, list[Any]]]:
    """Every slot that gets its value where paths meet, and what it may be."""
    match statement:
        case If(joins=joins):
            for slot, one, other in joins:
                yield slot, [one, other]
        case Loop(entry=entry, again=again, leave=leave):
            for slot, value in (*entry, *again, *leave):
                yield slot, [value]
        case Break(moves=moves) | Continue(moves=moves) | Return(moves=moves):
            for slot, value in moves:
                yield slot, [value]


def read_by(statement: Statement) -> Iterator[Any]:
    """What a statement itself reads."""
    match statement:
        case If(condition=condition):
            yield condition
        case Loop(condition=condition, span=span):
            yield condition
            yield from span[1:] if span else ()
        case Break() | Continue() | Return() | Inline():
            return
        case _:
            for entry in fields(statement):  # type: ignore[arg-type]
                if entry.name not in ("slot", "slots"):
                    yield getattr(statement, entry.name)


def names_in(thing: Any) -> set[str]:
    """The names of the slots in an expression, or in tuples of those."""
    if isinstance(thing, Slot | ArraySlot):
        return {thing.name}
    if isinstance(thing, tuple | list):
        return {name for part in thing for name in names_in(part)}
    if isinstance(thing, Expression) and is_dataclass(thing):
        return {name for entry in fields(thing) for name in names_in(getattr(thing, entry.name))}
    if isinstance(thing, Axis | Fragment):
        return {name for entry in fields(thing) for name in names_in(getattr(thing, entry.name))}
    return set()


def _drop(statement: Statement, read: set[str]) -> None:
    def kept(moves: list[Move]) -> list[Move]:
        return [(slot, value) for slot, value in moves if slot.name in read]

    match statement:
        case If():
            statement.joins = [join for join in statement.joins if join[0].name in read]
        case Loop():
            statement.entry = kept(statement.entry)
            statement.again = kept(statement.again)
            statement.leave = kept(statement.leave)
        case Break() | Continue() | Return():
            statement.moves = kept(statement.moves)
