"""Rewrites the syntax that has a simpler form: ``match``, ``else`` of loops, annotations.

New names begin with ``$``, which no learner can write.
"""

from __future__ import annotations

import ast


class PatternError(Exception):
    """A pattern that matches structure; its only argument is the line."""


def desugar(function: ast.FunctionDef) -> None:
    """Rewrite a function's tree in place; new nodes keep the lines of the old ones."""
    function.body = _Desugar().block(function.body)
    ast.fix_missing_locations(function)


class _Desugar(ast.NodeTransformer):
    def __init__(self) -> None:
        self._count = 0

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in statements:
            result = self.visit(statement)
            made += result if isinstance(result, list) else [result]
        return made

    def _name(self) -> str:
        self._count += 1
        return f"${self._count}"

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.stmt | list[ast.stmt]:
        return self._loop(node)

    def visit_If(self, node: ast.If) -> ast.stmt:
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return node

    def _loop(self, node: ast.For | ast.While) -> ast.stmt | list[ast.stmt]:
        node.body = self.block(node.body)
        if not node.orelse:
            return node
        orelse, node.orelse = self.block(node.orelse), []
        flag = self._name()
        node.body = _MarkBreaks(flag).block(node.body)
        begin = _assign(flag, False, node)
        test = ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load()))
        end = ast.copy_location(ast.If(test, orelse, []), node)
        return [begin, node, end]

    def visit_Match(self, node: ast.Match) -> list[ast.stmt]:
        subject = self._name()
        chain: list[ast.stmt] = []
        for case in reversed(node.cases):
            test, bound = _pattern(case.pattern, subject)
            if case.guard is not None:
                guard = _Rename(_bound_names(bound), subject).visit(case.guard)
                test = guard if test is None else ast.BoolOp(ast.And(), [test, guard])
            body = bound + self.block(case.body)
            if test is None:
                chain = body
            else:
                chain = [ast.copy_location(ast.If(test, body, chain), case.pattern)]
        first = ast.Assign([ast.Name(subject, ast.Store())], node.subject)
        return [ast.copy_location(first, node), *chain]


class _MarkBreaks(ast.NodeTransformer):
    """Sets a flag before each ``break`` of this loop, not of the loops inside it."""

    def __init__(self, flag: str) -> None:
        self._flag = flag

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in statements:
            if isinstance(statement, ast.Break):
                made.append(_assign(self._flag, True, statement))
            if isinstance(statement, ast.If):
                statement.body = self.block(statement.body)
                statement.orelse = self.block(statement.orelse)
            made.append(statement)
        return made


class _Rename(ast.NodeTransformer):
    """Names that a pattern binds are, in its guard, still the subject."""

    def __init__(self, names: set[str], subject: str) -> None:
        self._names, self._subject = names, subject

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._names:
            return node
        return ast.copy_location(ast.Name(self._subject, node.ctx), node)


def _bound_names(bound: list[ast.stmt]) -> set[str]:
    parts = [part for statement in bound for part in ast.walk(statement)]
    return {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}


def _assign(name: str, value: bool, where: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value)), where)


def _pattern(pattern: ast.pattern, subject: str) -> tuple[ast.expr | None, list[ast.stmt]]:
    """The test of a pattern (None: always) and the names it binds."""
    read = ast.Name(subject, ast.Load())
    match pattern:
        case ast.MatchValue(value=value):
            return ast.Compare(read, [ast.Eq()], [value]), []
        case ast.MatchSingleton(value=value) if isinstance(value, bool):
            return ast.Compare(read, [ast.Eq()], [ast.Constant(value)]), []
        case ast.MatchOr(patterns=patterns):
            tests = [_pattern(part, subject)[0] for part in patterns]
            if None in tests:
                return None, []
            return ast.BoolOp(ast.Or(), [test for test in tests if test is not None]), []
        case ast.MatchAs(pattern=inner, name=name):
            test, bound = (None, []) if inner is None else _pattern(inner, subject)
            if name is not None:
                bound = [*bound, ast.Assign([ast.Name(name, ast.Store())], read)]
            return test, bound
    raise PatternError(pattern.lineno)
