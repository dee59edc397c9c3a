"""Names that a function may read before they have a value, and how run time notices.

Numba compiles such a read, and the thread gets whatever is in the register. Here each such name has
a flag, a variable that no learner can write: False where the function starts, True after each
assignment. A read that may come too early checks the flag, and the machine reports which threads
came too early. Reads that no path can reach unset cost nothing.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

Names = frozenset[str]
Reached = Names | None
"""Names that certainly have a value; None where no thread gets to."""

_PREFIX = "$set "


def guard_reads(function: ast.FunctionDef) -> None:
    """Mark the reads that may come too early, and set flags at assignments, in place.

    A marked node has an attribute ``flag``, the name of the variable to check.
    """
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    given += [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    known = frozenset(argument.arg for argument in given)
    search = _Search(_stored(function) - known)
    search.block(function.body, known)
    if search.found:
        body = _set_flags(function.body, search.found)
        first = function.body[0]
        begin = [_flag(name, False, first) for name in sorted(search.found)]
        function.body = begin + body


def flag_of(node: ast.AST) -> str | None:
    """The flag that a read must check; None if the name certainly has a value."""
    return getattr(node, "flag", None)


def is_flag(node: ast.stmt) -> bool:
    """Whether a statement only sets a flag."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id.startswith(_PREFIX)
    )


def _stored(node: ast.AST) -> Names:
    return frozenset(
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


@dataclass
class _Search:
    """Follows the paths through a function; ``breaks`` has what is known where a loop is left."""

    local: Names
    found: set[str] = field(default_factory=set)
    breaks: list[list[Reached]] = field(default_factory=list)

    def block(self, statements: list[ast.stmt], known: Reached) -> Reached:
        for statement in statements:
            if known is None:
                return None
            known = self.statement(statement, known)
        return known

    def statement(self, node: ast.stmt, known: Names) -> Reached:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                self.reads(test, known)
                return _both(self.block(body, known), self.block(orelse, known))
            case ast.While() | ast.For():
                return self.loop(node, known)
            case ast.Break():
                if self.breaks:
                    self.breaks[-1].append(known)
                return None
            case ast.Continue() | ast.Return() | ast.Raise():
                self.reads(node, known)
                return None
            case ast.AugAssign(target=ast.Name() as target):
                self.reads(node.value, known)
                self.read(target, known)
            case _:
                self.reads(node, known)
        return known | _stored(node)

    def loop(self, node: ast.While | ast.For, known: Names) -> Reached:
        self.breaks.append([])
        inside = known
        if isinstance(node, ast.For):
            self.reads(node.iter, known)
            self.reads(node.target, known)
            inside = known | _stored(node.target)
        else:
            self.reads(node.test, known)
        self.block(node.body, inside)
        left = self.breaks.pop()
        endless = isinstance(node, ast.While) and _is_true(node.test)
        after: Reached = None if endless else known
        for state in left:
            after = _both(after, state)
        return after

    def reads(self, node: ast.AST, known: Names) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                self.read(part, known)

    def read(self, node: ast.Name, known: Names) -> None:
        if node.id in self.local and node.id not in known:
            self.found.add(node.id)
            node.flag = _PREFIX + node.id  # type: ignore[attr-defined]


def _both(first: Reached, second: Reached) -> Reached:
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _set_flags(statements: list[ast.stmt], names: set[str]) -> list[ast.stmt]:
    """The statements, each assignment of a name followed by one of its flag."""
    made: list[ast.stmt] = []
    for node in statements:
        made.append(node)
        match node:
            case ast.For() | ast.While():
                node.body = _set_flags(node.body, names)
                if isinstance(node, ast.For):
                    node.body = [*_flags(node.target, names, node), *node.body]
            case ast.If():
                node.body = _set_flags(node.body, names)
                node.orelse = _set_flags(node.orelse, names)
            case ast.Assign() | ast.AugAssign():
                made += _flags(node, names, node)
    return made


def _flags(node: ast.AST, names: set[str], where: ast.stmt) -> list[ast.stmt]:
    return [_flag(name, True, where) for name in sorted(_stored(node) & names)]


def _flag(name: str, value: bool, where: ast.stmt) -> ast.stmt:
    made = ast.Assign([ast.Name(_PREFIX + name, ast.Store())], ast.Constant(value))
    return ast.fix_missing_locations(ast.copy_location(made, where))
