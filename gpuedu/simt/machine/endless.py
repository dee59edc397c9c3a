"""Loops that end through other threads or not at all, recognized from the program alone."""

from __future__ import annotations

from gpuedu.simt.program import (
    Atomic,
    Break,
    Const,
    If,
    Inline,
    Loop,
    Mark,
    Raise,
    Return,
    Set,
    Slot,
    Statement,
)
from gpuedu.simt.prune import names_in


def is_stuck(loop: Loop) -> bool:
    """Whether a loop goes on forever once a thread is in it.

    Its condition reads only values from before the loop, and there is no other way out.
    """
    if loop.span is not None or _leaves(loop.body) or _looks(loop.test):
        return False
    if isinstance(loop.condition, Const):
        return bool(loop.condition.value)
    changed = {slot.name for slot, _ in (*loop.entry, *loop.again) if isinstance(slot, Slot)}
    made = {slot.name for statement in loop.test for slot in _made(statement)}
    return not names_in(loop.condition) & (changed | made)


def waits(loop: Loop) -> bool:
    """Whether a loop ends by an atomic, which other threads decide, and not by counting."""
    tests = loop.test if not isinstance(loop.condition, Const) else loop.body
    return any(isinstance(statement, Atomic) for statement in tests)


def _leaves(block: list[Statement], depth: int = 0) -> bool:
    """Whether threads can leave by a jump; one of an inner loop or function does not count."""
    for statement in block:
        match statement:
            case Raise():
                return True
            case Break() if not depth & 1:
                return True
            case Return() if not depth & 2:
                return True
            case If(then=then, orelse=orelse):
                if _leaves(then, depth) or _leaves(orelse, depth):
                    return True
            case Loop(test=test, body=body):
                if _leaves([*test, *body], depth | 1):
                    return True
            case Inline(body=body):
                if _leaves(body, depth | 3):
                    return True
    return False


def _looks(test: list[Statement]) -> bool:
    """Whether a test does more than work with its thread's own numbers."""
    return not all(isinstance(statement, Mark | Set) for statement in test)


def _made(statement: Statement) -> list[Slot]:
    """The slot that a plain statement sets."""
    return [statement.slot] if isinstance(statement, Set) else []
