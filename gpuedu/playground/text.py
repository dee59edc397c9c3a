"""The text of the editor: its kernels, and the names they use, read and never executed."""

from __future__ import annotations

import ast
import itertools
import linecache
import warnings
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from gpuedu.playground.constants import NotConstantError, Unknown, evaluate
from gpuedu.playground.faults import PlaygroundError
from gpuedu.playground.imports import Decorator, modules
from gpuedu.simt.host.decorators import jit
from gpuedu.simt.host.kernels import Kernel

MOST_CHARACTERS = 200_000
_numbers = itertools.count(1)


@dataclass(frozen=True, eq=False)
class Text:
    """What was read.

    ``kernels`` are the functions that can be launched, in order; ``names`` is what every name at
    the top of the text stands for; ``host_lines`` are statements that do not belong to a kernel.
    """

    source: str
    kernels: dict[str, Kernel] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    host_lines: tuple[int, ...] = ()

    def constants(self) -> dict[str, Any]:
        """The names whose values are known."""
        return {n: value for n, value in self.names.items() if not isinstance(value, Unknown)}


@lru_cache(maxsize=16)
def read(source: str) -> Text:
    """Read a text with at least one ``@cuda.jit`` kernel.

    Raises:
        PlaygroundError: It is not Python, or has no kernel, or a kernel needs something unknown.
    """
    tree = _parse(source)
    file = f"<playground {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "playground"}
    host: list[int] = []
    for statement in tree.body:
        _take(statement, names, host, file)
    found = {name: thing for name, thing in names.items() if _is_launched(name, thing)}
    kernels = _launched_first(found, tree)
    if not kernels:
        raise _no_kernel(tree)
    _require_known(tree, names)
    return Text(source, kernels, names, tuple(host))


