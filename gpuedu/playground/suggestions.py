"""Lines of arguments for a kernel that was typed or pasted: a start, from how it uses each name."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable

from gpuedu.simt.python.source import parse

_EXTENTS = {1: "1024", 2: "64, 64", 3: "16, 16, 16"}


def suggest(source: str, kernel: Callable) -> str:
    """The text of arguments with what the kernel needs: lines that fit are kept, others replaced.

    A name with an index becomes an array of as many dimensions, any other a number: an integer if
    it bounds or selects something. An array that is only written is left at zeros.
    """
    parameters = inspect.signature(kernel).parameters.values()
    wanted = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL]
    kept = _kept(source, wanted)
    known = {name for name, _ in kept}
    optional = {p.name for p in parameters if p.default is not p.empty}
    tree = parse(kernel).tree
    new = [_line(name, tree) for name in wanted if name not in known | optional]
    return "\n".join([*(line for _, line in kept), *new])


def _kept(source: str, wanted: list[str]) -> list[tuple[str, str]]:
    """Names and lines that are arguments of the kernel, or plain numbers that they may use."""
    try:
        statements = ast.parse(source).body
    except (SyntaxError, ValueError):
        return []
    kept = []
    for statement in statements:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)) if name in wanted:
                pass
            case ast.Assign(targets=[ast.Name(id=name)]):
                pass
            case _:
                continue
        kept.append((name, ast.get_source_segment(source, statement) or ""))
    return kept


def _line(name: str, tree: ast.FunctionDef) -> str:
    indices = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    own = [node for node in indices if isinstance(node.value, ast.Name) and node.value.id == name]
    facts = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        if node.value.id == name and node.attr in ("size", "shape", "ndim")
    ]
    passed = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("cuda.atomic.")
        if node.args and isinstance(node.args[0], ast.Name) and node.args[0].id == name
    ]
    if not own and not facts and not passed:
        return f"{name}: int32 = 1024" if _is_whole(name, tree) else f"{name}: float32 = 2"
    slices = [node.slice for node in own] + [node.args[1] for node in passed if len(node.args) > 1]
    ndim = max((len(i.elts) if isinstance(i, ast.Tuple) else 1 for i in slices), default=1)
    is_read = any(isinstance(node.ctx, ast.Load) for node in own) or name in _updated(tree)
    fill = " = random" if is_read and not passed else ""
    return f"{name}: float32[{_EXTENTS.get(ndim, '1024')}]{fill}"


def _is_whole(name: str, tree: ast.FunctionDef) -> bool:
    """Whether a number is compared, counted to, or part of an index."""
    parts: list[ast.AST] = []
    for node in ast.walk(tree):
        match node:
            case ast.Compare() | ast.Subscript():
                parts.append(node)
            case ast.Call(func=ast.Name(id="range")):
                parts.append(node)
    found = (inner for part in parts for inner in ast.walk(part))
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in found)


def _updated(tree: ast.FunctionDef) -> set[str]:
    """Names of arrays that are changed in place, hence read."""
    return {
        node.target.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AugAssign)
        if isinstance(node.target, ast.Subscript) and isinstance(node.target.value, ast.Name)
    }
