"""The private names of a program's classes are its own; and what it says of types is left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator


class OwnNames(ast.NodeTransformer):
    """Gives the program's own private names another beginning, which no library's names have."""

    def __init__(self) -> None:
        self._members: set[str] = set()

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """A whole file: a dataclass's fields are also the names of its call's arguments."""
        for one in ast.walk(node):
            if isinstance(one, ast.ClassDef):
                self._members |= _members(one)
        self.generic_visit(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """What a method says of ``self``."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            node.attr = _prefixed(node.attr)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """A class: its methods, and what its body assigns."""
        self.generic_visit(node)
        members = _members(node)
        for one in in_body(node):
            if isinstance(one, ast.Name) and one.id in members:
                one.id = _prefixed(one.id)
        for one in node.body:
            if isinstance(one, ast.FunctionDef):
                one.name = _prefixed(one.name)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        """An argument by its name."""
        self.generic_visit(node)
        if node.arg in self._members:
            node.arg = _prefixed(node.arg)
        return node


class WithoutAnnotations(ast.NodeTransformer):
    """Takes the types away that annotations name: a dataclass would hand them to the program.

    Nothing in a program asks for them. A field of a dataclass keeps None as its annotation.
    """

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """A name with a type, and perhaps a value."""
        self.generic_visit(node)
        node.annotation = ast.Constant(None)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """A parameter."""
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function: what it returns."""
        self.generic_visit(node)
        node.returns = None
        return node


def _members(node: ast.ClassDef) -> set[str]:
    names = (one for one in in_body(node) if isinstance(one, ast.Name))
    return {one.id for one in names if isinstance(one.ctx, ast.Store)}


def _prefixed(name: str) -> str:
    return f"own{name}" if name.startswith("_") and not name.startswith("__") else name


def in_body(node: ast.AST) -> Iterator[ast.AST]:
    """What a class's or function's body does itself: not in the functions that it defines.

    Their decorators, and the values that parameters have by default, it does compute.
    """
    for one in ast.iter_child_nodes(node):
        if not isinstance(one, (ast.FunctionDef, ast.Lambda)):
            yield one
            yield from in_body(one)
            continue
        around = [*getattr(one, "decorator_list", ()), *one.args.defaults, *one.args.kw_defaults]
        for value in filter(None, around):
            if isinstance(value, ast.Lambda):
                yield from in_body(ast.Expr(value))
            else:
                yield value
                yield from in_body(value)