def _parse(source: str) -> ast.Module:
    if len(source) > MOST_CHARACTERS:
        raise PlaygroundError(
            f"the text has {len(source):,} characters; the limit is {MOST_CHARACTERS:,}",
            remedy="keep the kernel and what it calls, and leave the rest out",
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            compile(source, "<playground>", "exec", dont_inherit=True)
        return tree
    except SyntaxError as fault:
        if "__global__" in source:
            raise PlaygroundError(
                "this looks like CUDA C, and the editor takes kernels in Python",
                remedy="write it as a function with `@cuda.jit` above it",
            ) from None
        line = min(fault.lineno or 1, len(source.splitlines()) or 1)
        raise PlaygroundError(
            f"line {line}: this is not valid Python yet: {fault.msg}",
            remedy="fix the marked place and run again",
            line=line,
            column=max((fault.offset or 1) - 1, 0),
        ) from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as fault:
        raise PlaygroundError(
            f"Python cannot read this text: {fault or 'it is nested too deeply'}",
            remedy="undo the last change",
        ) from None


def _take(statement: ast.stmt, names: dict[str, Any], host: list[int], file: str) -> None:
    match statement:
        case ast.Import() | ast.ImportFrom():
            _import(statement, names)
        case ast.FunctionDef():
            names[statement.name] = _function(statement, names, file)
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                _assign(target, value, names)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            _assign(target, value, names)
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
            before = ast.copy_location(ast.Name(name, ast.Load()), target)
            _assign(target, ast.copy_location(ast.BinOp(before, op, value), value), names)
        case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.AnnAssign():
            pass
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            pass
        case _:
            host.append(statement.lineno)
            reason = "code outside functions is not run here"
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    names.setdefault(node.id, Unknown(node.id, node.lineno, reason))
            if isinstance(statement, ast.ClassDef | ast.AsyncFunctionDef):
                names[statement.name] = Unknown(statement.name, statement.lineno, reason)


def _import(statement: ast.Import | ast.ImportFrom, names: dict[str, Any]) -> None:
    known = modules()
    if isinstance(statement, ast.Import):
        for part in statement.names:
            wanted = part.name if part.asname else part.name.partition(".")[0]
            name = part.asname or wanted
            missing = Unknown(name, statement.lineno, f"there is no module `{part.name}` here")
            names[name] = known.get(wanted, missing)
        return
    home = statement.module or ""
    for part in statement.names:
        name = part.asname or part.name
        reason = f"`from {home} import {part.name}` is not known here"
        if home == "__future__":
            continue
        found = known.get(f"{home}.{part.name}") or getattr(known.get(home), part.name, None)
        names[name] = Unknown(name, statement.lineno, reason) if found is None else found


def _assign(target: ast.expr, value: ast.expr, names: dict[str, Any]) -> None:
    try:
        given: Any = evaluate(value, names)
    except NotConstantError as fault:
        given = fault
    _bind(target, given, names)


def _bind(target: ast.expr, given: Any, names: dict[str, Any]) -> None:
    if isinstance(target, ast.Name):
        if isinstance(given, NotConstantError):
            given = Unknown(target.id, target.lineno, f"{given}")
        names[target.id] = given
        return
    if isinstance(target, ast.Tuple | ast.List):
        fits = isinstance(given, tuple | list) and len(given) == len(target.elts)
        for place, part in enumerate(target.elts):
            _bind(part, given[place] if fits else NotConstantError("it is not a constant"), names)


def _function(node: ast.FunctionDef, names: dict[str, Any], file: str) -> Any:
    """A function of the text; under ``@cuda.jit`` a kernel or a device function."""
    options = _jit_options(node, names)
    code = _code(node, file)
    defaults = []
    for default in node.args.defaults:
        try:
            defaults.append(evaluate(default, names))
        except NotConstantError as fault:
            raise PlaygroundError(
                f"line {default.lineno}: a default of `{node.name}` is not a constant: {fault}",
                remedy="write a number",
                line=default.lineno,
            ) from None
    made = FunctionType(code, names, node.name, tuple(defaults) or None)
    return made if options is None else jit(made, **options)


def _code(node: ast.FunctionDef, file: str) -> CodeType:
    """The code of a function, compiled without its decorators and defaults, and not run."""
    bare = ast.parse("def f(): pass").body[0]
    bare.name, bare.body, bare.args = node.name, node.body, _bare_arguments(node.args)
    ast.copy_location(bare, node)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = compile(ast.Module([bare], []), file, "exec", dont_inherit=True)
    return next(c for c in whole.co_consts if isinstance(c, CodeType) and c.co_name == node.name)


def _bare_arguments(given: ast.arguments) -> ast.arguments:
    def bare(argument: ast.arg | None) -> ast.arg | None:
        return argument and ast.copy_location(ast.arg(argument.arg), argument)

    return ast.arguments(
        [bare(a) for a in given.posonlyargs],
        [bare(a) for a in given.args],
        bare(given.vararg),
        [bare(a) for a in given.kwonlyargs],
        [None for _ in given.kw_defaults],
        bare(given.kwarg),
        [],
    )


def _jit_options(node: ast.FunctionDef, names: dict[str, Any]) -> dict[str, Any] | None:
    """What ``@cuda.jit`` was given, as far as it matters here; None for a function without it."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        try:
            thing = evaluate(called, names)
        except NotConstantError:
            continue
        if isinstance(thing, Decorator):
            return {"device": True}
        if thing is not jit:
            continue
        words = decorator.keywords if isinstance(decorator, ast.Call) else []
        kept = {word.arg: word.value for word in words if word.arg in ("device", "launch_bounds")}
        try:
            return {name: evaluate(value, names) for name, value in kept.items()}
        except NotConstantError as fault:
            raise PlaygroundError(
                f"line {decorator.lineno}: an option of `@cuda.jit` is not a constant: {fault}",
                remedy="write the value itself",
                line=decorator.lineno,
            ) from None
    return None


def _no_kernel(tree: ast.Module) -> PlaygroundError:
    """What is told where nothing can be launched: perhaps a kernel is inside of something."""
    for node in ast.walk(tree):
        decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else ()
        if node not in tree.body and any("cuda.jit" in ast.unparse(d) for d in decorators):
            return PlaygroundError(
                f"line {node.lineno}: the kernel `{node.name}` is inside a function or a class, "
                "and only kernels at the top of the text can be launched",
                remedy="move it to the left margin, with what it needs as constants above it",
                line=node.lineno,
            )
    return PlaygroundError(
        "there is no kernel in the editor: no function has `@cuda.jit` above it",
        remedy="write `@cuda.jit` in the line above the kernel's `def`",
    )


def _is_launched(name: str, thing: Any) -> bool:
    """Whether a name is a kernel's own, and not another name for it."""
    is_kernel = isinstance(thing, Kernel) and not thing.targetoptions.get("device")
    return is_kernel and thing.py_func.__name__ == name


def _launched_first(found: dict[str, Kernel], tree: ast.Module) -> dict[str, Kernel]:
    """Kernels, those that another function calls behind the others."""
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return dict(sorted(found.items(), key=lambda pair: pair[0] in called))


def _require_known(tree: ast.Module, names: dict[str, Any]) -> None:
    """Refuse names that kernels and device functions use and whose value is not known."""
    for statement in tree.body:
        if not isinstance(statement, ast.FunctionDef):
            continue
        if not isinstance(names.get(statement.name), Kernel):
            continue
        bound = {n.arg for n in ast.walk(statement.args) if isinstance(n, ast.arg)}
        uses = [n for part in statement.body for n in ast.walk(part) if isinstance(n, ast.Name)]
        bound |= {use.id for use in uses if isinstance(use.ctx, ast.Store)}
        for use in uses:
            unknown = names.get(use.id)
            if isinstance(unknown, Unknown) and use.id not in bound:
                raise PlaygroundError(
                    f"line {use.lineno}: the value of `{use.id}` is not known: {unknown.reason} "
                    f"(line {unknown.line})",
                    remedy="set it to a number at the top of the text, or pass it as an argument",
                    line=use.lineno,
                    column=use.col_offset,
                )
