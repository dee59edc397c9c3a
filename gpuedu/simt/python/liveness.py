"""Which names of a function are still needed, at every statement.

A name that no later path reads need not be joined where paths meet, and may have two types there.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from gpuedu.simt.python.definite import flag_of

Names = frozenset[str]


@dataclass
class Liveness:
    """``after[id(statement)]`` is needed after it, ``head[id(loop)]`` at a loop's head."""

    after: dict[int, Names] = field(default_factory=dict)
    head: dict[int, Names] = field(default_factory=dict)


@dataclass(frozen=True)
class _Loop:
    breaks: Names
    continues: Names


def liveness(function: ast.FunctionDef) -> Liveness:
    r"""The names needed at each statement of a function.

    >>> tree = ast.parse("def f(a):\n    b = a\n    return b").body[0]
    >>> sorted(liveness(tree).after[id(tree.body[0])])
    ['b']
    """
    found = Liveness()
    _block(function.body, frozenset(), None, found)
    return found


def reads(node: ast.AST | None) -> Names:
    """The names that an expression reads."""
    if node is None:
        return frozenset()
    return frozenset(
        name
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        for name in _with_flag(part)
    )


def _with_flag(node: ast.Name) -> tuple[str, ...]:
    flag = flag_of(node)
    return (node.id,) if flag is None else (node.id, flag)


def assigned(statements: list[ast.stmt]) -> Names:
    """The names that statements assign, nested ones included."""
    return frozenset(
        part.id
        for statement in statements
        for part in ast.walk(statement)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def _block(statements: list[ast.stmt], after: Names, loop: _Loop | None, found: Liveness) -> Names:
    for statement in reversed(statements):
        found.after[id(statement)] = after
        after = _statement(statement, after, loop, found)
    return after


def _statement(node: ast.stmt, after: Names, loop: _Loop | None, found: Liveness) -> Names:
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            inside = _block(body, after, loop, found) | _block(orelse, after, loop, found)
            return inside | reads(test)
        case ast.While() | ast.For():
            return _loop(node, after, found)
        case ast.Break():
            return loop.breaks if loop else after
        case ast.Continue():
            return loop.continues if loop else after
        case ast.Return(value=value):
            return reads(value)
        case ast.AugAssign(target=target, value=value):
            changed = frozenset(_with_flag(target)) if isinstance(target, ast.Name) else frozenset()
            return after | reads(value) | _target_reads(target) | changed
        case ast.Assign(targets=targets, value=value):
            killed = frozenset().union(*(_target_names(target) for target in targets))
            used = frozenset().union(*(_target_reads(target) for target in targets))
            return (after - killed) | used | reads(value)
    return after | reads(node)


def _loop(node: ast.While | ast.For, after: Names, found: Liveness) -> Names:
    behind = _block(node.orelse, after, None, found) if node.orelse else after
    used = reads(node.test) if isinstance(node, ast.While) else frozenset()
    killed = _target_names(node.target) if isinstance(node, ast.For) else frozenset()
    head = behind | used
    while True:
        inside = _block(node.body, head, _Loop(after, head), found)
        wider = head | (inside - killed)
        if wider == head:
            break
        head = wider
    found.head[id(node)] = head
    return head | reads(node.iter) if isinstance(node, ast.For) else head


def _target_names(target: ast.expr) -> Names:
    return frozenset(
        part.id
        for part in ast.walk(target)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


def _target_reads(target: ast.expr) -> Names:
    return reads(target)
