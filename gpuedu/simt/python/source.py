"""A kernel's source text: found, parsed, and rewritten where there is a simpler form.

The function is never called. Its text comes from ``inspect``; the names that it uses from outside
are looked up in its globals and closure.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gpuedu.errors import KernelSourceError
from gpuedu.simt.python.definite import guard_reads
from gpuedu.simt.python.desugar import PatternError, desugar
from gpuedu.simt.python.liveness import Liveness, liveness
from gpuedu.trace import Place, Source


@dataclass(frozen=True, eq=False)
class Function:
    """A parsed function: ``tree`` has line numbers of the file or cell it was written in."""

    python: Callable
    source: Source
    tree: ast.FunctionDef
    live: Liveness

    @property
    def name(self) -> str:
        """The function's name."""
        return self.source.function

    def place(self, node: ast.AST) -> Place:
        """Where a node is."""
        return Place(self.name, getattr(node, "lineno", self.source.first_line))

    def text(self, node: ast.AST) -> str:
        """A node as it was written, on one line."""
        written = ast.unparse(node)
        return " ".join(written.split())

    def line(self, number: int) -> str:
        """One line of the source."""
        lines = self.source.text.splitlines()
        at = number - self.source.first_line
        return lines[at] if 0 <= at < len(lines) else ""

    def refuse(self, node: ast.AST, message: str, remedy: str = "") -> KernelSourceError:
        """The error for a construct of this function."""
        number = getattr(node, "lineno", self.source.first_line)
        return KernelSourceError(
            message, function=self.name, line=number, text=self.line(number), remedy=remedy
        )

    def outside(self, name: str) -> Any:
        """The object that a name from outside the function stands for; KeyError if none."""
        code, cells = self.python.__code__, self.python.__closure__ or ()
        for free, cell in zip(code.co_freevars, cells, strict=False):
            if free == name:
                try:
                    return cell.cell_contents
                except ValueError:
                    raise KeyError(name) from None
        scope = self.python.__globals__
        return scope[name] if name in scope else vars(builtins)[name]


def python_function(thing: Any) -> Callable | None:
    """The Python function behind a device function, kernel or jitted function."""
    found = getattr(thing, "py_func", None)
    return found if inspect.isfunction(found) else None


@lru_cache(maxsize=512)
def parse(python: Callable) -> Function:
    """Parse a Python function.

    Raises:
        KernelSourceError: It has no source, or a form that no kernel can have.
    """
    name = getattr(python, "__name__", repr(python))
    code = getattr(python, "__code__", None)
    line = code.co_firstlineno if code else 1
    try:
        lines, first = inspect.getsourcelines(python)
    except (OSError, TypeError):
        raise KernelSourceError(
            "its source text cannot be found",
            function=name,
            line=line,
            remedy="define it with `def` in a notebook cell or a file",
        ) from None
    text = textwrap.dedent("".join(lines))
    tree = _function(text, name, first)
    ast.increment_lineno(tree, first - 1)
    tree.decorator_list = []
    source = Source(name, code.co_filename if code else "", first, text)
    try:
        desugar(tree)
    except PatternError as fault:
        number = fault.args[0]
        raise KernelSourceError(
            "a pattern that matches structure cannot be used in a kernel",
            function=name,
            line=number,
            text=text.splitlines()[number - first],
            remedy="match a number, or take the tuple apart with `if`",
        ) from None
    guard_reads(tree)
    function = Function(python, source, tree, liveness(tree))
    _check(function)
    return function


def _function(text: str, name: str, line: int) -> ast.FunctionDef:
    try:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                return node
            if isinstance(node, ast.Lambda):
                return _from_lambda(node, name)
    except SyntaxError:
        lambda_ = _cut_lambda(text)
        if lambda_ is not None:
            return _from_lambda(lambda_, name)
    raise KernelSourceError(
        "its source text holds no function",
        function=name,
        line=line,
        remedy="define it with `def`",
    )


def _cut_lambda(text: str) -> ast.Lambda | None:
    """A lambda inside a line that is no statement of its own."""
    start = text.find("lambda")
    for end in range(len(text), start, -1):
        try:
            node = ast.parse(text[start:end].strip(), mode="eval").body
        except SyntaxError:
            continue
        return node if isinstance(node, ast.Lambda) else None
    return None


def _from_lambda(node: ast.Lambda, name: str) -> ast.FunctionDef:
    body = ast.copy_location(ast.Return(node.body), node)
    made = ast.FunctionDef(
        name, node.args, [body], [], None, None, lineno=node.lineno, col_offset=node.col_offset
    )
    return ast.fix_missing_locations(made)


def _check(function: Function) -> None:
    arguments = function.tree.args
    if arguments.kwarg or arguments.kwonlyargs:
        raise function.refuse(
            function.tree,
            "keyword-only arguments are not for kernels",
            "name each argument by position",
        )
    nodes = [part for statement in function.tree.body for part in ast.walk(statement)]
    spread = {id(part) for node in nodes if isinstance(node, ast.Call) for part in node.args}
    for node in nodes:
        if type(node) in _REASONS and not (isinstance(node, ast.Starred) and id(node) in spread):
            raise function.refuse(
                node,
                _REASONS[type(node)],
                "numbers, arrays, `cuda.local.array` and device functions are what a kernel has",
            )


_REASONS: dict[type, str] = {
    ast.NamedExpr: "`:=` cannot be used in a kernel",
    ast.Starred: "`*` can only come before an argument of a call here",
    ast.Delete: "`del` cannot be used in a kernel",
    ast.Try: "`try` cannot be used in a kernel",
    ast.With: "`with` cannot be used in a kernel",
    ast.Yield: "`yield` cannot be used in a kernel",
    ast.YieldFrom: "`yield` cannot be used in a kernel",
    ast.Await: "`await` cannot be used in a kernel",
    ast.AsyncFor: "`async` cannot be used in a kernel",
    ast.Lambda: "`lambda` cannot be used in a kernel",
    ast.ListComp: "a list cannot be made in a kernel: there is no heap",
    ast.List: "a list cannot be made in a kernel: there is no heap",
    ast.Dict: "a dict cannot be made in a kernel: there is no heap",
    ast.Set: "a set cannot be made in a kernel: there is no heap",
    ast.DictComp: "a dict cannot be made in a kernel: there is no heap",
    ast.SetComp: "a set cannot be made in a kernel: there is no heap",
    ast.GeneratorExp: "a generator cannot be made in a kernel",
    ast.Global: "`global` cannot be used in a kernel: write results to an array",
    ast.Nonlocal: "`nonlocal` cannot be used in a kernel: write results to an array",
    ast.ClassDef: "a class cannot be defined in a kernel",
    ast.Import: "`import` cannot be used in a kernel",
    ast.ImportFrom: "`import` cannot be used in a kernel",
    ast.JoinedStr: "text cannot be formatted in a kernel",
}
